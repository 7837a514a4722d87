/** Folding events into rows that no other test reads: withdrawals, transfers, funding; and unknown events. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { foldEvent } from './fold.ts';
import type { ProjectionStore } from './store.ts';
import { openStore } from './store.ts';
import { accepted, changed, filled, listed, opened } from './testing/events.ts';

let store: ProjectionStore;
let now: number;

beforeEach(() => {
  now = 1_000;
  store = openStore(':memory:');
  onTestFinished(() => store.close());
  fold(listed(), opened(), opened({ account: 2 }));
});

/** Folds and writes the events of one record, so that rows are then read from the database. */
function fold(...events: object[]): void {
  now += 1;
  const at = { sequence: (store.checkpoint.sequence + 1) as never, epochMs: now as EpochMs };
  store.fold(() => {
    for (const event of events) foldEvent(store, event as VenueEvent, at);
    return { ...store.checkpoint, ...at };
  });
}

const rowsOf = (table: string) => store.statement(`SELECT * FROM ${table}`).all();

test('an affiliate earns the share of its own registration', () => {
  fold({ type: 'AffiliateRegistered', account: 1, affiliate: 1, referralCode: 'code', shareBps: 1_000 });
  fold({ type: 'AccountReferred', account: 2, referrer: 1 });
  fold(accepted({ account: 2 }), filled({ account: 2, feeAtoms: 1_009 }));
  expect(rowsOf('affiliates')).toMatchObject([{ payingAccounts: 1, fills: 1, feesAtoms: '1009', earnedAtoms: '100' }]);
  expect(rowsOf('affiliateDays')).toMatchObject([{ account: 1, fills: 1, earnedAtoms: '100' }]);
});

describe('a withdrawal', () => {
  const reserved = { type: 'WithdrawalReserved', withdrawal: 1, account: 1, amountAtoms: 5_000, destination: 'party::x' };
  const ended = { withdrawal: 1, account: 1, amountAtoms: 5_000 };

  test('is reserved, then settled', () => {
    fold(reserved);
    const named = { withdrawal: 1, account: 1, amountAtoms: 5_000, destination: 'party::x', idempotencyKey: '' };
    const steps = { reason: '', step: '', isSubmitted: 0, offerExpiresAtEpochMs: 0, ledgerEventId: '' };
    const row = { ...named, ...steps, reservedAtEpochMs: 1_002 };
    const open = { status: 'reserved', endedAtEpochMs: null, updatedAtEpochMs: 1_002, lastSequence: 2 };
    expect(rowsOf('withdrawals')).toEqual([{ ...row, ...open }]);
    fold({ type: 'WithdrawalSettled', ...ended });
    expect(rowsOf('withdrawals')).toEqual([
      { ...row, status: 'settled', endedAtEpochMs: 1_003, updatedAtEpochMs: 1_003, lastSequence: 3 },
    ]);
  });

  test('is reserved, then released, once and with the whole amount', () => {
    fold(reserved, { ...reserved, withdrawal: 2, account: 2 });
    expect(() => fold({ type: 'WithdrawalReleased', ...ended, amountAtoms: 4_999 })).toThrow(/cannot end with 4999/);
    fold({ type: 'WithdrawalReleased', ...ended });
    expect(rowsOf('withdrawals')).toMatchObject([
      { withdrawal: 1, status: 'released', endedAtEpochMs: 1_004 },
      { withdrawal: 2, account: 2, status: 'reserved', endedAtEpochMs: null },
    ]);
    expect(() => fold({ type: 'WithdrawalSettled', ...ended })).toThrow(/is released and cannot end/);
    expect(() => fold({ type: 'WithdrawalSettled', ...ended, withdrawal: 9 })).toThrow(/withdrawal 9, which was never made/);
  });
});

describe('an ended row', () => {
  const order = { type: 'OrderCancelled', order: 1, account: 1, market: 1, side: 'buy', priceAtoms: 10_000, remainingAtoms: 0 };
  const cancelled = { ...order, reason: 'user', wasResting: false, accountReservedAtoms: 0 };
  const paid = {
    type: 'FundingPaid',
    position: 1,
    account: 1,
    market: 1,
    period: 7,
    entryNotionalAtoms: 1,
    marginAtoms: 1,
    paidAtoms: 0,
  };

  test.each<readonly [string, string, object]>([
    ['a fill', 'order 1, which is cancelled', filled()],
    ['a cancel', 'order 1, which is cancelled', cancelled],
    ['a change', 'position 1, which is closed', changed({ changedBaseAtoms: 10, signedBaseAtoms: 110 })],
    ['funding', 'position 1, which is closed', paid],
  ])('rejects %s as damage', (_, message, event) => {
    fold(accepted(), changed());
    store.fold(() => {
      store.orders.put({ ...store.orders.find(1 as never)!, status: 'cancelled' });
      store.episodes.put({ ...store.episodes.find(1 as never)!, status: 'closed' });
      return store.checkpoint;
    });
    expect(() => fold(event)).toThrow(`an event changes ${message}`);
  });
});

