/** What a market remembers of its funding: the running period's premium, and the last period while positions settle it. */
import type { EpochMs, Ppb, QuoteAtoms } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export class FundingState {
  /** The last period that ended, from 1; 0 before the first. */
  period = 0;
  /** What a long paid for each lot in that period, in millionths of an atom; below zero: what it got. */
  perLotMicroAtoms = 0;
  ratePpb = 0 as Ppb;
  /** When the running period ends; 0 before the first price. */
  endsAtEpochMs = 0 as EpochMs;
  /** The samples of the running period. */
  premiumSumPpb = 0 as Ppb;
  premiumCount = 0;
  sampledAtEpochMs = 0 as EpochMs;
  /** For how long of the running period there were prices to look at the book by. */
  watchedMs = 0;
  /** Until when that has gone on without a break; 0 where the next price begins it anew. */
  watchedUntilEpochMs = 0 as EpochMs;
  /** How many open positions have yet to settle the last period: those before this place in the market's list. */
  unsettled = 0;

  /** What has been paid for the last period and not yet been given: its remainder, once all have settled. */
  pooledAtoms: QuoteAtoms = ZERO_QUOTE;

  /** There was a price to look at the book by, and nothing has come between since. */
  get isWatching(): boolean {
    return this.watchedUntilEpochMs !== 0;
  }

  /** The index is gone, or the market has another status: the next book is that of before. */
  interrupt(): void {
    this.watchedUntilEpochMs = 0 as EpochMs;
  }

  /** Positions are settling the last period; the next one does not end before they have. */
  get isSweeping(): boolean {
    return this.unsettled > 0;
  }
}

/** The funding of a market in a snapshot. */
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
