/**
 * Compares each read of the class with the response of /v1 behind it: every field that the class sets, and as many structures as
 * resources, in their order.
 */
import assert from 'node:assert/strict';
import type { Exchange } from 'ccxt';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import type { Row } from '#compat/venue-account.ts';
import * as expected from './expected.ts';

export interface Reading {
  readonly method: string;
  readonly args: (stage: Stage) => readonly unknown[];
  /** The expected result for the last response of /v1. */
  readonly expect: (response: Row, stage: ReadStage) => unknown;
}

const rows = (response: Row, key: string) => response[key] as readonly Row[];
const noArgs = () => [];
const ofSymbol = ({ symbol }: Stage) => [symbol];
const ofFunded = ({ funded }: Stage) => [funded];
const ofSymbols = ({ symbol }: Stage) => [[symbol]];

/** The context of a resource. */
export type ReadStage = Pick<Stage, 'account' | 'symbol'>;
type OfRow = (row: Row, stage: ReadStage) => unknown;

/** Without a time /v1 returns the newest first, the class the oldest. */
const oldestFirst = (key: string, of: OfRow) => (response: Row, stage: ReadStage) =>
  rows(response, key)
    .map((row) => of(row, stage))
    .reverse();
const inOrder = (key: string, of: OfRow) => (response: Row, stage: ReadStage) => rows(response, key).map((row) => of(row, stage));
const bySymbol = (key: string, of: OfRow) => (response: Row, stage: ReadStage) =>
  Object.fromEntries(
    rows(response, key)
      .map((row) => [stage.account.symbolOfId(row.marketId), of(row, stage)] as const)
      .filter(([symbol]) => symbol === stage.symbol),
  );
const ofMarket = (key: string, of: OfRow) => (response: Row, stage: ReadStage) => of(response[key] as Row, stage);

const STATS_OF_ALL = ['fetchTickers', 'fetchBidsAsks', 'fetchMarkPrices'];
const ORDER_LISTS = ['fetchOrders', 'fetchOpenOrders', 'fetchClosedOrders', 'fetchCanceledOrders'];
const TRANSFERS = ['fetchDeposits', 'fetchWithdrawals', 'fetchDepositsWithdrawals', 'fetchTransactions'];
const POSITIONS = ['fetchPositions', 'fetchPositionsForSymbol'];

