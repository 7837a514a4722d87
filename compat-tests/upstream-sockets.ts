/** ccxt's own tests of the socket methods that ccxt 2.9.8 ships: each watches for ten seconds, so they run in parallel. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { Exchange } from 'ccxt';
import { within } from './timeouts.ts';
import { describe, watched } from './watched.ts';

const MODULES = ['watchTicker', 'watchOrderBook', 'watchTrades', 'watchOHLCV', 'watchOrders', 'watchMyTrades'] as const;
/** Adds floats, so it runs when only integer amounts are in use. */
const OF_WHOLE_SUMS = 'watchBalance';

/** The socket methods that ccxt 2.9.8 tests. */
export const UPSTREAM_SOCKET_METHODS: readonly string[] = [...MODULES, OF_WHOLE_SUMS];

/** A test with fewer updates than this in ten seconds proves nothing. */
const MIN_RESPONSES = 3;
/** The number of updates that ends a short watch. */
const ENOUGH_RESPONSES = 10;
const WATCHED_MS = 10_000;

/** `short`: until ten updates, or ten seconds. */
export type WatchLength = 'whole' | 'short';

type Module = (exchange: Exchange, symbol: string) => Promise<unknown>;
/** Each test has its own exchange: a failure on its socket belongs to its method. */
type Another = (config: object) => Exchange;

type Problems = ReadonlyMap<string, readonly string[]>;

export async function runUpstreamSockets(another: Another, symbol: string, watch: WatchLength): Promise<Problems> {
  return quietly(async () => new Map(await Promise.all(MODULES.map((method) => runModule(method, another, symbol, watch)))));
}

export async function runUpstreamBalance(another: Another, symbol: string, watch: WatchLength): Promise<Problems> {
  return quietly(async () => new Map([await runModule(OF_WHOLE_SUMS, another, symbol, watch)]));
}

async function runModule(
  method: string,
  another: Another,
  symbol: string,
  watch: WatchLength,
): Promise<[string, readonly string[]]> {
  const exchange = another({});
  const it = watched(exchange, method);
  const isEnough = () => watch === 'short' && it.responded() >= ENOUGH_RESPONSES;
  const module = loadModule(method, () => Date.now() + (isEnough() ? WATCHED_MS : 0));
  try {
    await within(module(it.exchange, symbol), method);
    return [method, it.problems(MIN_RESPONSES)];
  } catch (error) {
    return [method, [describe(error)]];
  } finally {
    await exchange.close().catch(() => undefined);
  }
}

/** With its own clock, which ends the ten seconds. */
function loadModule(method: string, now: () => number): Module {
  const path = createRequire(import.meta.url).resolve(`ccxt-2/js/pro/test/Exchange/test.${method}.js`);
  const run = compileFunction(readFileSync(path, 'utf8'), ['module', 'require', 'Date'], { filename: path });
  const module: { exports?: Module } = {};
  run(module, createRequire(path), { now });
  return module.exports as Module;
}

/** Suppresses the output of the modules, which print every update. */
async function quietly<Result>(run: () => Promise<Result>): Promise<Result> {
  const { log } = console;
  console.log = () => undefined;
  try {
    return await run();
  } finally {
    console.log = log;
  }
}
