/**
 * The attack beside the ladder of the built-in makers: a straddle of 20 million dollars in a fall of 5.2 % within 20 seconds. The makers
 * take a part of the liquidation; C's bid below A's bankruptcy price took the rest at the cost of the insurance fund.
 */
import { expect, test } from 'vitest';
import { ladderOf } from '#devnet/ladder.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { Arena, FUND } from '#simulation/arena.ts';
import { makerOf } from '#simulation/arena-maker.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const [A, B, C, MAKER] = [1, 2, 3, 4];
const SECONDS = 20;
const LEVERAGE = 20;

function play(off: Partial<RiskRules>): { profit: number; maker: number; fund: number; left: number } {
  const arena = new Arena(DEVNET_MARKETS[0]!, 4, 100_000_000, off);
  if (off.averagesMark === false) arena.widenBand();
  const { basePrice: price, scenario, specification } = arena;
  const quote = makerOf(arena, MAKER, ladderOf);
  quote();
  const before = arena.wealthOf(A, B, C);
  const lots = arena.lotsOf(20_000_000);
  const inParts = (place: (quantity: number) => void) => {
    for (let left = lots; left > 0; left -= specification.maxQuantityAtoms) place(Math.min(left, specification.maxQuantityAtoms));
  };
  inParts((quantity) => {
    scenario.limit(B, 'sell', price, quantity, { leverageX: LEVERAGE });
    scenario.limit(A, 'buy', price, quantity, { leverageX: LEVERAGE });
  });
  const bankruptcy = Math.ceil(price * (1 - 1 / LEVERAGE));
  inParts((quantity) => scenario.limit(C, 'buy', Math.ceil(bankruptcy * 0.99), quantity, { leverageX: LEVERAGE }));
  const fall = 1 / LEVERAGE + 0.002;
  for (let second = 1; second <= SECONDS; second += 1) {
    arena.tick(Math.round(price * (1 - (fall * second) / SECONDS)));
    quote();
  }
  for (let second = 0; second < 5; second += 1) {
    arena.tick(Math.round(price * (1 - fall)) - second);
    quote();
  }
  const maker = arena.wealthOf(MAKER) - 100_000_000;
  return { maker, profit: arena.wealthOf(A, B, C) - before, fund: arena.fund - FUND, left: arena.baseOf(A) };
}

test('the fund paid for the straddle when liquidations filled beyond the mark', () => {
  const { profit, fund, left } = play({
    boundsFund: false,
    clawsBack: false,
    chargesFeeByFill: false,
    averagesMark: false,
    scalesMargin: false,
    deleveragesEarly: false,
    stepsLimit: false,
  });
  expect([Math.round(profit), Math.round(fund), left]).toEqual([149_636, -142_137, 0]);
});

test('the fund pays nothing for the straddle, and the attackers win less than the makers lose', () => {
  const { profit, maker, fund, left } = play({});
  expect(left).toBe(0);
  expect(fund).toBeGreaterThanOrEqual(0);
  // The makers buy from the liquidation at the quotes of a second ago, while the index falls 26 basis points a second.
  expect(profit + maker).toBeLessThan(0);
});
