/** The depth that an account shows with reduce-only orders, which reserve no margin. */
import { expect, test } from 'vitest';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { devnetScenario } from './testing/devnet-scenario.ts';

const USD = 1_000_000;

/** Account 1 holds 0.01 SOL and offers to reduce it as often and as much as the market permits. */
function shown(rules: RiskRules) {
  const { scenario, specification, startPrice } = devnetScenario('SOL-USD-PERP', 2, 10_000 * USD, rules);
  const { minQuantityAtoms, maxQuantityAtoms, quantityScale } = specification;
  scenario.limit(2, 'sell', startPrice, minQuantityAtoms);
  scenario.market(1, 'buy', minQuantityAtoms);
  for (let count = 0; count < 20; count += 1)
    scenario.limit(1, 'sell', startPrice + 300 + count, maxQuantityAtoms, { reduceOnly: true });
  const { orders } = scenario.venue.state;
  const market = scenario.venue.state.market(BTC)!;
  let [base, notional] = [0, 0];
  for (const slot of orders.slotsByAge()) {
    base += orders.remainingOf(slot);
    notional += market.notional(orders.priceOf(slot), orders.remainingOf(slot));
  }
  const { reservedAtoms } = scenario.venue.state.account(1 as AccountOrdinal)!;
  return { base: base / 10 ** quantityScale, millions: notional / USD / USD, reservedAtoms };
}

test('shows 1,000,000 SOL for 153 million dollars with a position of 0.01 SOL and no margin', () => {
  const { base, millions, reservedAtoms } = shown({ ...RISK_RULES, cutsReduceOnly: false });
  expect([base, reservedAtoms]).toEqual([1_000_000, 0]);
  expect(millions).toBeGreaterThan(153);
});

test('shows no more than the position', () => {
  expect(shown(RISK_RULES).base).toBe(0.01);
});
