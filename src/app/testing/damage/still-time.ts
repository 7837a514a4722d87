/**
 * Stopped time, for venues that must give the same responses: their clocks do not move, and timers beyond a tenth of a second
 * never fire.
 */
import { systemTime } from '#time/system-time.ts';
import type { Time } from '#time/time.ts';
import type { Timer } from '#time/timers.ts';
import type { EpochMs } from '#units/money.ts';

const FAR_MS = 100;
const NEVER: Timer = { cancel: () => {} };

export function stillTime(epochMs: number): Time {
  const { timers } = systemTime;
  return {
    clock: { now: () => epochMs as EpochMs },
    steadyClock: { elapsedMs: () => 0 },
    timers: {
      setImmediate: (task) => timers.setImmediate(task),
      setTimeout: (task, delayMs, options) => (delayMs < FAR_MS ? timers.setTimeout(task, delayMs, options) : NEVER),
      setInterval: (task, periodMs, options) => (periodMs < FAR_MS ? timers.setInterval(task, periodMs, options) : NEVER),
    },
  };
}
