/** How current reads are: the lag between a request and a response that includes all earlier records. Independent of clock adjustments. */
import type { Freshness } from '#contract/fields.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Responses with a larger lag are marked stale. */
const STALE_AFTER_MS = 5_000;

export class FreshnessGauge {
  #lagMs: (() => number) | undefined;
  #isHalted = false;

  /** Called when the past of the journal is folded. `lagMs` returns the age of what is folded. */
  live(lagMs: () => number): void {
    this.#lagMs = lagMs;
  }

  halted(): void {
    this.#isHalted = true;
  }

  at(checkpoint: Checkpoint): Freshness {
    const isLive = this.#lagMs !== undefined;
    const lagMs = Math.round(this.#lagMs?.() ?? 0);
    return {
      // The last records before a halt may not be folded, and no later record would show it.
      status: isLive && !this.#isHalted && lagMs <= STALE_AFTER_MS ? 'fresh' : 'stale',
      degradedState: this.#isHalted ? 'venue_halted' : 'none',
      journalSequence: checkpoint.sequence,
      asOfEpochMs: checkpoint.epochMs,
      projectorLagMs: lagMs,
      // One database in this process, no replica.
      dbReplicaLagMs: 0,
      backfillStatus: isLive ? 'live' : 'catching_up',
    };
  }
}
