/**
 * The machine's time. The linter allows Node's timers, clocks and blocking waits only in this file (`biome.json`,
 * `.ci/time-ports.grit`).
 */
import { uptime } from 'node:os';
import type { EpochMs } from '#units/money.ts';
import type { Clock, SteadyClock } from './clock.ts';
import type { ThreadBlocking } from './thread-blocking.ts';
import type { Time } from './time.ts';
import type { TimerOptions, Timers } from './timers.ts';

const systemClock: Clock = { now: () => Date.now() as EpochMs };

/** How often the steady clock checks whether the machine slept, and the shortest sleep that it detects. */
const SLEEP_CHECK_MS = 1_000;

/**
 * The process's clock, which is precise and costs 50 ns, plus the time that the machine slept, which that clock does not count.
 * `uptime` counts it, in steps of 10 ms and at 6 µs a call, so it is read once a second. All threads of a process have the same
 * origin.
 */
class SystemSteadyClock implements SteadyClock {
  readonly #bootedBeforeMs = uptime() * 1_000 - awakeMs();
  #checkedAtMs = awakeMs();
  #sleptMs = 0;

  elapsedMs(): number {
    const nowMs = awakeMs();
    if (nowMs - this.#checkedAtMs >= SLEEP_CHECK_MS) {
      this.#checkedAtMs = nowMs;
      const sleptMs = uptime() * 1_000 - nowMs - this.#bootedBeforeMs;
      if (sleptMs - this.#sleptMs >= SLEEP_CHECK_MS) this.#sleptMs = sleptMs;
    }
    return nowMs + this.#sleptMs;
  }
}

function awakeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

const systemTimers: Timers = {
  setTimeout(task, delayMs, options) {
    const timeout = withOptions(setTimeout(task, delayMs), options);
    return { cancel: () => clearTimeout(timeout) };
  },
  setInterval(task, periodMs, options) {
    const interval = withOptions(setInterval(task, periodMs), options);
    return { cancel: () => clearInterval(interval) };
  },
  setImmediate(task) {
    const immediate = setImmediate(task);
    return { cancel: () => clearImmediate(immediate) };
  },
};

function withOptions(timeout: NodeJS.Timeout, { ref = true }: TimerOptions = {}): NodeJS.Timeout {
  return ref ? timeout : timeout.unref();
}

/** No thread notifies it. */
const QUIET_CELL = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export const systemBlocking: ThreadBlocking = {
  sleep: (ms) => void Atomics.wait(QUIET_CELL, 0, 0, ms),
  whileEqual: (cells, index, value, ms) => Atomics.wait(cells, index, value, ms) !== 'timed-out',
};

export const systemTime: Time = { clock: systemClock, steadyClock: new SystemSteadyClock(), timers: systemTimers };
