/**
 * Faults of ccxt's own Python tests, by method, file and line (of 4.4.87): each fails the test for any exchange. They are fixed
 * in the copy that runs, if present, and listed in the report; a test that cannot be fixed is skipped.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Mode = 'sync' | 'async';

export interface PythonFault {
  readonly method: string;
  /** Below `python/ccxt`; `{mode}` is replaced by the folder of the mode. */
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** Replaces every occurrence of the code in the copy; without it the test is skipped in these modes. */
  readonly mended?: string;
  /** Default: both. */
  readonly modes?: readonly Mode[];
  readonly reason: string;
}

const CREATE_ORDER = { method: 'createOrder', file: 'test/exchange/{mode}/test_create_order.py' };
const SHARED = { method: 'createOrder', file: 'test/exchange/base/test_shared_methods.py' };

export const PYTHON_FAULTS: readonly PythonFault[] = [
  {
    method: 'fetchMarkets',
    file: 'test/exchange/{mode}/test_fetch_markets.py',
    line: 21,
    code: 'isinstance(markets, dict)',
    mended: 'isinstance(markets, list)',
    reason: 'asserts that the list of markets is a dictionary',
  },
  {
    method: 'fetchMarkets',
    file: 'test/exchange/{mode}/test_fetch_markets.py',
    line: 22,
    code: 'list(markets.values())',
    mended: 'markets',
    reason: 'reads the list of markets as a dictionary',
  },
  {
    method: 'fetchLeverageTiers',
    file: 'test/exchange/{mode}/test_fetch_leverage_tiers.py',
    line: 20,
    code: "fetch_leverage_tiers(['symbol'])",
    mended: 'fetch_leverage_tiers([symbol])',
    reason: "requests the symbol 'symbol', the word itself",
  },
  {
    method: 'fetchLeverageTiers',
    file: 'test/exchange/{mode}/test_fetch_leverage_tiers.py',
    line: 19,
    code: "method = 'fetchLeverageTiers'",
    mended: "method, symbol = 'fetchLeverageTiers', symbol[0] if isinstance(symbol, list) else symbol",
    reason: 'adds the list of symbols that the runner gives it to a string',
  },
  {
    ...CREATE_ORDER,
    line: 15,
    code: 'from ccxt.base.decimal_to_precision import TICK_SIZE ',
    mended: 'import time; from ccxt.base.decimal_to_precision import TICK_SIZE ',
    reason: 'does not import time, which line 189 needs',
  },
  {
    ...CREATE_ORDER,
    line: 31,
    code: "exchange['id']",
    mended: 'exchange.id',
    reason: 'reads the exchange as a dictionary',
  },
  {
    ...CREATE_ORDER,
    line: 45,
    code: "balance[market['base']]['free']",
    mended: "balance.get(market['base'], {'free': 0})['free']",
    reason: 'reads the balance of the base currency, which an account that is settled in another never holds',
  },
  {
    ...CREATE_ORDER,
    line: 48,
    code: '+ initial_quote_balance +',
    mended: '+ str(initial_quote_balance) +',
    reason: 'adds a number to a string',
  },
  {
    ...CREATE_ORDER,
    line: 186,
    code: "+ amount + ' ' + price +",
    mended: "+ str(amount) + ' ' + str(price) +",
    reason: 'adds numbers to a string',
  },
  {
    ...CREATE_ORDER,
    line: 236,
    code: 'exchange.decimal_to_precision(final_amount, 2, ',
    mended: 'exchange.decimal_to_precision(final_amount, 1, ',
    reason: 'rounds up by decimal_to_precision, which ccxt asserts to truncate or round',
  },
  {
    ...CREATE_ORDER,
    line: 104,
    code: 'raise Error(',
    mended: 'raise Exception(',
    reason: 'raises an Error, which Python does not have',
  },
  {
    ...SHARED,
    line: 396,
    code: 'exchange[singular_fetch_name](',
    mended: 'getattr(exchange, singular_fetch_name)(',
    modes: ['sync'],
    reason: 'calls a method of the exchange as an entry of a dictionary',
  },
  {
    ...SHARED,
    line: 357,
    code: 'orderbook = exchange.fetch_order_book(symbol)',
    modes: ['async'],
    reason: 'does not await the order book that it shares with the test without asyncio',
  },
];

/** A fault in the tests of a tree, with its place. */
export interface FoundFault {
  readonly method: string;
  readonly mode: Mode;
  readonly isMended: boolean;
  readonly reason: string;
}

/** Fixes the fixable faults in the tests of a tree, and resolves with all faults found. */
export async function mendTests(tree: string): Promise<readonly FoundFault[]> {
  const found: FoundFault[] = [];
  for (const mode of ['sync', 'async'] as const)
    for (const { method, file, code, mended, modes = [mode], reason } of PYTHON_FAULTS) {
      const path = join('python', 'ccxt', file.replace('{mode}', mode));
      const text = await readFile(join(tree, path), 'utf8').catch(() => '');
      const at = text.indexOf(code);
      if (at < 0 || !modes.includes(mode)) continue;
      if (mended !== undefined) await writeFile(join(tree, path), text.replaceAll(code, mended));
      const place = `${path}:${text.slice(0, at).split('\n').length}`;
      found.push({ method, mode, isMended: mended !== undefined, reason: `the test ${reason} (${place})` });
    }
  return found;
}
