/** Lines for people on how far long work of a start is: none in its first seconds, then one every few seconds. */
import type { SteadyClock } from '#time/clock.ts';
import type { OnRead } from '#writer/read-progress.ts';

const EVERY_MS = 5_000;
const MEGABYTE = 1_000_000;

/** `what` is what is done with the bytes: read, for one. The work may hold the thread up: no timer is needed. */
export function logProgress(what: string, steadyClock: SteadyClock, log: (line: string) => void): OnRead {
  let loggedAtMs = steadyClock.elapsedMs();
  return (readBytes, totalBytes) => {
    const nowMs = steadyClock.elapsedMs();
    if (nowMs - loggedAtMs < EVERY_MS) return;
    loggedAtMs = nowMs;
    const percent = Math.floor((100 * readBytes) / Math.max(1, totalBytes));
    log(`journal: ${percent} % ${what} (${megabytes(readBytes)} of ${megabytes(totalBytes)} MB)`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
