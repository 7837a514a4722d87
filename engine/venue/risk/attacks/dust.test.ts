/**
 * Small orders before the crowd's: longs keep the premium of the book out of the funding rate that they would pay, by 1,000 bids of the smallest
 * quantity.
 */
import { expect, test } from 'vitest';
import { BTC } from '#simulation/scenario.ts';
import { mulDivDown } from '#units/money.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { devnetScenario } from './testing/devnet-scenario.ts';

const DEPOSIT = 50_000_000_000_000;
const SECONDS_PER_PRICE = 5;

/** The rate of the hour, and the margin that the attackers need for their small orders. */
function played(
  hasDust: boolean,
  walksLevels: boolean,
  boundsPremium = true,
): { readonly ratePpb: number; readonly dustMarginAtoms: number } {
  const it = devnetScenario('BTC-USD-PERP', 10, DEPOSIT, { ...RISK_RULES, walksLevels, boundsPremium });
  const { scenario, specification, startPrice } = it;
  // 1.9 million USD.E, within the first tier. The crowd's quotes are 30 basis points above the index.
  const lots = mulDivDown<number>(1_900_000_000_000, 1, startPrice);
  const crowd = mulDivDown<number>(startPrice, 10_030, 10_000);
  scenario.limit(2, 'sell', startPrice + 1, lots, { leverageX: 50 });
  scenario.limit(1, 'buy', startPrice + 1, lots, { leverageX: 50 });
  scenario.limit(3, 'buy', crowd, lots);
  scenario.limit(4, 'sell', mulDivDown<number>(startPrice, 10_035, 10_000), lots);
  const attackers = [5, 6, 7, 8, 9, 10];
  for (let count = 0; hasDust && count < 1_000; count += 1)
    scenario.limit(attackers[count % attackers.length]!, 'buy', crowd + 1, specification.minQuantityAtoms, { leverageX: 50 });
  const reserved = attackers.map((account) => scenario.venue.state.account(account as never)!.reservedAtoms);
  const { funding } = scenario.venue.state.market(BTC)!;
  while (funding.period < 1) {
    scenario.wait(SECONDS_PER_PRICE * 1_000);
    scenario.price(startPrice);
  }
  return { ratePpb: funding.ratePpb, dustMarginAtoms: reserved.reduce<number>((sum, atoms) => sum + atoms, 0) };
}

test('1,000 small orders no longer keep the premium out of the funding rate', () => {
  const plain = played(false, true, false).ratePpb;
  expect(plain).toBe(played(false, false, false).ratePpb);
  expect(plain).toBe(2_494_652);
  // The interest alone: 0.00125 %, for orders that need 153 USD.E.
  expect(played(true, false, false)).toEqual({ ratePpb: 12_500, dustMarginAtoms: 153_161_000 });
  // Their bids above the crowd's even add to it.
  expect(played(true, true, false).ratePpb).toBe(2_495_652);
  // Samples within the band of 0.2 %: the dust does not change the rate.
  expect([played(false, true).ratePpb, played(true, true).ratePpb]).toEqual([1_496_434, 1_496_434]);
});
