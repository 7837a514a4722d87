/** The funding state of a market: the samples of the running period, and the settlement of the last period. */
import type { EpochMs, Ppb, QuoteAtoms } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export class FundingState {
  /** The number of the last period that ended, from 1; 0 before the first end. */
  period = 0;
  /** What a long pays per lot for that period, in millionths of an atom; negative if it receives. */
  perLotMicroAtoms = 0;
  ratePpb = 0 as Ppb;
  /** The end of the running period; 0 before the first price. */
  endsAtEpochMs = 0 as EpochMs;
  /** The sum and the count of the running period's premium samples. */
  premiumSumPpb = 0 as Ppb;
  premiumCount = 0;
  sampledAtEpochMs = 0 as EpochMs;
  /** For how much of the running period the index was reliable, so that the premium could be observed. */
  watchedMs = 0;
  /** The end of the current uninterrupted observation; 0 after an interruption, until the next price. */
  watchedUntilEpochMs = 0 as EpochMs;
  /** How many open positions have yet to settle the last period: those below this index in the market's list. */
  unsettled = 0;

  /** The payments for the last period minus the receipts so far. After the sweep this is the rounding remainder. */
  pooledAtoms: QuoteAtoms = ZERO_QUOTE;

  /** Whether the premium has been observed without interruption since the last price. */
  get isWatching(): boolean {
    return this.watchedUntilEpochMs !== 0;
  }

  /** Called when the index stops being current or the market status changes: the next book may still hold stale quotes. */
  interrupt(): void {
    this.watchedUntilEpochMs = 0 as EpochMs;
  }

  /** Whether positions still have to settle the last period. The running period cannot end before. */
  get isSweeping(): boolean {
    return this.unsettled > 0;
  }
}

/** The layout of a market's funding state in a snapshot. */
export function fundingLayout(io: Cursor, it: FundingState): void {
  it.period = io.u32(it.period);
  it.perLotMicroAtoms = io.int(it.perLotMicroAtoms);
  it.ratePpb = io.int(it.ratePpb);
  it.endsAtEpochMs = io.int(it.endsAtEpochMs);
  it.premiumSumPpb = io.int(it.premiumSumPpb);
  it.premiumCount = io.u32(it.premiumCount);
  it.sampledAtEpochMs = io.int(it.sampledAtEpochMs);
  it.watchedMs = io.int(it.watchedMs);
  it.watchedUntilEpochMs = io.int(it.watchedUntilEpochMs);
  it.unsettled = io.u32(it.unsettled);
  it.pooledAtoms = io.int(it.pooledAtoms);
}
