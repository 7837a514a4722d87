/** Which specifications a venue lists. */
import type { Specification } from './command.ts';
import { tickLotOf } from './margin.ts';

const MAX_EXPOSURE = 2n ** 49n;
const MAX_OPEN_INTEREST = 2n ** 51n;
const MAX_PRICE_TICKS = 2 ** 26;
const MAX_QUANTITY_LOTS = 2 ** 29 - 1;
const MAX_LOT_FUNDING = 2n ** 62n;
const DAY_MS = 86_400_000;

export function isValidSpecification(it: Specification): boolean {
  return (
    hasValidScales(it) &&
    hasValidMargin(it) &&
    hasValidTiers(it) &&
    hasValidOpenInterest(it) &&
    hasValidIndex(it) &&
    hasValidFunding(it)
  );
}

function hasValidScales(it: Specification): boolean {
  return (
    /^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/.test(it.marketId) &&
    isFrom(it.priceScale, 0, 6) &&
    isFrom(it.quantityScale, 0, 6) &&
    it.priceScale + it.quantityScale <= 6 &&
    isFrom(it.minPriceAtoms, 1, it.maxPriceAtoms) &&
    isFrom(it.maxPriceAtoms, 1, MAX_PRICE_TICKS) &&
    isFrom(it.minQuantityAtoms, 1, it.maxQuantityAtoms) &&
    isFrom(it.maxQuantityAtoms, 1, MAX_QUANTITY_LOTS) &&
    BigInt(it.maxPriceAtoms) * BigInt(it.maxQuantityAtoms) * tickLotOf(it) <= MAX_EXPOSURE
  );
}

function hasValidMargin(it: Specification): boolean {
  return (
    isFrom(it.initialMarginBps, 1, 10_000) &&
    isFrom(it.maxLeverageX, 1, 10_000) &&
    it.maxLeverageX * it.initialMarginBps <= 10_000 &&
    isFrom(it.takerFeeBps, 0, 1_000) &&
    isFrom(it.makerFeeBps, -it.takerFeeBps, it.takerFeeBps) &&
    isFrom(it.priceBandBps, 1_000, 9_000) &&
    isFrom(it.markBandBps, 1, 1_000)
  );
}

/** Tiers rise from 0, in whole cents. The first rate is below the initial margin, and covers the fees and five bands of the mark. */
function hasValidTiers({ maintenanceMarginTiers: tiers, ...it }: Specification): boolean {
  const first = tiers[0];
  if (first?.notionalThresholdAtoms !== 0) return false;
  const areRising = tiers.every((tier, index) => {
    const last = tiers[index - 1];
    const rises =
      last === undefined ||
      (tier.notionalThresholdAtoms > last.notionalThresholdAtoms && tier.maintenanceMarginBps > last.maintenanceMarginBps);
    const isInBounds =
      isFrom(tier.notionalThresholdAtoms, 0, Number(MAX_EXPOSURE)) && isFrom(tier.maintenanceMarginBps, 1, 5_000);
    return rises && isInBounds && tier.notionalThresholdAtoms % 10_000 === 0;
  });
  const firstBps = first.maintenanceMarginBps;
  const coversFees = it.takerFeeBps <= firstBps && isFrom(it.liquidationFeeBps, 0, firstBps);
  return areRising && firstBps < it.initialMarginBps && coversFees && it.markBandBps * 5 <= firstBps;
}

function hasValidOpenInterest({ openInterest }: Specification): boolean {
  if (openInterest === undefined) return true;
  const { lowerAtoms, upperAtoms } = openInterest;
  return isFrom(lowerAtoms, 0, upperAtoms - 1) && isFrom(upperAtoms, 1, Number(MAX_OPEN_INTEREST));
}

function hasValidIndex(it: Specification): boolean {
  return isFrom(it.maxIndexAgeMs, 100, DAY_MS) && isFrom(it.maxIndexJumpBps, 1, 10_000) && isFrom(it.indexConfirmations, 1, 100);
}

function hasValidFunding(it: Specification): boolean {
  const firstBps = it.maintenanceMarginTiers[0]!.maintenanceMarginBps;
  return (
    isFrom(it.fundingPeriodMs, 100, DAY_MS) &&
    isFrom(it.premiumSampleMs, 100, it.fundingPeriodMs) &&
    it.premiumSampleMs * 100_000 >= it.fundingPeriodMs &&
    isFrom(it.fundingCapPpb, 0, firstBps * 100_000) &&
    isFrom(it.fundingInterestPpb, -it.fundingCapPpb, it.fundingCapPpb) &&
    BigInt(it.maxPriceAtoms) * tickLotOf(it) * BigInt(it.fundingCapPpb) <= MAX_LOT_FUNDING &&
    isFrom(it.impactNotionalAtoms, 1, Number(MAX_EXPOSURE))
  );
}

function isFrom(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
