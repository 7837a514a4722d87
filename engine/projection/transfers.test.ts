/** Deposits and withdrawals, including changes in one millisecond. */
import { expect, test } from 'vitest';
import { transfer as schema, type TransferResource } from '#contract/transfers.ts';
import type { TransferQuery } from '#reads/reads.ts';
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { opened } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';

const account = 1 as AccountOrdinal;
const amountAtoms = 2_500_000 as QuoteAtoms;
const cashAtoms = 0 as QuoteAtoms;

const deposit = (to = 1): VenueEvent => ({
  type: 'CashPosted',
  account: to as AccountOrdinal,
  kind: 'deposit',
  amountAtoms,
  cashAtoms,
});
const reserved = (withdrawal: number): VenueEvent => ({
  type: 'WithdrawalReserved',
  withdrawal: withdrawal as WithdrawalOrdinal,
  account,
  amountAtoms,
  destination: 'party::x',
});
const ended = (type: 'WithdrawalReleased' | 'WithdrawalSettled', withdrawal: number): VenueEvent => ({
  type,
  withdrawal: withdrawal as WithdrawalOrdinal,
  account,
  amountAtoms,
});

function listed(feed: EventFeed, query: Partial<TransferQuery> = {}): readonly TransferResource[] {
  const { entries } = feed.reads.transfers({ account, limit: 100, ...query });
  for (const entry of entries) schema.parse(entry);
  return entries;
}

test('a deposit is credited; a withdrawal is reserved, then settled or released', () => {
  const feed = new EventFeed();
  feed.emit(opened(), opened({ account: 2 }));
  feed.emit(deposit());
  feed.emit(deposit(2));
  feed.emit(reserved(1));
  feed.emit(reserved(2));
  const money = { accountId: 'acct-1', depositId: null, asset: 'USD.E', amountAtoms: '2500000', amount: '2.5' };
  const first = { transferId: 'deposit-2', kind: 'deposit', ...money, status: 'credited', ledgerEventId: 'journal-2' };
  expect(listed(feed)).toEqual([
    { ...first, updatedAtEpochMs: 1_700_000_000_002, lastSequence: 2 },
    {
      transferId: 'withdrawal-1',
      kind: 'withdrawal',
      ...money,
      status: 'reserved',
      ledgerEventId: null,
      updatedAtEpochMs: 1_700_000_000_004,
      lastSequence: 4,
    },
    {
      transferId: 'withdrawal-2',
      kind: 'withdrawal',
      ...money,
      status: 'reserved',
      ledgerEventId: null,
      updatedAtEpochMs: 1_700_000_000_005,
      lastSequence: 5,
    },
  ]);
  feed.emit(ended('WithdrawalSettled', 1));
  feed.emit(ended('WithdrawalReleased', 2));
  expect(listed(feed, { kind: 'withdrawal' })).toMatchObject([
    { transferId: 'withdrawal-1', status: 'settled', ledgerEventId: 'journal-6', updatedAtEpochMs: 1_700_000_000_006 },
    { transferId: 'withdrawal-2', status: 'released', updatedAtEpochMs: 1_700_000_000_007 },
  ]);
  expect(listed(feed)[2]).toHaveProperty('ledgerEventId', null);
  expect(listed(feed, { kind: 'deposit' })).toMatchObject([{ transferId: 'deposit-2' }]);
  expect(listed(feed, { account: 2 as AccountOrdinal })).toMatchObject([{ transferId: 'deposit-3', accountId: 'acct-2' }]);
});

test('does not list transfers between accounts of the venue', () => {
  const feed = new EventFeed();
  feed.emit(opened(), opened({ account: 2 }));
  feed.emit(
    { type: 'CashTransferred', from: account, to: 2 as AccountOrdinal, amountAtoms, reference: '' },
    { type: 'CashPosted', account, kind: 'transfer_out', amountAtoms, cashAtoms },
  );
  expect(listed(feed)).toEqual([]);
});

test('filters by the time of the last change, since and until inclusive', () => {
  const feed = new EventFeed();
  feed.emit(opened());
  for (const event of [deposit(), reserved(1), deposit()]) feed.emit(event);
  const times = listed(feed).map(({ updatedAtEpochMs }) => updatedAtEpochMs);
  const [first, second, third] = times as [number, number, number];
  const shown = (query: Partial<TransferQuery>) => listed(feed, query).map(({ updatedAtEpochMs }) => updatedAtEpochMs);
  expect(shown({ sinceEpochMs: second })).toEqual([second, third]);
  expect(shown({ untilEpochMs: second })).toEqual([first, second]);
  expect(shown({ sinceEpochMs: second, untilEpochMs: second })).toEqual([second]);
  expect(shown({ sinceEpochMs: third + 1 })).toEqual([]);
});

test('skips no change in one millisecond, wherever a page ends', () => {
  const feed = new EventFeed();
  feed.emit(opened());
  feed.stepMs = 0;
  for (const event of [deposit(), reserved(1), deposit(), reserved(2)]) feed.emit(event);
  const begin = feed.now;
  expect(listed(feed).map(({ updatedAtEpochMs }) => updatedAtEpochMs - begin)).toEqual([0, 1, 2, 3]);
  const [page] = listed(feed, { limit: 1 });
  // In the same millisecond, shown and not yet shown transfers change, and one is added.
  feed.emit(ended('WithdrawalSettled', 1));
  feed.emit(deposit());
  feed.emit(ended('WithdrawalReleased', 2));
  const rest = listed(feed, { afterEpochMs: page!.updatedAtEpochMs });
  expect(rest.map(({ transferId, status }) => `${transferId} ${status}`)).toEqual([
    'deposit-4 credited',
    'withdrawal-1 settled',
    'deposit-7 credited',
    'withdrawal-2 released',
  ]);
  // The clock has advanced: the assigned time is the clock's again.
  feed.stepMs = 60_000;
  feed.emit(deposit());
  expect(listed(feed).at(-1)!.updatedAtEpochMs).toBe(feed.now);
});
