/** How current reads are: by how long an answer had to wait that shows all there was when it was asked for. No clock that is set has a part in it. */
import type { Freshness } from '#contract/fields.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Behind by more than this, an answer calls itself stale. */
const STALE_AFTER_MS = 5_000;

export class FreshnessGauge {
  #lagMs: (() => number) | undefined;
  #isHalted = false;

  /** The journal's past is folded: `lagMs` says from now on how old what is read is. */
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
      // What was committed last before a halt may not have been folded, and nothing will come that tells.
      status: isLive && !this.#isHalted && lagMs <= STALE_AFTER_MS ? 'fresh' : 'stale',
      degradedState: this.#isHalted ? 'venue_halted' : 'none',
      journalSequence: checkpoint.sequence,
      asOfEpochMs: checkpoint.epochMs,
      projectorLagMs: lagMs,
      // One database, in this process: there is no replica to wait for.
      dbReplicaLagMs: 0,
      backfillStatus: isLive ? 'live' : 'catching_up',
    };
  }
}