test('stores a transfer by its sequence', () => {
  fold({ type: 'CashTransferred', from: 1, to: 2, amountAtoms: 700, reference: 'agent-1' });
  fold({ type: 'CashTransferred', from: 2, to: 1, amountAtoms: 70, reference: '' });
  expect(rowsOf('transfers')).toEqual([
    { sequence: 2, fromAccount: 1, toAccount: 2, amountAtoms: 700, reference: 'agent-1', transferredAtEpochMs: 1_002 },
    { sequence: 3, fromAccount: 2, toAccount: 1, amountAtoms: 70, reference: '', transferredAtEpochMs: 1_003 },
  ]);
});

describe('funding', () => {
  const settled = { type: 'FundingSettled', market: 1, ratePpb: -12_500, indexPriceAtoms: 10_000, perLotMicroAtoms: -12_500_000 };
  const paid = { type: 'FundingPaid', position: 1, account: 1, market: 1, entryNotionalAtoms: 100_000_000 };

  test('is stored by period when settled, with the newest in the market', () => {
    fold({ ...settled, period: 7, settledAtEpochMs: 900 });
    fold({ ...settled, period: 8, ratePpb: 300, settledAtEpochMs: 990 });
    const { type: _, ...row } = settled;
    expect(rowsOf('fundingPeriods')).toEqual([
      { ...row, period: 7, settledAtEpochMs: 900, sequence: 2 },
      { ...row, period: 8, ratePpb: 300, settledAtEpochMs: 990, sequence: 3 },
    ]);
    expect(rowsOf('marketActivity')).toMatchObject([
      { lastFundingPeriod: 8, lastFundingRatePpb: 300, lastFundingAtEpochMs: 990 },
    ]);
  });

  test('is stored by position and period when paid, and adds up in the episode', () => {
    fold(changed());
    fold({ ...paid, period: 7, paidAtoms: 1_250, marginAtoms: 4_998_750 });
    fold({ ...paid, period: 8, paidAtoms: -250, marginAtoms: 4_999_000, entryNotionalAtoms: 100_000_010 });
    // The margin pays 400 of it, and the rest is added to the entry.
    fold({ ...paid, period: 9, paidAtoms: 1_000, marginAtoms: 4_998_600, entryNotionalAtoms: 100_000_610 });
    const row = { account: 1, market: 1, position: 1 };
    expect(rowsOf('fundingPayments')).toEqual([
      { ...row, period: 7, paidAtoms: 1_250, fromMarginAtoms: 1_250, paidAtEpochMs: 1_003, sequence: 3 },
      { ...row, period: 8, paidAtoms: -250, fromMarginAtoms: -250, paidAtEpochMs: 1_004, sequence: 4 },
      { ...row, period: 9, paidAtoms: 1_000, fromMarginAtoms: 400, paidAtEpochMs: 1_005, sequence: 5 },
    ]);
    expect(rowsOf('episodes')).toMatchObject([
      {
        status: 'open',
        signedBaseAtoms: 100,
        marginAtoms: 4_998_600,
        entryNotionalAtoms: 100_000_610,
        fundingPaidAtoms: 1_400,
        updatedAtEpochMs: 1_005,
        lastSequence: 5,
      },
    ]);
    expect(() => fold({ ...paid, position: 5, period: 8, paidAtoms: 1, marginAtoms: 1 })).toThrow(/position 5/);
  });
});

test('events without a change change no row', () => {
  const tables = ['orders', 'fills', 'trades', 'episodes', 'accounts', 'marketActivity', 'ledgers', 'candles'];
  fold(changed());
  const before = tables.map(rowsOf);
  fold({ type: 'CommandRefused', code: 'account_retired', order: 0, bound: 0 });
  fold({ type: 'EntryRefused', index: 0, code: 'account_retired', order: 0, bound: 0 });
  fold({ type: 'MarketWorkPending', market: 1 });
  fold({
    type: 'LiquidationStarted',
    position: 1,
    account: 1,
    market: 1,
    markPriceAtoms: 9_000,
    equityAtoms: -1,
    maintenanceRequirementAtoms: 1,
    bankruptcyPriceAtoms: 9_500,
  });
  expect(tables.map(rowsOf)).toEqual(before);
});

test('stores every ledger of the venue', () => {
  for (const [place, ledger] of ['fees', 'deficit', 'insurance', 'funding', 'withdrawals'].entries())
    fold({ type: 'LedgerPosted', ledger, amountAtoms: 1, balanceAtoms: place });
  fold({ type: 'LedgerPosted', ledger: 'insurance', amountAtoms: 5, balanceAtoms: 7 });
  const balances = Object.fromEntries(rowsOf('ledgers').map(({ ledger, balanceAtoms }) => [ledger, balanceAtoms]));
  expect(balances).toEqual({ fees: 0, deficit: 1, insurance: 7, funding: 3, withdrawals: 4 });
});

test('throws for an unhandled event', () => {
  expect(() => fold({ type: 'MoonLanded' })).toThrow(/unhandled event.*MoonLanded/);
});