export const READINGS: readonly Reading[] = [
  { method: 'fetchTime', args: noArgs, expect: ({ serverTimeEpochMs }) => serverTimeEpochMs },
  {
    method: 'fetchStatus',
    args: noArgs,
    expect: (row) => ({ status: row.status === 'ready' ? 'ok' : 'maintenance', info: row }),
  },
  { method: 'fetchMarkets', args: noArgs, expect: inOrder('markets', expected.market) },
  { method: 'fetchTicker', args: ofSymbol, expect: expected.ticker },
  ...STATS_OF_ALL.map((method) => ({ method, args: ofSymbols, expect: bySymbol('stats', expected.ticker) })),
  { method: 'fetchLastPrices', args: ofSymbols, expect: bySymbol('markets', expected.lastPrice) },
  { method: 'fetchOpenInterest', args: ofSymbol, expect: expected.openInterest },
  { method: 'fetchOpenInterests', args: ofSymbols, expect: bySymbol('stats', expected.openInterest) },
  // Of the market with settlements.
  ...['fetchFundingRate', 'fetchFundingInterval'].map((method) => ({ method, args: ofFunded, expect: expected.fundingRate })),
  ...['fetchFundingRates', 'fetchFundingIntervals'].map((method) => ({
    method,
    args: ofSymbols,
    expect: bySymbol('stats', expected.fundingRate),
  })),
  { method: 'fetchFundingRateHistory', args: ofFunded, expect: oldestFirst('rates', expected.settledRate) },
  ...['fetchOrderBook', 'fetchL2OrderBook'].map((method) => ({ method, args: ofSymbol, expect: expected.book })),
  ...['fetchOHLCV', 'fetchIndexOHLCV'].map((method) => ({ method, args: ofSymbol, expect: inOrder('candles', expected.candle) })),
  { method: 'fetchTrades', args: ofSymbol, expect: oldestFirst('trades', expected.trade) },
  { method: 'fetchTradingFee', args: ofSymbol, expect: ofMarket('market', expected.tradingFee) },
  {
    method: 'fetchTradingFees',
    args: noArgs,
    expect: (response) =>
      Object.fromEntries(rows(response, 'markets').map((row) => [expected.tradingFee(row).symbol, expected.tradingFee(row)])),
  },
  { method: 'fetchLeverageTiers', args: ofSymbols, expect: bySymbol('markets', expected.tiers) },
  { method: 'fetchMarketLeverageTiers', args: ofSymbol, expect: ofMarket('market', expected.tiers) },
  { method: 'fetchAccounts', args: noArgs, expect: (row) => [{ id: row.accountId, type: 'swap', info: row }] },
  { method: 'fetchBalance', args: noArgs, expect: expected.balance },
  ...POSITIONS.map((method) => ({
    method,
    args: method === 'fetchPositions' ? ofSymbols : ofSymbol,
    expect: inOrder('positions', expected.position),
  })),
  { method: 'fetchPosition', args: ofSymbol, expect: (row, stage) => expected.position(rows(row, 'positions')[0] as Row, stage) },
  { method: 'fetchPositionsHistory', args: noArgs, expect: oldestFirst('positions', expected.closedPosition) },
  { method: 'fetchPositionsADLRank', args: ofSymbols, expect: inOrder('positions', expected.adlRank) },
  { method: 'fetchMarginMode', args: ofSymbol, expect: (row, { symbol }) => ({ symbol, marginMode: row.marginMode, info: row }) },
  { method: 'fetchFundingHistory', args: noArgs, expect: oldestFirst('payments', expected.payment) },
  ...TRANSFERS.map((method) => ({ method, args: noArgs, expect: inOrder('transfers', expected.transfer) })),
  { method: 'fetchOrder', args: ({ filled, symbol }) => [filled.id, symbol], expect: expected.order },
  { method: 'fetchOrder', args: ({ resting, symbol }) => [resting.id, symbol], expect: expected.order },
  ...ORDER_LISTS.map((method) => ({ method, args: ofSymbol, expect: oldestFirst('orders', expected.order) })),
  { method: 'fetchMyTrades', args: ofSymbol, expect: oldestFirst('fills', expected.trade) },
  {
    method: 'fetchOrderTrades',
    args: ({ filled, symbol }) => [filled.id, symbol],
    expect: oldestFirst('fills', expected.trade),
  },
];

export const V1_CHECKS: readonly OwnCheck[] = READINGS.map(({ method, args, expect }) => ({
  method,
  on: 'class',
  description: 'every field equals the response of /v1',
  run: async (stage) => {
    const { responses, result } = await recorded(stage, (exchange) => Reflect.get(exchange, method).apply(exchange, args(stage)));
    assertSame(result, expect(responses.at(-1) as Row, stage), method);
  },
}));

/** The result of a call, with the responses behind it. */
async function recorded({ another }: Stage, call: (exchange: Exchange) => Promise<unknown>) {
  const exchange = another({});
  await exchange.loadMarkets();
  await exchange.fetchBalance();
  const responses: unknown[] = [];
  const { fetch } = exchange;
  exchange.fetch = async (...request) => {
    const response = await fetch.apply(exchange, request);
    responses.push(structuredClone(response));
    return response;
  };
  return { responses, result: await call(exchange) };
}

/** Every expected field, by path: null and undefined are equal, and so are 0 and -0. */
export function assertSame(actual: unknown, wanted: unknown, path: string): void {
  if (Array.isArray(wanted)) {
    assert(Array.isArray(actual), `${path} is not a list`);
    assert.equal(actual.length, wanted.length, `${path} has ${actual.length} entries, and /v1 ${wanted.length}`);
    for (const [index, entry] of wanted.entries()) assertSame(actual[index], entry, `${path}[${index}]`);
  } else if (typeof wanted === 'object' && wanted !== null) {
    assert(typeof actual === 'object' && actual !== null, `${path} is ${String(actual)}`);
    for (const [key, value] of Object.entries(wanted)) assertSame(Reflect.get(actual, key), value, `${path}.${key}`);
  } else assert((actual ?? undefined) === (wanted ?? undefined), `${path} is ${String(actual)}, and /v1 says ${String(wanted)}`);
}
