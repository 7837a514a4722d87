import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { holdingsOf, refusalCode, typesOf } from '#venue/testing/outcome.ts';
import { snapshotScenario } from '#venue/testing/venues.ts';

const UNIT = 1_000;

function reserve(scenario: Scenario, account: number, amount: number): VenueEvent[] {
  return scenario.run({
    type: 'ReserveWithdrawal',
    account: account as AccountOrdinal,
    amountAtoms: amount as QuoteAtoms,
    destination: 'party-of-hers',
  });
}

function end(scenario: Scenario, type: 'ReleaseWithdrawal' | 'SettleWithdrawal', withdrawal: number): VenueEvent[] {
  return scenario.run({ type, withdrawal: withdrawal as WithdrawalOrdinal });
}

test('moves reserved cash to the withdrawals ledger, where it cannot be traded with', () => {
  const scenario = snapshotScenario(1);
  expect(reserve(scenario, 1, 4_000_000_000)).toEqual([
    { type: 'WithdrawalReserved', withdrawal: 1, account: 1, amountAtoms: 4_000_000_000, destination: 'party-of-hers' },
    { type: 'CashPosted', account: 1, kind: 'withdrawal_reserve', amountAtoms: -4_000_000_000, cashAtoms: 6_000_000_000 },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: 4_000_000_000, balanceAtoms: 4_000_000_000 },
  ]);
  // 6,000 would cover the margin of 120 BTC at 20 ×, but not their fees too.
  expect(refusalCode(scenario.limit(1, 'buy', 10_000, 120 * UNIT))).toBe('insufficient_margin');
});

test('reduces net deposits when a withdrawal is settled', () => {
  const scenario = snapshotScenario(1);
  reserve(scenario, 1, 4_000_000_000);
  expect(end(scenario, 'SettleWithdrawal', 1)).toEqual([
    { type: 'WithdrawalSettled', withdrawal: 1, account: 1, amountAtoms: 4_000_000_000 },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -4_000_000_000, balanceAtoms: 0 },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(6_000_000_000);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(6_000_000_000);
});

test('returns all cash of a released withdrawal', () => {
  const scenario = snapshotScenario(1);
  reserve(scenario, 1, 4_000_000_000);
  expect(end(scenario, 'ReleaseWithdrawal', 1)).toEqual([
    { type: 'WithdrawalReleased', withdrawal: 1, account: 1, amountAtoms: 4_000_000_000 },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -4_000_000_000, balanceAtoms: 0 },
    { type: 'CashPosted', account: 1, kind: 'withdrawal_release', amountAtoms: 4_000_000_000, cashAtoms: 10_000_000_000 },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(10_000_000_000);
});

test('settles or releases a withdrawal only once', () => {
  const scenario = snapshotScenario(2);
  reserve(scenario, 1, 1);
  reserve(scenario, 2, 2);
  reserve(scenario, 1, 3);
  end(scenario, 'SettleWithdrawal', 2);
  end(scenario, 'ReleaseWithdrawal', 1);
  for (const type of ['ReleaseWithdrawal', 'SettleWithdrawal'] as const) {
    for (const withdrawal of [1, 2, 4, 0, -1])
      expect(end(scenario, type, withdrawal)).toMatchObject([{ code: 'withdrawal_not_found' }]);
  }
  expect(scenario.venue.state.ledgers.withdrawals).toBe(3);
  expect(typesOf(end(scenario, 'SettleWithdrawal', 3))).toContain('WithdrawalSettled');
});

test('reserves only available cash, in a positive amount, of an existing account', () => {
  const scenario = snapshotScenario(2);
  scenario.limit(2, 'sell', 10_000, UNIT);
  scenario.market(1, 'buy', UNIT);
  scenario.limit(1, 'buy', 9_900, UNIT);
  const available = 10_000_000_000 - 50_000_000 - 500_000 - 49_995_000;
  expect(reserve(scenario, 1, available + 1)).toMatchObject([{ code: 'insufficient_cash', bound: available }]);
  for (const amount of [0, -1]) expect(reserve(scenario, 1, amount)).toMatchObject([{ code: 'amount_out_of_bounds', bound: 1 }]);
  expect(refusalCode(reserve(scenario, 3, 1))).toBe('account_not_found');
  expect(typesOf(reserve(scenario, 1, available))).toContain('WithdrawalReserved');
  expect(reserve(scenario, 1, 1)).toMatchObject([{ code: 'insufficient_cash', bound: 0 }]);
});

function debit(scenario: Scenario, account: number, amount: number): VenueEvent[] {
  return scenario.run({
    type: 'DebitCash',
    account: account as AccountOrdinal,
    amountAtoms: amount as QuoteAtoms,
    reference: 'bank',
  });
}

test('reserves and settles a withdrawal in one turn for a debit', () => {
  const scenario = snapshotScenario(1);
  reserve(scenario, 1, 1);
  expect(debit(scenario, 1, 4_000_000_000)).toEqual([
    { type: 'WithdrawalReserved', withdrawal: 2, account: 1, amountAtoms: 4_000_000_000, destination: 'bank' },
    { type: 'CashPosted', account: 1, kind: 'withdrawal_reserve', amountAtoms: -4_000_000_000, cashAtoms: 5_999_999_999 },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: 4_000_000_000, balanceAtoms: 4_000_000_001 },
    { type: 'WithdrawalSettled', withdrawal: 2, account: 1, amountAtoms: 4_000_000_000 },
    { type: 'LedgerPosted', ledger: 'withdrawals', amountAtoms: -4_000_000_000, balanceAtoms: 1 },
  ]);
  expect(scenario.venue.state.netDepositsAtoms).toBe(6_000_000_000);
  expect(end(scenario, 'ReleaseWithdrawal', 2)).toMatchObject([{ code: 'withdrawal_not_found' }]);
});

test('debits only available cash, and changes nothing when the debit is refused', () => {
  const scenario = snapshotScenario(2);
  scenario.limit(2, 'sell', 10_000, UNIT);
  scenario.market(1, 'buy', UNIT);
  scenario.limit(1, 'buy', 9_900, UNIT);
  const available = 10_000_000_000 - 50_000_000 - 500_000 - 49_995_000;
  const before = scenario.venue.snapshot();
  expect(debit(scenario, 1, available + 1)).toMatchObject([{ code: 'insufficient_cash', bound: available }]);
  for (const amount of [0, -1]) expect(debit(scenario, 1, amount)).toMatchObject([{ code: 'amount_out_of_bounds', bound: 1 }]);
  expect(refusalCode(debit(scenario, 3, 1))).toBe('account_not_found');
  expect(scenario.venue.snapshot()).toEqual(before);
  expect(typesOf(debit(scenario, 1, available))).toContain('WithdrawalSettled');
});

test('reserves, settles, releases and debits cash of a retired account', () => {
  const scenario = snapshotScenario(1);
  reserve(scenario, 1, 1_000);
  reserve(scenario, 1, 2_000);
  scenario.run({ type: 'RetireAccount', account: 1 as AccountOrdinal });
  expect(typesOf(reserve(scenario, 1, 500))).toContain('WithdrawalReserved');
  expect(typesOf(end(scenario, 'SettleWithdrawal', 1))).toContain('WithdrawalSettled');
  expect(typesOf(end(scenario, 'ReleaseWithdrawal', 2))).toContain('WithdrawalReleased');
  expect(typesOf(debit(scenario, 1, 250))).toContain('WithdrawalSettled');
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(10_000_000_000 - 1_750);
});
