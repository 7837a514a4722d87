import { beforeEach, expect, test } from 'vitest';
import { MoneyOperations } from '#owner-page/src/venue/money-operations.ts';
import { RecordedPage, ScriptedVenue } from '#owner-page/testing/scripted-venue.ts';
import { AccountPanel } from './account.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const LIST = `GET ${ACCOUNT}/transfers`;

const transfer = (number: number, updatedAtEpochMs: number, status = 'credited') => ({
  transferId: `deposit-${number}`,
  kind: 'deposit',
  amountAtoms: '1',
  status,
  ledgerEventId: null,
  updatedAtEpochMs,
});

let venue: ScriptedVenue;
let account: AccountPanel;

beforeEach(() => {
  venue = new ScriptedVenue();
  venue.on(`GET ${ACCOUNT}`, { cashBalanceAtoms: '1', equityAtoms: '1', availableForOrdersAtoms: '1' });
  account = new AccountPanel(new RecordedPage(), new MoneyOperations(venue.client, 'acct-7'));
});

const shown = () => account.transfers.map(({ transferId, status }) => `${transferId} ${status}`);

test('lists all pages, newest change first, and then only what changed since', async () => {
  venue.on(
    LIST,
    { transfers: [transfer(1, 10), transfer(2, 20, 'requested')], nextCursor: 'next' },
    { transfers: [transfer(3, 30)], nextCursor: null },
  );
  venue.on(LIST, { transfers: [transfer(3, 30), transfer(2, 40, 'settled')], nextCursor: null });
  await account.load();
  expect(shown()).toEqual(['deposit-3 credited', 'deposit-2 requested', 'deposit-1 credited']);
  await account.load();
  expect(shown()).toEqual(['deposit-2 settled', 'deposit-3 credited', 'deposit-1 credited']);
  const queries = venue.sent.filter(({ route }) => route === LIST).map(({ query }) => query);
  expect(queries).toEqual(['limit=100&since=0', 'limit=100&since=0&cursor=next', 'limit=100&since=30']);
});

test('shows the newest ones first, and older ones on demand', async () => {
  const all = Array.from({ length: 45 }, (_, index) => transfer(index + 1, index + 1));
  venue.on(LIST, { transfers: all, nextCursor: null });
  await account.load();
  expect([account.transfers.length, account.hasMore, shown()[0]]).toEqual([20, true, 'deposit-45 credited']);
  account.showMore();
  account.showMore();
  expect([account.transfers.length, account.hasMore]).toEqual([45, false]);
});
