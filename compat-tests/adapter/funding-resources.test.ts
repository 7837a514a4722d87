/** Funding and transfers in the class: signs, oldest first, no duplicates. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange();

describe('funding', () => {
  const rate = {
    symbol: SYMBOL,
    fundingRate: -0.0000125,
    fundingTimestamp: 1_763_672_400_000,
    fundingDatetime: '2025-11-20T21:00:00.000Z',
    previousFundingRate: 0.00002,
    previousFundingTimestamp: 1_763_668_800_000,
    markPrice: 66_000,
    indexPrice: 65_990.5,
    interestRate: 0.0000125,
    interval: '1h',
    timestamp: 1_763_670_000_123,
  };

  test('has the rates of the current and the last period, and their length', async () => {
    expect(await canned.exchange.fetchFundingRates()).toMatchObject({ [SYMBOL]: rate });
  });

  test.each([
    ['3600000', '1h'],
    ['28800000', '8h'],
    ['300000', '5m'],
    ['5400000', '90m'],
    ['2000', '2s'],
  ])('renders a period of %s ms as %s', (ms, interval) => expect(canned.exchange.parseFundingInterval(ms)).toBe(interval));

  test('lists settled rates, oldest first', async () => {
    const rates = await canned.exchange.fetchFundingRateHistory(SYMBOL, undefined, 2);
    expect(rates).toMatchObject([
      { symbol: SYMBOL, fundingRate: -0.0000125, timestamp: 1_763_665_200_000 },
      { symbol: SYMBOL, fundingRate: 0.00002, timestamp: 1_763_668_800_000, datetime: '2025-11-20T20:00:00.000Z' },
    ]);
    expect(canned.requestedPaths()).toEqual(['/v1/markets/BTC-USD-PERP/funding?limit=2']);
  });

  test('has negative amounts for paid and positive ones for received funding', async () => {
    const payments = await canned.exchange.fetchFundingHistory(SYMBOL, 1_763_660_000_000);
    expect(payments.map(({ id, amount, code, symbol }) => ({ id, amount, code, symbol }))).toEqual([
      { id: '3-7', amount: -0.39, code: 'USD.E', symbol: SYMBOL },
      { id: '3-6', amount: 0.000125, code: 'USD.E', symbol: SYMBOL },
    ]);
    expect(canned.requestedPaths().at(-1)).toBe(
      '/v1/accounts/acct-7/funding?since=1763660000000&limit=500&marketId=BTC-USD-PERP',
    );
  });
});

describe('transfers', () => {
  test('reads all pages, and lists a transfer that changed meanwhile once, in its newest state', async () => {
    const rows = (await canned.exchange.fetchDepositsWithdrawals()).map(({ id, type, status, amount, txid, updated }) => [
      ...[id, type, status],
      ...[amount, txid, updated],
    ]);
    expect(rows).toEqual([
      ['deposit-1', 'deposit', 'ok', 10_000, 'event-1', 1_763_660_000_000],
      ['withdrawal-2', 'withdrawal', 'canceled', 1.5, undefined, 1_763_660_000_002],
      ['withdrawal-1', 'withdrawal', 'ok', 1.5, 'event-2', 1_763_660_000_003],
    ]);
    expect(canned.requestedPaths().slice(-2)).toEqual([
      '/v1/accounts/acct-7/transfers?limit=100',
      '/v1/accounts/acct-7/transfers?limit=100&cursor=more',
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN, 'abc', {}])('refuses the limit %o', async (limit) => {
    for (const method of ['fetchDeposits', 'fetchWithdrawals', 'fetchDepositsWithdrawals', 'fetchTransactions'] as const)
      await expect(canned.exchange[method]('USD.E', undefined, limit as number)).rejects.toThrow(ccxt.BadRequest);
    expect(canned.requestedPaths()).toEqual([]);
  });

  test('applies the limit to the newest without since, and to the first with it, in the fewest pages', async () => {
    expect((await canned.exchange.fetchDepositsWithdrawals('USD.E', undefined, 1)).map(({ id }) => id)).toEqual(['withdrawal-1']);
    canned.recorder.clear();
    const [first, ...more] = await canned.exchange.fetchDeposits('USD.E', 1_763_660_000_000, 1);
    expect([first, more.length]).toMatchObject([{ id: 'deposit-1', fee: { cost: 0, currency: 'USD.E' } }, 0]);
    const { path } = canned.recorder.requests[0]!;
    expect(canned.recorder.requests).toHaveLength(1);
    expect(Object.fromEntries(new URL(path, canned.recorder.url).searchParams)).toEqual({
      kind: 'deposit',
      limit: '100',
      since: '1763660000000',
    });
  });
});
