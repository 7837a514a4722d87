/**
 * Funding in time: the premium is sampled while a period runs, the period ends with a rate, and all positions settle it,
 * a bounded number in a turn. Payers and receivers of a period come to zero with its remainder, which the insurance fund gets.
 */

import type { EpochMs, Ppb } from '#units/money.ts';
import { largerOf, minus, mulDivDown, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { postLedger } from '#venue/account/cash.ts';
import type { Market } from '#venue/market/market.ts';
import { depthOf } from '#venue/order/depth.ts';
import type { Turn } from '#venue/turn.ts';
import { fundingPerLotOf, fundingRateOf } from './funding-rate.ts';
import { sweepPositionFunding } from './position-funding.ts';
import type { BookImpact } from './premium.ts';
import { impactFillOf, premiumSampleOf } from './premium.ts';

/** How many positions settle in a turn. */
export const FUNDINGS_PER_TURN = 250;

/**
 * A period has a rate if for at least one in so many of its parts there were prices to look at the book by: what a book said
 * for a moment of an hour is no rate for the hour. It goes by time, not by how many samples there might have been: how often
 * prices come is for their source to say.
 */
const MIN_WATCHED_SHARE = 2;

/** The first price of a market begins its first period. */
export function startFunding({ funding, specification }: Market, now: EpochMs): void {
  if (funding.endsAtEpochMs === 0) funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
}

/** A book that has nothing to say. */
const NO_IMPACT: BookImpact = { bids: undefined, asks: undefined };

/**
 * What it comes to to sell and to buy the impact notional. Where what rests may not open, nobody can trade by it: quotes of
 * before would move the mark, and the funding, without any risk to who left them there.
 */
export function impactOf({ state, now }: Turn, market: Market): BookImpact {
  if (!market.allowsRestingToOpen(now)) return NO_IMPACT;
  const { book, specification, tickLotAtoms } = market;
  const { impactNotionalAtoms } = specification;
  return {
    bids: impactFillOf(depthOf(book, state.orders, 'buy'), impactNotionalAtoms, tickLotAtoms),
    asks: impactFillOf(depthOf(book, state.orders, 'sell'), impactNotionalAtoms, tickLotAtoms),
  };
}

/**
 * A price that can be relied on has come, to a market that settles funding. The time since the one before counts as watched,
 * unless there was a break; and the premium is sampled if it is time. After a break it is not (`maySample`): the book is that of
 * before, when nobody could quote by what holds now.
 */
export function watchPremium(market: Market, impact: BookImpact, maySample: boolean, now: EpochMs): void {
  recordWatched(market, now);
  if (maySample) samplePremium(market, impact, now);
}

/** Adds the time since then that lies in the running period, or begins to count. */
function recordWatched({ funding, specification }: Market, now: EpochMs): void {
  if (!funding.isWatching) {
    funding.watchedUntilEpochMs = now;
    return;
  }
  const begin = minus(funding.endsAtEpochMs, specification.fundingPeriodMs as EpochMs);
  const from = largerOf(funding.watchedUntilEpochMs, begin);
  const until = smallerOf(now, funding.endsAtEpochMs);
  if (until <= from) return;
  funding.watchedMs += until - from;
  funding.watchedUntilEpochMs = until;
}

function samplePremium({ funding, specification, tickLotAtoms, index }: Market, { bids, asks }: BookImpact, now: EpochMs): void {
  if (now - funding.sampledAtEpochMs < specification.premiumSampleMs) return;
  const sample = premiumSampleOf(bids, asks, index.acceptedPriceAtoms, tickLotAtoms);
  funding.premiumSumPpb = (funding.premiumSumPpb + sample) as Ppb;
  funding.premiumCount += 1;
  funding.sampledAtEpochMs = now;
}

/** The rate of the running period, if the rest of it is watched and like what was sampled: at its end, what is settled. */
export function fundingEstimateOf({ funding, specification }: Market, now: EpochMs): Ppb {
  const rest = Math.max(0, funding.endsAtEpochMs - now);
  const isWatched = (funding.watchedMs + rest) * MIN_WATCHED_SHARE >= specification.fundingPeriodMs;
  return isWatched ? fundingRateOf(funding.premiumSumPpb, funding.premiumCount, specification) : (0 as Ppb);
}

/**
 * Ends the period, if it is over and the one before it is settled. After a standstill one period ends, however many
 * have passed: nobody pays for a time in which nothing was observed.
 */
export function settlePeriod(turn: Turn, market: Market): void {
  const { now } = turn;
  const { funding, specification, index } = market;
  if (now < funding.endsAtEpochMs || funding.isSweeping) return;
  funding.ratePpb = fundingEstimateOf(market, now);
  funding.perLotMicroAtoms = fundingPerLotOf(index.acceptedPriceAtoms, market.tickLotAtoms, funding.ratePpb);
  funding.period += 1;
  // Where nobody pays anything there is nothing to settle.
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
 * Settles the next positions, from the end of the market's list. A position that leaves the list meanwhile has settled
 * before, and the one that takes its place comes from behind, where all have.
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
