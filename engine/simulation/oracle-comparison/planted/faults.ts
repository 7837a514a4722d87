/** Faults of one line in the core, each of which breaks one rule. */
import type { PlantedFault } from './faulty-engine.ts';

export const FAULTS: readonly PlantedFault[] = [
  {
    fault: 'an order trades with its own account',
    file: 'order/matching.ts',
    text: 'if (orders.accountOf(slot) === account) {',
    replacement: 'if (orders.accountOf(slot) === account && price === 0) {',
  },
  {
    fault: 'of equal prices the oldest reduce-only order is cut first',
    file: 'order/reduce-only.ts',
    text: 'orders.orderOf(other) - orders.orderOf(one)',
    replacement: 'orders.orderOf(one) - orders.orderOf(other)',
  },
  {
    fault: 'the initial margin, which upper tiers raise, exceeds 100 %',
    file: 'risk/initial-margin.ts',
    text: 'smallerOf(WHOLE_BPS as Bps, mulDivUp(',
    replacement: 'smallerOf(2 * WHOLE_BPS as Bps, mulDivUp(',
  },
  {
    fault: 'the day of the budget starts an hour late',
    file: 'risk/fund-budget.ts',
    text: 'return mulDivDown(now, 1, DAY_MS);',
    replacement: 'return mulDivDown(now - 3_600_000, 1, DAY_MS);',
  },
  {
    fault: 'equal ADL scores: the newest episode first',
    file: 'risk/adl-score.ts',
    text: 'left.ordinal - right.ordinal',
    replacement: 'right.ordinal - left.ordinal',
  },
  {
    fault: 'the last trade counts for less long',
    file: 'market/mark-price.ts',
    text: 'const LAST_TRADE_AGES = 6;',
    replacement: 'const LAST_TRADE_AGES = 5;',
  },
  {
    fault: 'the last trade counts for one millisecond less',
    file: 'market/mark-price.ts',
    text: 'now - lastTradedAtEpochMs <= maxIndexAgeMs * LAST_TRADE_AGES',
    replacement: 'now - lastTradedAtEpochMs < maxIndexAgeMs * LAST_TRADE_AGES',
  },
  {
    fault: 'the rebates of the tiers do not add up beyond the second',
    file: 'risk/position-risk.ts',
    text: '    rebate += tierRebate(tier, tiers);',
    replacement: '    rebate = tierRebate(tier, tiers);',
  },
  {
    fault: 'a tier starts above its threshold',
    file: 'risk/position-risk.ts',
    text: '  while (index + 1 < tiers.length && tiers[index + 1]!.notionalThresholdAtoms <= notional) index += 1;',
    replacement: '  while (index + 1 < tiers.length && tiers[index + 1]!.notionalThresholdAtoms < notional) index += 1;',
  },
  {
    fault: 'fees round up',
    file: 'order/reservation.ts',
    text: "return bpsOfTowardZero(notional, (liquidity === 'maker' ? makerFeeBps : takerFeeBps) as Bps);",
    replacement:
      "return bpsOfTowardZero(notional + 9_999 as QuoteAtoms, (liquidity === 'maker' ? makerFeeBps : takerFeeBps) as Bps);",
  },
  {
    fault: 'receivers of funding round up',
    file: 'funding/payment.ts',
    text: 'mulDivDown(lots, perLot, MICRO)',
    replacement: 'mulDivUp(lots, perLot, MICRO)',
  },
  {
    fault: 'the remainder of funding goes to the fees',
    file: 'funding/funding-settlement.ts',
    text: "postLedger(turn, 'insurance', remainder);",
    replacement: "postLedger(turn, 'fees', remainder);",
  },
  {
    fault: 'the order that would be met first is cut first',
    file: 'order/reduce-only.ts',
    text: "const met = orders.sideOf(one) === 'buy' ? lower : -lower;",
    replacement: "const met = orders.sideOf(one) === 'buy' ? -lower : lower;",
  },
  {
    fault: 'the budget leaves out what the fund has paid today',
    file: 'risk/fund-budget.ts',
    text: 'mulDivDown(plus(insurance, spent), MARKET_SHARE_BPS, WHOLE_BPS)',
    replacement: 'mulDivDown(insurance, MARKET_SHARE_BPS, WHOLE_BPS)',
  },
  {
    fault: 'the claw-back takes its share before the fee',
    file: 'position/position.ts',
    text: 'effect.repaidAtoms = smallerOf(holding.insuredAtoms, largerOf(ZERO_QUOTE, proceeds));',
    replacement: 'effect.repaidAtoms = smallerOf(holding.insuredAtoms, largerOf(ZERO_QUOTE, plus(proceeds, closingFee)));',
  },
  {
    fault: 'a liquidation fill at a loss pays the liquidation fee',
    file: 'risk/liquidation-fill.ts',
    text: 'const fee = rules.chargesFeeByFill ? smallerOf(due, gainAfterFee)',
    replacement: 'const fee = rules.chargesFeeByFill ? due',
  },
  {
    fault: 'the unpaid liquidation notional is carried without rounding against the position',
    file: 'risk/liquidation-fill.ts',
    text: 'const paid = mulDivDown(fee, WHOLE_BPS, liquidationFeeBps);',
    replacement: 'const paid = mulDivUp(fee, WHOLE_BPS, liquidationFeeBps);',
  },
  {
    fault: 'a stub keeps its excess margin',
    file: 'risk/liquidation-fill.ts',
    text: 'const releases = isLast || (fill.isLastOfOrder && turn.rules.chargesFeeByFill);',
    replacement: 'const releases = isLast;',
  },
  {
    fault: 'the price band rounds away from the mark',
    file: 'market/market.ts',
    text: 'mulDivDown(this.markPriceAtoms, WHOLE_BPS + priceBandBps, WHOLE_BPS)',
    replacement: 'mulDivUp(this.markPriceAtoms, WHOLE_BPS + priceBandBps, WHOLE_BPS)',
  },
  {
    fault: 'the mark band rounds away from the index',
    file: 'market/mark-price.ts',
    text: 'mulDivUp(index, WHOLE_BPS - markBandBps, WHOLE_BPS)',
    replacement: 'mulDivDown(index, WHOLE_BPS - markBandBps, WHOLE_BPS)',
  },
  {
    fault: 'the impact of a level takes one lot too few',
    file: 'funding/premium.ts',
    text: 'const missing = mulDivUp(',
    replacement: 'const missing = mulDivDown(',
  },
  {
    fault: 'the impact counts reduce-only orders',
    file: 'order/book.ts',
    text: 'if (!this.#orders.isReduceOnly(slot)) this.#sizes',
    replacement: 'this.#sizes',
  },
];
