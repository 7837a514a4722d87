/**
 * A market whose index jumps beyond the bankruptcy prices every day: the fund pays a tenth of itself each time. Without a share of each
 * market, one market takes nearly all of it in a month; with it, at most a quarter of what was credited.
 */
import { expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { fundOf } from '#venue/risk/fund-budget.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import type { Turn } from '#venue/turn.ts';

const [LONG, SHORT, BIDDER] = [1, 2, 3];
const DAY_MS = 86_400_000;
const FUND = 1_000;

interface Outcome {
  /** Dollars that are left in the fund after each day. */
  readonly days: readonly number[];
  /** What the fund has for another market. */
  readonly forOthers: number;
}

function play(days: number, rules: Partial<typeof RISK_RULES> = {}): Outcome {
  const scenario = new Scenario({ ...RISK_RULES, ...rules });
  scenario.populate(3, { ...SCENARIO_MARKET, liquidationFeeBps: 0 as never }, 100_000_000_000);
  scenario.run({ type: 'ListMarket', specification: { ...SCENARIO_MARKET, marketId: 'ETH-USD-PERP' }, status: 'open' });
  scenario.run({ type: 'CreditInsurance', amountAtoms: (FUND * 1_000_000) as QuoteAtoms, reference: 'test' });
  const stateOf = () => scenario.venue.state;
  const left: number[] = [];
  for (let day = 0; day < days; day += 1) {
    scenario.wait(DAY_MS);
    scenario.price(10_000);
    scenario.limit(SHORT, 'sell', 10_000, 2_000, { leverageX: 2 });
    scenario.limit(LONG, 'buy', 10_000, 2_000, { leverageX: 20 });
    scenario.limit(BIDDER, 'buy', 8_545, 2_000, { leverageX: 2 });
    const events = scenario.price(8_500);
    while (events.at(-1)!.type === 'MarketWorkPending') events.push(...scenario.run({ type: 'AdvanceMarket', market: BTC }));
    scenario.run({
      type: 'CancelOrders',
      account: BIDDER as never,
      orders: [...stateOf().orders.slotsByAge()].map((slot) => stateOf().orders.orderOf(slot)),
    });
    scenario.price(10_000);
    const rest = Math.abs(
      stateOf()
        .account(SHORT as never)!
        .holdingIn(BTC).signedBaseAtoms,
    );
    if (rest > 0) {
      scenario.limit(BIDDER, 'sell', 10_000, rest, { reduceOnly: true });
      scenario.limit(SHORT, 'buy', 10_000, rest, { reduceOnly: true });
    }
    left.push(Math.round(stateOf().ledgers.insurance / 1_000_000));
  }
  const turn = { state: stateOf(), rules: { ...RISK_RULES, ...rules } } as Turn;
  return { days: left, forOthers: fundOf(turn, stateOf().market(2 as never)!) / 1_000_000 };
}

test('one market took nearly the whole fund within a month', () => {
  const { days } = play(30, { partsFund: false });
  expect(days[0]).toBe(900);
  expect(days.at(-1)).toBeLessThan(60);
});

test('a market draws at most a quarter of what was credited', () => {
  const { days, forOthers } = play(30);
  expect(days.slice(0, 4)).toEqual([900, 810, 750, 750]);
  expect(days.at(-1)).toBeGreaterThanOrEqual(750);
  expect(forOthers).toBeGreaterThanOrEqual(750);
});
