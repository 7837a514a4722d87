/** Logs the progress of a long start: a line every five seconds. */
import type { SteadyClock } from '#time/clock.ts';
import type { OnRead } from '#writer/journal/read-progress.ts';

const INTERVAL_MS = 5_000;
const MEGABYTE = 1_000_000;

/** `what` completes the percentage, such as "read". Works without a timer, as the work may block the thread. */
export function logProgress(what: string, steadyClock: SteadyClock, log: (line: string) => void): OnRead {
  let loggedAtMs = steadyClock.elapsedMs();
  return (readBytes, totalBytes) => {
    const nowMs = steadyClock.elapsedMs();
    if (nowMs - loggedAtMs < INTERVAL_MS) return;
    loggedAtMs = nowMs;
    const percent = Math.floor((100 * readBytes) / Math.max(1, totalBytes));
    log(`journal: ${percent} % ${what} (${megabytes(readBytes)} of ${megabytes(totalBytes)} MB)`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
