/**
 * Runs a venue in this process: prints its banner, and stops it on a signal. The first Ctrl-C stops it in order; the second ends
 * the process at once, which costs only a recovery at the next start.
 */

import { type RunningVenue, startVenue } from '#app/compose.ts';
import { readConfig, START_HELP, type VenueConfig } from '#app/config.ts';
import { type DemoAccount, openDemoAccount } from '#app/demo-account.ts';
import { hasTestFunds } from '#app/environment.ts';
import { inDirectory } from '#host/start-fault.ts';
import { systemTime } from '#time/system-time.ts';
import type { Timer } from '#time/timers.ts';
import { renderBanner } from './banner.ts';
import { startMinuteLine } from './minute-line.ts';
import { type Reports, reportsForMachines, reportsForPeople } from './reports.ts';
import { onUncaught } from './uncaught.ts';

/** npm forwards a Ctrl-C that the terminal has already sent: two signals within this time count as one. */
const SAME_SIGNAL_MS = 300;
const INTERRUPTED = 130;
/** After a failure the process ends within this time, even if not stopped in order, so that its supervisor can restart it. */
const STOP_DEADLINE_MS = 30_000;

/** Resolves when the venue runs. Rejects with a fault that `start-fault.ts` lists. */
export async function runStart(args: readonly string[]): Promise<void> {
  const config = readConfig(args, process.env);
  if (config === 'help') {
    console.log(START_HELP);
    return;
  }
  // All files are for this user only: API keys, positions, the operator's socket.
  process.umask(0o077);
  const reports = config.logLevel === undefined ? reportsForPeople() : reportsForMachines(config.logLevel);
  const stop = new Stop(reports.flush);
  onUncaught(reports.onFatalError, () => stop.fail());
  const venue = await startVenue(config, {
    ...systemTime,
    log: reports.log,
    logRequests: reports.logRequests,
    onFatalError: (error, where) => {
      reports.onFatalError(error, where);
      stop.fail();
    },
    onInternalError: reports.onInternalError,
    onHalt: (halt) => {
      reports.onHalt(halt);
      process.exitCode = 1;
    },
  });
  try {
    console.log(await renderBanner(venue, config, await demoAccountOf(venue, config, reports.log)));
  } catch (error) {
    await venue.stop().catch((failure) => reports.onFatalError(failure, 'stopping'));
    throw error;
  }
  // A JSON log has metrics instead.
  if (config.logLevel === undefined) stop.onStop(printMinuteLine(venue, reports).cancel);
  stop.arm(venue);
}

/** `undefined` in an environment without test funds. */
function demoAccountOf(
  venue: RunningVenue,
  { environment, dataDirectory }: VenueConfig,
  log: (line: string) => void,
): Promise<DemoAccount | undefined> {
  if (!hasTestFunds(environment)) return Promise.resolve(undefined);
  return inDirectory(dataDirectory, () => openDemoAccount(venue, dataDirectory, log));
}

function printMinuteLine({ reads, counts }: RunningVenue, { log, onInternalError }: Reports): Timer {
  const { timers } = systemTime;
  return startMinuteLine({
    timers,
    reads,
    counts,
    print: log,
    onInternalError: (error) => onInternalError(error, 'the minute line'),
  });
}

/** Stops the venue once, in order; the second signal ends the process. */
class Stop {
  readonly #flush: () => void;
  #venue: RunningVenue | undefined;
  #hasFailed = false;
  #deadline: Timer | undefined;
  #stoppingSince: number | undefined;
  #beforeStop = () => {};

  /** `flush` is called before the process ends. */
  constructor(flush: () => void) {
    this.#flush = flush;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#signalled());
  }

  /** Called once when the venue starts to stop. */
  onStop(task: () => void): void {
    this.#beforeStop = task;
  }

  /** From now on signals stop this venue. */
  arm(venue: RunningVenue): void {
    this.#venue = venue;
    if (this.#hasFailed) this.#stop();
  }

  /** The venue cannot go on: it stops, and the process ends with status 1. */
  fail(): void {
    this.#hasFailed = true;
    process.exitCode = 1;
    this.#deadline ??= systemTime.timers.setTimeout(() => this.#giveUp(), STOP_DEADLINE_MS, { ref: false });
    this.#stop();
  }

  #giveUp(): void {
    console.error(`openperp: not stopped in order within ${STOP_DEADLINE_MS / 1_000} s; the next start recovers the journal`);
    this.#flush();
    process.exit(1);
  }

  #signalled(): void {
    const now = systemTime.steadyClock.elapsedMs();
    // Before the venue runs there is nothing to stop in order: the journal is durable at any time.
    if (this.#venue === undefined) process.exit(INTERRUPTED);
    if (this.#stoppingSince === undefined) this.#stop();
    else if (now - this.#stoppingSince > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
  }

  #stop(): void {
    if (this.#venue === undefined || this.#stoppingSince !== undefined) return;
    this.#stoppingSince = systemTime.steadyClock.elapsedMs();
    this.#beforeStop();
    console.log('\nopenperp: stopping (Ctrl-C again ends it at once)');
    this.#venue.stop().then(
      () => {
        console.log('openperp: stopped; the next start continues from here');
        this.#flush();
        process.exit();
      },
      (error: unknown) => {
        console.error('openperp: internal error while stopping:', error);
        this.#flush();
        process.exit(1);
      },
    );
  }
}
