/**
 * ccxt's own unified-method tests: runs the modules of ccxt 2.9.8 one by one against the class over HTTP. A module accepts an
 * empty list and a swallowed error, so the results of its calls are checked here too.
 */
import { createRequire } from 'node:module';
import type { Exchange } from 'ccxt';
import { describe, watched } from './watched.ts';

type Arguments = 'nothing' | 'symbol' | 'code';

/** The modules that test a method, with their arguments after the exchange. */
const MODULES: Readonly<Record<string, Arguments>> = {
  loadMarkets: 'nothing',
  fetchMarkets: 'nothing',
  fetchCurrencies: 'nothing',
  fetchStatus: 'nothing',
  fetchTicker: 'symbol',
  fetchTickers: 'symbol',
  fetchOrderBook: 'symbol',
  fetchL2OrderBook: 'symbol',
  fetchOrderBooks: 'nothing',
  fetchOHLCV: 'symbol',
  fetchTrades: 'symbol',
  fetchTradingFee: 'symbol',
  fetchTradingFees: 'nothing',
  fetchLeverageTiers: 'symbol',
  fetchMarketLeverageTiers: 'symbol',
  fetchFundingRateHistory: 'symbol',
  fetchOpenInterestHistory: 'symbol',
  fetchBalance: 'nothing',
  fetchAccounts: 'nothing',
  fetchPositions: 'symbol',
  fetchOrders: 'symbol',
  fetchOpenOrders: 'symbol',
  fetchClosedOrders: 'symbol',
  fetchMyTrades: 'symbol',
  fetchDeposits: 'code',
  fetchWithdrawals: 'code',
  fetchTransactions: 'code',
  fetchTransactionFees: 'nothing',
  fetchLedger: 'code',
  fetchBorrowRate: 'code',
  fetchBorrowRates: 'nothing',
  fetchBorrowInterest: 'code',
  signIn: 'nothing',
};

/** The methods that ccxt 2.9.8 tests. */
export const UPSTREAM_METHODS: readonly string[] = Object.keys(MODULES);

type Module = (exchange: Exchange, ...rest: readonly string[]) => Promise<unknown>;

/** The problems of a claimed method by its upstream module; empty if there are no problems. */
export async function runUpstream(method: string, exchange: Exchange, symbol: string, code: string): Promise<readonly string[]> {
  const module: Module = createRequire(import.meta.url)(`ccxt-2/js/test/Exchange/test.${method}.js`);
  const rest = { nothing: [], symbol: [symbol], code: [code] }[MODULES[method] ?? 'nothing'];
  const it = watched(exchange, method);
  const { error, lines } = await silently(() => module(it.exchange, ...rest));
  if (error !== undefined) return [describe(error)];
  if (lines.some((line) => /not supported|skipping/.test(line))) return [`claimed, but the test says: ${lines.join(' ')}`];
  return it.problems();
}

/** Captures the output of the modules. Only one may run at a time. */
async function silently(run: () => Promise<unknown>): Promise<{ readonly error?: unknown; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...words: readonly unknown[]) => lines.push(words.join(' '));
  try {
    await run();
    return { lines };
  } catch (error) {
    return { error, lines };
  } finally {
    console.log = log;
  }
}
