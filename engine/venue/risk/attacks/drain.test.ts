/**
 * The attack: A is long, B short, and C bids below A's bankruptcy price in a thin book. The liquidation filled as far as the first
 * maintenance rate beyond the mark, and the insurance fund paid A's loss beyond its margin: B's gain, and C's.
 */
import { describe, expect, test } from 'vitest';
import { DEVNET_MARKETS, type DevnetMarket } from '#devnet/markets.ts';
import { Arena, FUND, USD } from '#simulation/arena.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const [A, B, C] = [1, 2, 3];

/** Returns the attackers' profit in basis points of the notional, and what the fund gained. */
function play(market: DevnetMarket, off: Partial<RiskRules>): { profitBps: number; fund: number; notional: number } {
  const arena = new Arena(market, 3, 1_000_000, off);
  const { basePrice: price, scenario, specification } = arena;
  const { maintenanceMarginTiers: tiers, maxLeverageX: leverageX } = specification;
  const lots = arena.lotsOf((tiers[1]!.notionalThresholdAtoms / USD) * 0.98);
  const notional = (lots * price * arena.market.tickLotAtoms) / USD;
  const before = arena.wealthOf(A, B, C);
  scenario.limit(B, 'sell', price, lots, { leverageX });
  scenario.limit(A, 'buy', price, lots, { leverageX });
  const bankruptcy = Math.ceil(price * (1 - 1 / leverageX));
  const bid = Math.ceil(bankruptcy * (1 - tiers[0]!.maintenanceMarginBps / 10_000));
  for (let step = 1; step <= 200 && arena.baseOf(A) !== 0; step += 1) {
    arena.tick(Math.round(price - ((price - bankruptcy) * step) / 200));
    if (step === 5) scenario.limit(C, 'buy', bid, lots, { leverageX: 2 });
  }
  for (let step = 0; step < 6 && arena.baseOf(A) !== 0; step += 1) arena.tick(bankruptcy - step);
  expect(arena.baseOf(A)).toBe(0);
  if (arena.baseOf(C) !== 0) {
    scenario.limit(C, 'sell', arena.market.markPriceAtoms, lots, { reduceOnly: true });
    scenario.market(B, 'buy', lots, { reduceOnly: true });
  }
  return { profitBps: ((arena.wealthOf(A, B, C) - before) / notional) * 10_000, fund: arena.fund - FUND, notional };
}

describe.each([
  ['BTC', DEVNET_MARKETS[0]!, 82, 48],
  ['SOL', DEVNET_MARKETS[2]!, 222, 96],
] as const)('%s', (_, market, oldBps, feeBps) => {
  test('the fund paid the attackers when liquidations filled beyond the mark', () => {
    const { profitBps, fund, notional } = play(market, {
      boundsFund: false,
      clawsBack: false,
      chargesFeeByFill: false,
      deleveragesEarly: false,
    });
    expect(Math.round(profitBps)).toBe(oldBps);
    expect(fund).toBeLessThan((-oldBps * notional) / 10_000);
  });

  test('the fund pays nothing without deleveraging at the mark', () => {
    const { profitBps, fund } = play(market, { deleveragesEarly: false });
    expect(fund).toBe(0);
    expect(profitBps).toBeLessThan(0);
  });

  test('the fund pays nothing, and the attackers lose their fees', () => {
    const { profitBps, fund, notional } = play(market, {});
    // A and B close at the mark when A has half of its requirement left. The fund gets A's liquidation fee.
    expect(Math.floor((fund / notional) * 10_000)).toBe(feeBps);
    expect(profitBps).toBeLessThan(0);
  });
});
