/** ccxt's own tests of the socket methods, of those that ccxt 2.9.8 ships: each watches for ten seconds, so they run all at once. */
import { createRequire } from 'node:module';
import type { Exchange } from 'ccxt';
import { within } from './patience.ts';
import { describe, watched } from './watched.ts';

const MODULES = ['watchTicker', 'watchOrderBook', 'watchTrades', 'watchOHLCV', 'watchOrders', 'watchMyTrades'] as const;
/** It adds floats, so it is run where only whole sums are in use. */
const OF_WHOLE_SUMS = 'watchBalance';

/** The socket methods that ccxt 2.9.8 has a test of. */
export const UPSTREAM_SOCKET_METHODS: readonly string[] = [...MODULES, OF_WHOLE_SUMS];

/** Fewer answers than this in ten seconds would be a test of nothing. */
const LEAST_ANSWERS = 3;

type Module = (exchange: Exchange, symbol: string) => Promise<unknown>;
/** Each test has an exchange of its own: what fails on one socket is of one method. */
type Another = (config: object) => Exchange;

export async function runUpstreamSockets(another: Another, symbol: string): Promise<ReadonlyMap<string, readonly string[]>> {
  return quietly(async () => new Map(await Promise.all(MODULES.map((method) => runModule(method, another, symbol)))));
}

export async function runUpstreamBalance(another: Another, symbol: string): Promise<ReadonlyMap<string, readonly string[]>> {
  return quietly(async () => new Map([await runModule(OF_WHOLE_SUMS, another, symbol)]));
}

async function runModule(method: string, another: Another, symbol: string): Promise<[string, readonly string[]]> {
  const module: Module = createRequire(import.meta.url)(`ccxt-2/js/pro/test/Exchange/test.${method}.js`);
  const exchange = another({});
  const it = watched(exchange, method);
  try {
    await within(module(it.exchange, symbol), method);
    return [method, it.problems(LEAST_ANSWERS)];
  } catch (error) {
    return [method, [describe(error)]];
  } finally {
    await exchange.close().catch(() => undefined);
  }
}

/** The modules print every update. */
async function quietly<Result>(run: () => Promise<Result>): Promise<Result> {
  const { log } = console;
  console.log = () => undefined;
  try {
    return await run();
  } finally {
    console.log = log;
  }
}
