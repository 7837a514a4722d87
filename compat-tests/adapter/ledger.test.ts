/** The ledger in the class: types, signs and references of each kind, oldest first. */
import ccxt from 'ccxt';
import { expect, test } from 'vitest';
import { cannedExchange } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange();

test('has an entry of each kind in the terms of ccxt, oldest first', async () => {
  const entries = await canned.exchange.fetchLedger();
  expect(entries.map((entry) => [entry.id, entry.type, entry.direction, entry.amount, entry.referenceId])).toEqual([
    ['record-3-0', 'transaction', 'in', 10_000, 'deposit-3'],
    ['record-4-1', 'transaction', 'out', 1.5, 'withdrawal-2'],
    ['record-5-2', 'transaction', 'in', 1.5, 'withdrawal-2'],
    ['record-6-1', 'transfer', 'in', 0.000001, undefined],
    ['record-7-2', 'settlement', 'out', 0.5, '3'],
    ['funding-3-7', 'fee', 'out', 0.39, '3-7'],
    ['trade-42-realized_pnl', 'trade', 'in', 2.5, '7'],
    ['trade-42-trade_fee', 'fee', 'out', 0.120001, '7'],
    ['record-9-7', 'settlement', 'in', 5, '7'],
    ['record-9-8', 'fee', 'out', 1, '7'],
  ]);
  expect(entries.at(-1)).toMatchObject({
    account: 'acct-7',
    currency: 'USD.E',
    status: 'ok',
    timestamp: 1_763_668_800_002,
    datetime: '2025-11-20T20:00:00.002Z',
    before: undefined,
    after: undefined,
    info: { kind: 'liquidation_fee', tradeId: '42' },
  });
  expect(canned.requestedPaths()).toEqual(['/v1/api-keys/current', '/v1/accounts/acct-7/ledger?limit=500']);
});

test('passes since, until, limit and cursor on, and filters by code', async () => {
  const params = { until: 1_763_668_900_000, cursor: 'next' };
  expect(await canned.exchange.fetchLedger('USD.E', 1_763_668_800_001, 3, params)).toHaveLength(3);
  expect(canned.requestedPaths().at(-1)).toBe(
    '/v1/accounts/acct-7/ledger?since=1763668800001&limit=3&until=1763668900000&cursor=next',
  );
  await expect(canned.exchange.fetchLedger('XYZ')).rejects.toBeInstanceOf(ccxt.ExchangeError);
});
