/**
 * Funding in time: the premium is sampled while a period runs, the period ends with a rate, and all positions settle it,
 * a bounded number in a turn. Payers and receivers of a period come to zero with its remainder, which the insurance fund gets.
 */
import type { EpochMs, Ppb } from '#units/money.ts';
import { minus, mulDivDown, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { postLedger } from '#venue/account/cash.ts';
import type { Market } from '#venue/market/market.ts';
import { depthOf } from '#venue/order/depth.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { VenueState } from '#venue/state.ts';
import { fundingPerLotOf, fundingRateOf } from './funding-rate.ts';
import { sweepPositionFunding } from './position-funding.ts';
import type { BookImpact } from './premium.ts';
import { impactFillOf, premiumSampleOf } from './premium.ts';

/** How many positions settle in a turn. */
export const FUNDINGS_PER_TURN = 250;

/**
 * A period counts by its samples if at least one in so many of those that it has room for was taken: what a book said for a
 * moment of an hour is no rate for the hour.
 */
const LEAST_SAMPLED_PART = 2;

/** The first price of a market begins its first period. */
export function beginFunding({ funding, specification }: Market, now: EpochMs): void {
  if (funding.endsAtEpochMs === 0) funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
}

/** A book that has nothing to say. */
const NO_IMPACT: BookImpact = { bids: undefined, asks: undefined };

/**
 * What it comes to to sell and to buy the impact notional. Where what rests may not open, nobody can trade by it: quotes of
 * before would move the mark, and the funding, without any risk to who left them there.
 */
export function impactOf({ orders, now }: VenueState, market: Market): BookImpact {
  if (!market.letsRestingOpen(now)) return NO_IMPACT;
  const { book, specification, tickLotAtoms } = market;
  const { impactNotionalAtoms } = specification;
  return {
    bids: impactFillOf(depthOf(book, orders, 'buy'), impactNotionalAtoms, tickLotAtoms),
    asks: impactFillOf(depthOf(book, orders, 'sell'), impactNotionalAtoms, tickLotAtoms),
  };
}

/** Samples the premium, if it is time. */
export function observePremium(market: Market, { bids, asks }: BookImpact, now: EpochMs): void {
  const { funding, specification, tickLotAtoms, index } = market;
  if (now - funding.sampledAtEpochMs < specification.premiumSampleMs) return;
  const sample = premiumSampleOf(bids, asks, index.acceptedPriceAtoms, tickLotAtoms);
  funding.premiumSumPpb = (funding.premiumSumPpb + sample) as Ppb;
  funding.premiumCount += 1;
  funding.sampledAtEpochMs = now;
}

/** The rate of the running period, if the rest of it is like what was sampled. */
export function fundingEstimateOf({ funding, specification }: Market): Ppb {
  return fundingRateOf(funding.premiumSumPpb, funding.premiumCount, specification);
}

/**
 * Ends the period, if it is over and the one before it is settled. After a standstill one period ends, however many
 * have passed: nobody pays for a time in which nothing was observed.
 */
export function settlePeriod(market: Market, now: EpochMs, events: EventWriter): void {
  const { funding, specification, index } = market;
  if (now < funding.endsAtEpochMs || funding.isSweeping) return;
  funding.ratePpb = isSampled(market) ? fundingEstimateOf(market) : (0 as Ppb);
  funding.perLotMicroAtoms = fundingPerLotOf(index.acceptedPriceAtoms, market.tickLotAtoms, funding.ratePpb);
  funding.period += 1;
  // Where nobody pays anything there is nothing to settle.
  funding.unsettled = funding.perLotMicroAtoms === 0 ? 0 : market.positions.count;
  funding.premiumSumPpb = 0 as Ppb;
  funding.premiumCount = 0;
  funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
  events.fundingSettled({
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
export function sweepFunding(state: VenueState, market: Market, events: EventWriter): void {
  const { funding, positions } = market;
  if (!funding.isSweeping) return;
  funding.unsettled = smallerOf(funding.unsettled, positions.count);
  for (let count = 0; count < FUNDINGS_PER_TURN && funding.unsettled > 0; count += 1) {
    funding.unsettled -= 1;
    sweepPositionFunding(state, market, positions.at(funding.unsettled), events);
  }
  if (funding.isSweeping) return;
  const remainder = funding.pooledAtoms;
  funding.pooledAtoms = ZERO_QUOTE;
  postLedger(state, 'funding', minus(ZERO_QUOTE, remainder), events);
  postLedger(state, 'insurance', remainder, events);
}

function isSampled({ funding, specification }: Market): boolean {
  const room = mulDivDown(specification.fundingPeriodMs, 1, specification.premiumSampleMs);
  return funding.premiumCount * LEAST_SAMPLED_PART >= room;
}

/** Periods end at whole multiples of their length since the epoch. */
function endOfPeriod(now: EpochMs, periodMs: number): EpochMs {
  return ((mulDivDown(now as number, 1, periodMs) + 1) * periodMs) as EpochMs;
}
