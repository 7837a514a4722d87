import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { holdingsOf, typesOf } from '#venue/testing/outcome.ts';
import { snapshotScenario } from '#venue/testing/venues.ts';

const UNIT = 1_000;

function transfer(scenario: Scenario, from: number, to: number, amount: number): VenueEvent[] {
  return scenario.run({
    type: 'TransferCash',
    account: from as AccountOrdinal,
    to: to as AccountOrdinal,
    amountAtoms: amount as QuoteAtoms,
    reference: 'rent',
  });
}

test('moves cash in one turn, with a posting for each account', () => {
  const scenario = snapshotScenario(2);
  expect(transfer(scenario, 1, 2, 4_000_000_000)).toEqual([
    { type: 'CashTransferred', from: 1, to: 2, amountAtoms: 4_000_000_000, reference: 'rent' },
    { type: 'CashPosted', account: 1, kind: 'transfer_out', amountAtoms: -4_000_000_000, cashAtoms: 6_000_000_000 },
    { type: 'CashPosted', account: 2, kind: 'transfer_in', amountAtoms: 4_000_000_000, cashAtoms: 14_000_000_000 },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(20_000_000_000);
});

test('transfers available cash, but neither reservations nor margin', () => {
  const scenario = snapshotScenario(3);
  scenario.limit(2, 'sell', 10_000, UNIT);
  scenario.market(1, 'buy', UNIT);
  scenario.limit(1, 'buy', 9_900, UNIT);
  // 10,000 less margin of 50, a fee of 0.5, and 49.995 reserved.
  const available = 10_000_000_000 - 50_000_000 - 500_000 - 49_995_000;
  expect(transfer(scenario, 1, 3, available + 1)).toMatchObject([{ code: 'insufficient_cash', bound: available }]);
  expect(typesOf(transfer(scenario, 1, 3, available))).toEqual(['CashTransferred', 'CashPosted', 'CashPosted']);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ cash: 49_995_000, reserved: 49_995_000, margin: 50_000_000 });
  expect(transfer(scenario, 1, 3, 1)).toMatchObject([{ code: 'insufficient_cash', bound: 0 }]);
});

test('refuses unknown accounts, the same account, and amounts below 1', () => {
  const scenario = snapshotScenario(2);
  const before = scenario.venue.snapshot();
  expect(transfer(scenario, 1, 9, 1)).toMatchObject([{ code: 'account_not_found' }]);
  expect(transfer(scenario, 9, 1, 1)).toMatchObject([{ code: 'account_not_found' }]);
  expect(transfer(scenario, 1, 1, 1)).toMatchObject([{ code: 'transfer_to_itself' }]);
  expect(transfer(scenario, 1, 2, 0)).toMatchObject([{ code: 'amount_out_of_bounds', bound: 1 }]);
  expect(transfer(scenario, 1, 2, -5)).toMatchObject([{ code: 'amount_out_of_bounds', bound: 1 }]);
  expect(scenario.venue.snapshot()).toEqual(before);
});

test('refuses retired accounts on either side', () => {
  const scenario = snapshotScenario(2);
  scenario.run({ type: 'RetireAccount', account: 2 as AccountOrdinal });
  expect(transfer(scenario, 1, 2, 1)).toMatchObject([{ code: 'account_retired' }]);
  expect(transfer(scenario, 2, 1, 1)).toMatchObject([{ code: 'account_retired' }]);
});
