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
import { settlePositionFunding } from './position-funding.ts';
import { impactFillOf, premiumSampleOf } from './premium.ts';

/** How many positions settle in a turn. */
export const FUNDINGS_PER_TURN = 250;

/** Samples the premium, if it is time. The first price of a market begins its first period. */
export function observePremium({ orders }: VenueState, market: Market, now: EpochMs): void {
  const { funding, specification, tickLotAtoms, index } = market;
  if (funding.endsAtEpochMs === 0) funding.endsAtEpochMs = endOfPeriod(now, specification.fundingPeriodMs);
  if (now - funding.sampledAtEpochMs < specification.premiumSampleMs) return;
  const bids = impactFillOf(depthOf(market.book, orders, 'buy'), specification.impactNotionalAtoms, tickLotAtoms);
  const asks = impactFillOf(depthOf(market.book, orders, 'sell'), specification.impactNotionalAtoms, tickLotAtoms);
  const sample = premiumSampleOf(bids, asks, index.acceptedPriceAtoms, tickLotAtoms);
  funding.premiumSumPpb = (funding.premiumSumPpb + sample) as Ppb;
  funding.premiumCount += 1;
  funding.sampledAtEpochMs = now;
}

/** The rate of the running period, if it ended now. */
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
  funding.ratePpb = fundingEstimateOf(market);
  funding.perLotMicroAtoms = fundingPerLotOf(index.acceptedPriceAtoms, market.tickLotAtoms, funding.ratePpb);
  funding.period += 1;
  funding.unsettled = market.positions.count;
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
    settlePositionFunding(state, market, positions.at(funding.unsettled), events);
  }
  if (funding.isSweeping) return;
  const remainder = funding.pooledAtoms;
  funding.pooledAtoms = ZERO_QUOTE;
  postLedger(state, 'funding', minus(ZERO_QUOTE, remainder), events);
  postLedger(state, 'insurance', remainder, events);
}

/** Periods end at whole multiples of their length since the epoch. */
function endOfPeriod(now: EpochMs, periodMs: number): EpochMs {
  return ((mulDivDown(now as number, 1, periodMs) + 1) * periodMs) as EpochMs;
}
