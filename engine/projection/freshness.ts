/** How current reads are. The projection is fed before any reply leaves, so what is behind is measured, never assumed. */
import type { Freshness } from '#contract/fields.ts';
import type { EpochMs } from '#units/money.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Behind by more than this, an answer calls itself stale. */
const STALE_AFTER_MS = 5_000;

export class FreshnessGauge {
  #lagMs = 0;
  #isLive = false;
  #isHalted = false;

  /** A group was folded: its newest record has waited since then. While the past is fed, its age is no lag. */
  folded(newestEpochMs: EpochMs, nowEpochMs: EpochMs): void {
    this.#lagMs = this.#isLive ? Math.max(0, nowEpochMs - newestEpochMs) : 0;
  }

  live(): void {
    this.#isLive = true;
  }

  halted(): void {
    this.#isHalted = true;
  }

  at(checkpoint: Checkpoint): Freshness {
    return {
      // What was committed last before a halt may not have been folded, and nothing will come that tells.
      status: this.#isLive && !this.#isHalted && this.#lagMs <= STALE_AFTER_MS ? 'fresh' : 'stale',
      degradedState: this.#isHalted ? 'venue_halted' : 'none',
      journalSequence: checkpoint.sequence,
      asOfEpochMs: checkpoint.epochMs,
      projectorLagMs: this.#lagMs,
      // One database, in this process: there is no replica to wait for.
      dbReplicaLagMs: 0,
      backfillStatus: this.#isLive ? 'live' : 'catching_up',
    };
  }
}
