/**
 * The attack: an accomplice bids just below the liquidation price for all but one lot, and the owner closes the last lot. If only the fill
 * that ends a position pays the liquidation fee, no one pays it.
 */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { Arena, FUND, USD } from '#simulation/arena.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

/** What the owner (1) has, and the fund, after a liquidation that leaves a stub. All prices of the two plays are the same. */
function play(stub: number, off: Partial<RiskRules>): { owner: number; fund: number; stubFee: number } {
  const arena = new Arena(DEVNET_MARKETS[0]!, 3, 1_000_000, off);
  const { basePrice: price, scenario, specification } = arena;
  const lots = arena.lotsOf(1_900_000);
  scenario.limit(2, 'sell', price, lots, { leverageX: 50 });
  scenario.limit(1, 'buy', price, lots, { leverageX: 50 });
  const trigger = arena.liquidationPriceOf(1);
  scenario.limit(3, 'buy', trigger - 20, lots - stub, { leverageX: 10 });
  arena.drift(price, trigger, 20);
  expect(arena.baseOf(1)).toBe(stub);
  scenario.limit(3, 'buy', trigger - 20, 100, { leverageX: 10 });
  if (stub > 0) scenario.market(1, 'sell', stub, { reduceOnly: true });
  expect(arena.baseOf(1)).toBe(0);
  const stubNotional = stub * (trigger - 20) * arena.market.tickLotAtoms;
  return {
    owner: arena.wealthOf(1),
    fund: arena.fund - FUND,
    stubFee: (stubNotional * specification.liquidationFeeBps) / 10_000 / USD,
  };
}

test('a stub of one lot saved the liquidation fee when only the last fill paid it', () => {
  const off = { chargesFeeByFill: false };
  const whole = play(0, off);
  const stub = play(10, off);
  expect(Math.round(stub.owner - whole.owner)).toBe(9_404);
  expect([Math.round(whole.fund), stub.fund]).toEqual([9_404, 0]);
});

test('a stub saves no more than the fee of the stub itself, which is not liquidated', () => {
  const whole = play(0, {});
  const stub = play(10, {});
  expect(Math.round(whole.fund)).toBe(9_404);
  // 0.032 dollars of 9,404, rounded up by an atom at most.
  expect(stub.owner - whole.owner).toBeLessThanOrEqual(stub.stubFee + 1 / USD);
  expect(stub.stubFee).toBeLessThan(0.04);
});
