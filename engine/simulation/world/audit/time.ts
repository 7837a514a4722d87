/** Audits the venue's time: it may differ from the steady clock by a minute an hour, whatever the wall clock shows. */
import { demand } from './demand.ts';

const HOUR_MS = 3_600_000;
const TOLERANCE_MS = 60_000;

export class TimeAudit {
  #startedAtEpochMs = 0;
  #startedAtSteadyMs = 0;

  /** The venue starts. Its time continues from the last record, or from the wall clock if that is later. */
  begin(lastEpochMs: number, wallEpochMs: number, steadyMs: number): void {
    this.#startedAtEpochMs = Math.max(lastEpochMs, wallEpochMs);
    this.#startedAtSteadyMs = steadyMs;
  }

  /** A record of this life, published when the steady clock shows `steadyMs`. */
  check(sequence: number, epochMs: number, steadyMs: number): void {
    const elapsedMs = steadyMs - this.#startedAtSteadyMs;
    const latest = this.#startedAtEpochMs + elapsedMs + TOLERANCE_MS * (1 + Math.floor(elapsedMs / HOUR_MS));
    demand(epochMs <= latest, `the time of record ${sequence} is ${epochMs - latest} ms ahead of what the steady clock allows`);
    demand(epochMs >= this.#startedAtEpochMs, `the time of record ${sequence} is before that of the start`);
  }
}
