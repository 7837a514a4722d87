/**
 * The fund paid for a half of A's position, because C's bid was below A's bankruptcy price. Then the price came back, and A's half was
 * worth 19,000 again: the fund lost what A and C gained.
 */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { Arena, FUND } from '#simulation/arena.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const [A, B, C, OTHER] = [1, 2, 3, 4];
/** The fund pays for fills beyond the mark, because nothing is deleveraged before bankruptcy. */
const BEYOND_MARK = { boundsFund: false, deleveragesEarly: false } as const;

interface Outcome {
  /** What the fund paid for the half that was closed. */
  readonly paid: number;
  /** The equity of A's other half when the price was back. */
  readonly equity: number;
  /** What the fund has lost in the end. */
  readonly fund: number;
  /** What A got for the other half. */
  readonly owner: number;
  /** What A, B and C have won together, at the mark. */
  readonly profit: number;
}

/** `reopens`: A adds to the rest before closing all of it. */
function play(off: Partial<RiskRules>, reopens = false): Outcome {
  const arena = new Arena(DEVNET_MARKETS[0]!, 4, 1_000_000, off);
  const { basePrice: price, scenario } = arena;
  const lots = arena.lotsOf(1_900_000);
  const before = arena.wealthOf(A, B, C);
  scenario.limit(B, 'sell', price, lots, { leverageX: 50 });
  scenario.limit(A, 'buy', price, lots, { leverageX: 50 });
  const bankruptcy = Math.ceil(price * 0.98);
  scenario.limit(C, 'buy', Math.ceil(bankruptcy * 0.99) + 60, Math.floor(lots / 2), { leverageX: 20 });
  arena.drift(price, bankruptcy + 20, 40);
  const paid = FUND - arena.fund;
  arena.drift(bankruptcy + 20, price, 20);
  const equity = arena.equityOf(A);
  const rest = arena.baseOf(A);
  const cash = arena.wealthOf(A) - equity;
  if (reopens) {
    scenario.limit(OTHER, 'sell', price, 100, { leverageX: 10 });
    scenario.limit(A, 'buy', price, 100, { leverageX: 10 });
  }
  scenario.limit(OTHER, 'buy', price, arena.baseOf(A), { leverageX: 10 });
  scenario.market(A, 'sell', Math.floor(rest / 3), { reduceOnly: true });
  scenario.market(A, 'sell', arena.baseOf(A), { reduceOnly: true });
  expect(arena.baseOf(A)).toBe(0);
  return { paid, equity, fund: arena.fund - FUND, owner: arena.wealthOf(A) - cash, profit: arena.wealthOf(A, B, C) - before };
}

const rounded = ({ paid, equity, fund, owner }: Outcome) => [paid, equity, fund, owner].map((usd) => Math.round(usd) + 0);

test('the owner kept what the fund had paid for', () => {
  const outcome = play({ ...BEYOND_MARK, clawsBack: false });
  expect(rounded(outcome)).toEqual([9_222, 19_000, -9_222, 18_525]);
  expect(outcome.profit).toBeGreaterThan(0);
});

test('proceeds repay the fund first, with part closes too', () => {
  const outcome = play(BEYOND_MARK);
  expect(rounded(outcome)).toEqual([9_222, 19_000, 0, 9_303]);
  expect(outcome.profit).toBeLessThan(0);
});

test('new margin repays it as well', () => {
  expect(rounded(play(BEYOND_MARK, true))).toEqual([9_222, 19_000, 0, 9_303]);
});

test('with all rules on, the fund pays nothing in the first place', () => {
  const waiting = play({ deleveragesEarly: false });
  expect(waiting.paid).toBe(0);
  expect(waiting.profit).toBeLessThan(0);
  // All of A is closed against B at the mark. A's last equity is its liquidation fee.
  const outcome = play({});
  expect(rounded(outcome)).toEqual([-8_597, 0, 8_597, 0]);
  expect(outcome.profit).toBeLessThan(0);
});
