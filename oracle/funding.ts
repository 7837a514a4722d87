/** Funding periods: the premium is sampled, a period ends with one rate, and all positions settle it. */
import { ceilDiv, clamp, floorDiv, larger, smaller, towardZero } from './arithmetic.ts';
import { sweepPosition } from './funding-payment.ts';
import { notionalOf } from './margin.ts';
import type { Impact } from './mark.ts';
import { postLedger } from './money.ts';
import type { Market, World } from './world.ts';
import { note } from './world.ts';

const WHOLE_PPB = 1_000_000_000n;
const WHOLE_BPS = 10_000n;
/** Within this distance of the interest rate, the premium does not count. */
const DAMPENER_PPB = 500_000n;
const MAX_SAMPLE_PPB = WHOLE_PPB / 2n;
const SWEPT_PER_TURN = 250;

/** Counts the time since the last price as watched and samples the book, if the market could be traded in meanwhile. */
export function watch(
  world: World,
  market: Market,
  bids: Impact | undefined,
  asks: Impact | undefined,
  maySample: boolean,
): void {
  const { funding, specification } = market;
  if (funding.endsAt === 0n) funding.endsAt = endOfPeriod(world, market);
  countWatched(world, market);
  if (!maySample || world.now - funding.sampledAt < BigInt(specification.premiumSampleMs)) return;
  funding.premiumSumPpb += premiumOf(market, bids, asks);
  funding.premiumCount += 1n;
  funding.sampledAt = world.now;
}

function countWatched(world: World, { funding, specification }: Market): void {
  const isInterrupted = funding.watchedUntil === 0n;
  const from = larger(funding.watchedUntil, funding.endsAt - BigInt(specification.fundingPeriodMs));
  const until = smaller(world.now, funding.endsAt);
  if (isInterrupted) funding.watchedUntil = world.now;
  else if (until > from) {
    funding.watchedMs += until - from;
    funding.watchedUntil = until;
  }
}

/** How far the impact bid is above the index, or the impact ask below it, in parts of the index, within the band. A thin side counts as 0. */
function premiumOf(market: Market, bids: Impact | undefined, asks: Impact | undefined): bigint {
  const above = bids === undefined ? 0n : bids.notional - notionalOf(market, market.index.price, bids.base);
  const below = asks === undefined ? 0n : notionalOf(market, market.index.price, asks.base) - asks.notional;
  const shareOf = (gap: bigint, { base }: Impact) =>
    clamp(floorDiv(gap * WHOLE_PPB, notionalOf(market, market.index.price, base)), 0n, MAX_SAMPLE_PPB);
  const band = (WHOLE_PPB * BigInt(market.specification.markBandBps)) / WHOLE_BPS;
  return clamp((above > 0n ? shareOf(above, bids!) : 0n) - (below > 0n ? shareOf(below, asks!) : 0n), -band, band);
}

/** The rate of the period if the rest of it is watched and resembles the samples. At its end, the rate that is settled. */
export function estimateOf(world: World, { funding, specification }: Market): bigint {
  const rest = larger(0n, funding.endsAt - world.now);
  if ((funding.watchedMs + rest) * 2n < BigInt(specification.fundingPeriodMs) || funding.premiumCount === 0n) return 0n;
  const premium = towardZero(funding.premiumSumPpb, funding.premiumCount);
  const cap = BigInt(specification.fundingCapPpb);
  const toInterest = clamp(BigInt(specification.fundingInterestPpb) - premium, -DAMPENER_PPB, DAMPENER_PPB);
  return clamp(premium + toInterest, -cap, cap);
}

/** Ends the period when its time is over and all positions have settled the last one. */
export function endPeriod(world: World, market: Market): void {
  const { funding, index } = market;
  if (world.now < funding.endsAt || funding.unsettled > 0) return;
  funding.ratePpb = estimateOf(world, market);
  funding.perLotMicroAtoms = towardZero(funding.ratePpb * notionalOf(market, index.price, 1n), 1_000n);
  funding.period += 1;
  funding.unsettled = funding.perLotMicroAtoms === 0n ? 0 : market.positions.length;
  funding.premiumSumPpb = 0n;
  funding.premiumCount = 0n;
  funding.watchedMs = 0n;
  funding.endsAt = endOfPeriod(world, market);
  countWatched(world, market);
  note(world, {
    type: 'FundingSettled',
    market: market.ordinal,
    period: funding.period,
    ratePpb: funding.ratePpb,
    indexPriceAtoms: index.price,
    perLotMicroAtoms: funding.perLotMicroAtoms,
    settledAtEpochMs: world.now,
  });
}

/** Settles some positions. When all have, the insurance fund gets the atoms that rounding left. */
export function sweep(world: World, market: Market): void {
  const { funding } = market;
  if (funding.unsettled === 0) return;
  funding.unsettled = Math.min(funding.unsettled, market.positions.length);
  for (let swept = 0; swept < SWEPT_PER_TURN && funding.unsettled > 0; swept += 1) {
    funding.unsettled -= 1;
    sweepPosition(world, market, market.positions[funding.unsettled]!);
  }
  if (funding.unsettled > 0) return;
  postLedger(world, 'funding', -funding.pooled);
  postLedger(world, 'insurance', funding.pooled);
  funding.pooled = 0n;
}

/** Periods end at whole multiples of their length. */
function endOfPeriod({ now }: World, { specification }: Market): bigint {
  const length = BigInt(specification.fundingPeriodMs);
  return ceilDiv(now + 1n, length) * length;
}
