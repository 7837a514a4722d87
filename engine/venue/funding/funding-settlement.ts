/**
 * Funding periods: samples the premium, ends the period with a rate, and settles all positions, a bounded number per turn.
 * The payments of a period equal its receipts plus the rounding remainder, which goes to the insurance fund.
 */

import type { Bps, EpochMs, Ppb } from '#units/money.ts';
import { largerOf, minus, mulDivDown, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import { postLedger } from '#venue/account/cash.ts';
import type { Market } from '#venue/market/market.ts';
import { firstOrdersOf, levelsOf } from '#venue/order/depth.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Turn } from '#venue/turn.ts';
import { fundingPerLotOf, fundingRateOf } from './funding-rate.ts';
import { sweepPositionFunding } from './position-funding.ts';
import type { BookImpact } from './premium.ts';
import { impactFillOf, premiumSampleOf } from './premium.ts';

/** How many positions the sweep settles per turn. */
export const FUNDINGS_PER_TURN = 250;

/**
 * A period has a rate only if the premium was observed for at least 1/`MIN_WATCHED_SHARE` of it: a moment does not represent
 * an hour. The share is measured in time rather than in samples, because the price source decides how often prices arrive.
 */
const MIN_WATCHED_SHARE = 2;

/** Starts the first period of a market at its first price. */
export function startFunding({ funding, specification }: Market, now: EpochMs): void {
  if (funding.endsAtEpochMs === 0) funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
}

/** The impact of a book that is ignored. */
const NO_IMPACT: BookImpact = { bids: undefined, asks: undefined };

/**
 * The impact of both sides of the book. It is empty while resting orders may not open: no client could trade against them, so
 * stale quotes would move the mark and the funding without risk to their owners.
 */
export function impactOf({ state, now, rules }: Turn, market: Market): BookImpact {
  if (!market.allowsRestingToOpen(now)) return NO_IMPACT;
  const { book, specification, tickLotAtoms } = market;
  const { impactNotionalAtoms } = specification;
  const depth = (side: Side) => (rules.walksLevels ? levelsOf(book, side) : firstOrdersOf(book, state.orders, side));
  return {
    bids: impactFillOf(depth('buy'), impactNotionalAtoms, tickLotAtoms),
    asks: impactFillOf(depth('sell'), impactNotionalAtoms, tickLotAtoms),
  };
}

/**
 * Called with each observation after which the market permits funding. Counts the time since the previous one as watched,
 * unless there was an interruption, and samples the premium if a sample is due. After an interruption the caller passes
 * `maySample` as false: makers could not yet adapt their quotes to the new price.
 */
export function watchPremium({ now, rules }: Turn, market: Market, impact: BookImpact, maySample: boolean): void {
  recordWatched(market, now);
  const bandBps = rules.boundsPremium ? market.specification.markBandBps : (WHOLE_BPS as Bps);
  if (maySample) samplePremium(market, impact, now, bandBps);
}

/** Adds the watched time within the running period. After an interruption it only marks the start. */
function recordWatched({ funding, specification }: Market, now: EpochMs): void {
  if (!funding.isWatching) {
    funding.watchedUntilEpochMs = now;
    return;
  }
  const start = minus(funding.endsAtEpochMs, specification.fundingPeriodMs as EpochMs);
  const from = largerOf(funding.watchedUntilEpochMs, start);
  const until = smallerOf(now, funding.endsAtEpochMs);
  if (until <= from) return;
  funding.watchedMs += until - from;
  funding.watchedUntilEpochMs = until;
}

function samplePremium(
  { funding, specification, tickLotAtoms, index }: Market,
  { bids, asks }: BookImpact,
  now: EpochMs,
  bandBps: Bps,
): void {
  if (now - funding.sampledAtEpochMs < specification.premiumSampleMs) return;
  const sample = premiumSampleOf(bids, asks, index.acceptedPriceAtoms, tickLotAtoms, bandBps);
  funding.premiumSumPpb = (funding.premiumSumPpb + sample) as Ppb;
  funding.premiumCount += 1;
  funding.sampledAtEpochMs = now;
}

/** The rate of the running period if its rest is watched and the average premium stays. At its end, the settled rate. */
export function fundingEstimateOf({ funding, specification }: Market, now: EpochMs): Ppb {
  const rest = Math.max(0, funding.endsAtEpochMs - now);
  const isWatched = (funding.watchedMs + rest) * MIN_WATCHED_SHARE >= specification.fundingPeriodMs;
  return isWatched ? fundingRateOf(funding.premiumSumPpb, funding.premiumCount, specification) : (0 as Ppb);
}

/**
 * Ends the running period if its time is over and the previous one is settled. After a standstill only one period ends,
 * however many have passed: no account pays for time in which the premium was not observed.
 */
export function settlePeriod(turn: Turn, market: Market): void {
  const { now } = turn;
  const { funding, specification, index } = market;
  if (now < funding.endsAtEpochMs || funding.isSweeping) return;
  funding.ratePpb = fundingEstimateOf(market, now);
  funding.perLotMicroAtoms = fundingPerLotOf(index.acceptedPriceAtoms, market.tickLotAtoms, funding.ratePpb);
  funding.period += 1;
  // A rate of zero leaves nothing to settle.
  funding.unsettled = funding.perLotMicroAtoms === 0 ? 0 : market.positions.count;
  funding.premiumSumPpb = 0 as Ppb;
  funding.premiumCount = 0;
  funding.watchedMs = 0;
  funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
  recordWatched(market, now);
  turn.events.emit({
    type: 'FundingSettled',
    market: market.ordinal,
    period: funding.period,
    ratePpb: funding.ratePpb,
    indexPriceAtoms: index.acceptedPriceAtoms,
    perLotMicroAtoms: funding.perLotMicroAtoms,
    settledAtEpochMs: now,
  });
}

/**
 * Settles the next positions, from the end of the market's list. A position settles before it leaves the list. The last
 * entry then takes its index, and has settled too, as it comes from the settled end.
 */
export function sweepFunding(turn: Turn, market: Market): void {
  const { funding, positions } = market;
  if (!funding.isSweeping) return;
  funding.unsettled = smallerOf(funding.unsettled, positions.count);
  for (let count = 0; count < FUNDINGS_PER_TURN && funding.unsettled > 0; count += 1) {
    funding.unsettled -= 1;
    sweepPositionFunding(turn, market, positions.at(funding.unsettled));
  }
  if (funding.isSweeping) return;
  const remainder = funding.pooledAtoms;
  funding.pooledAtoms = ZERO_QUOTE;
  postLedger(turn, 'funding', minus(ZERO_QUOTE, remainder));
  postLedger(turn, 'insurance', remainder);
}

/** Periods end at whole multiples of their length since the epoch. */
function endOfPeriod(now: EpochMs, periodMs: number): EpochMs {
  return ((mulDivDown(now as number, 1, periodMs) + 1) * periodMs) as EpochMs;
}
