/** The terms of a random world: small tiers, high leverage and thin books, so that each rule decides something within few commands. */
import type { Specification } from '#oracle/command.ts';
import { FINE_MARKET, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { Dice } from './dice.ts';

export interface WorldTerms {
  readonly specifications: readonly Specification[];
  readonly accounts: number;
  readonly depositAtoms: number;
  readonly insuranceAtoms: number;
  /** The largest usual order, in lots. */
  readonly maxLots: number;
  /** The first index price, in ticks. */
  readonly startPrice: number;
}

export function drawTerms(dice: Dice): WorldTerms {
  const isFine = dice.chance(40);
  const depositAtoms = isFine ? dice.integer(40_000, 6_000_000) : dice.one([200_000_000, 2_000_000_000, 10_000_000_000]);
  const markets = dice.chance(25) ? 2 : 1;
  return {
    specifications: Array.from({ length: markets }, (_, index) =>
      drawSpecification(dice, isFine, `M${index}-USD-PERP`, depositAtoms),
    ),
    accounts: dice.integer(3, 7),
    depositAtoms,
    insuranceAtoms: dice.one([0, Math.floor(depositAtoms / 50), depositAtoms, depositAtoms * 10]),
    maxLots: isFine ? 3_000 : 60_000,
    startPrice: dice.integer(2_000, 40_000),
  };
}

function drawSpecification(dice: Dice, isFine: boolean, marketId: string, depositAtoms: number): Specification {
  const second = isFine ? dice.one([200_000, 2_000_000]) : dice.one([50_000_000, 1_000_000_000]);
  const takerFeeBps = dice.one([0, 5, 5, 50]);
  const firstTierBps = dice.one([250, 200]);
  const fundingCapPpb = dice.one([0, 10_000_000, firstTierBps * 100_000]);
  return {
    ...(isFine ? FINE_MARKET : SCENARIO_MARKET),
    marketId,
    maxPriceAtoms: 262_144,
    maxQuantityAtoms: isFine ? 20_000 : 100_000,
    minQuantityAtoms: dice.one([1, 1, 5]),
    maintenanceMarginTiers: [
      { notionalThresholdAtoms: 0, maintenanceMarginBps: firstTierBps },
      { notionalThresholdAtoms: second, maintenanceMarginBps: dice.one([400, 333]) },
      { notionalThresholdAtoms: second * 4, maintenanceMarginBps: dice.one([1_000, 4_999]) },
    ],
    autoDeleveraging: dice.chance(80),
    takerFeeBps,
    makerFeeBps: dice.one([0, Math.floor(takerFeeBps / 2), -Math.floor(takerFeeBps / 2)]),
    liquidationFeeBps: dice.one([0, 33, 77, 200]),
    markBandBps: dice.one([10, firstTierBps / 5]),
    maxIndexAgeMs: 60_000,
    maxIndexJumpBps: dice.one([1_000, 5_000]),
    fundingPeriodMs: 60_000,
    premiumSampleMs: 10_000,
    fundingCapPpb,
    fundingInterestPpb: dice.one([0, Math.min(12_500, fundingCapPpb)]),
    impactNotionalAtoms: isFine ? 100_000 : 10_000_000,
    ...(dice.chance(35) && { openInterest: drawBounds(dice, depositAtoms) }),
  };
}

/** Bounds that the positions of a few accounts reach. */
function drawBounds(dice: Dice, depositAtoms: number): NonNullable<Specification['openInterest']> {
  const lowerAtoms = dice.one([0, Math.floor(depositAtoms / 2), depositAtoms * 4]);
  return { lowerAtoms, upperAtoms: lowerAtoms + dice.one([depositAtoms, depositAtoms * 10, depositAtoms * 200]) };
}
