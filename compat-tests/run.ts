/** Runs every check against a venue and counts each method: passed, failed, or not claimed by `has`. */
import type { MarketInterface } from 'ccxt';
import ccxt from 'ccxt';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { ACCOUNT_CHECKS } from './own/account.ts';
import { MARKET_DATA_CHECKS } from './own/market-data.ts';
import { TRADING_CHECKS } from './own/trading.ts';
import type { OwnCheck } from './own-check.ts';
import { type CompatReport, type MethodResult, reportOf } from './report.ts';
import { type Stage, setStage, strikeStage, withExactReservation } from './stage.ts';
import { argumentsFor } from './unclaimed.ts';
import { describe, runUpstream, UPSTREAM_METHODS } from './upstream.ts';

const OWN_CHECKS: readonly OwnCheck[] = [...MARKET_DATA_CHECKS, ...ACCOUNT_CHECKS, ...TRADING_CHECKS];

/** Keys of `has` that are facts, or methods of the socket variant of REST, and not unified methods of their own. */
const NOT_METHODS = /^(?:publicAPI|privateAPI|CORS|sandbox|spot|margin|swap|future|option|index|ws)$|Ws$/;

/**
 * Rejects when the checks cannot be run at all: no venue there, a key that is not accepted, an account that is not idle.
 * The account is traded with, and left without orders and positions.
 */
export async function runChecks(url: string, apiKey: string): Promise<CompatReport> {
  const another = (config: object) => new OpenPerp({ apiKey, urls: { api: { rest: url } }, ...config });
  const exchange = another({});
  const loadMarkets = await checkUpstream('loadMarkets', exchange, '', '');
  await exchange.loadMarkets();
  const symbol = mostKnown(exchange);
  const { settle = '' } = exchange.market(symbol) as MarketInterface;
  const balance = await withExactReservation(exchange, symbol, () => checkUpstream('fetchBalance', exchange, symbol, settle));
  const stage = await setStage(exchange, another, symbol);
  const results = [loadMarkets, balance];
  try {
    const upstream = UPSTREAM_METHODS.filter(
      (method) => method !== 'loadMarkets' && method !== 'fetchBalance' && exchange.has[method],
    );
    for (const method of upstream) results.push(await checkUpstream(method, exchange, symbol, settle));
    for (const method of claimedMethods(exchange)) results.push(...(await checkOwn(method, stage)));
  } finally {
    await strikeStage(stage);
  }
  const unasked = another({});
  unasked.setMarkets(exchange.markets);
  for (const method of unclaimedMethods(exchange)) results.push(await checkUnclaimed(method, unasked));
  return reportOf(url, symbol, results);
}

function mostKnown({ symbols, markets }: OpenPerp): string {
  const active = symbols.filter((symbol) => markets?.[symbol]?.active === true);
  const symbol = active.find((candidate) => candidate.startsWith('BTC/')) ?? active[0];
  if (symbol === undefined) throw new Error('the venue has no open market');
  return symbol;
}

function claimedMethods({ has }: OpenPerp): readonly string[] {
  return Object.keys(has).filter((key) => has[key] && !NOT_METHODS.test(key));
}

function unclaimedMethods({ has }: OpenPerp): readonly string[] {
  return Object.keys(has).filter((key) => !has[key] && !NOT_METHODS.test(key));
}

async function checkUpstream(method: string, exchange: OpenPerp, symbol: string, code: string): Promise<MethodResult> {
  return result(method, 'ccxt 2.9.8', await runUpstream(method, exchange, symbol, code));
}

/** A claimed method that nobody checks is a failure: a claim needs a proof. */
async function checkOwn(method: string, stage: Stage): Promise<readonly MethodResult[]> {
  const checks = OWN_CHECKS.filter((check) => check.method === method);
  if (checks.length === 0)
    return UPSTREAM_METHODS.includes(method) ? [] : [result(method, 'ours', ['claimed, but nothing checks it'])];
  const problems: string[] = [];
  for (const check of checks) {
    try {
      await check.run(stage);
    } catch (error) {
      problems.push(`${check.says}: ${describe(error)}`);
    }
  }
  return [result(method, 'ours', problems)];
}

/** On an exchange of its own that knows the markets and whose requests are counted instead of sent. */
async function checkUnclaimed(method: string, exchange: OpenPerp): Promise<MethodResult> {
  const call = Reflect.get(exchange, method);
  const source = UPSTREAM_METHODS.includes(method) ? 'ccxt 2.9.8' : 'ours';
  if (typeof call !== 'function') return { method, source, outcome: 'notClaimed' };
  let requests = 0;
  exchange.fetch = async () => {
    requests += 1;
    throw new ccxt.NetworkError('not to be sent');
  };
  const error = await Promise.resolve()
    .then(() => Reflect.apply(call, exchange, argumentsFor(method)))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error instanceof ccxt.NotSupported && requests === 0) return { method, source, outcome: 'notClaimed' };
  const problem = error === undefined ? 'not claimed, but it works' : `not claimed, but: ${describe(error)}`;
  return result(method, source, [problem]);
}

function result(method: string, source: MethodResult['source'], problems: readonly string[]): MethodResult {
  return problems.length === 0 ? { method, source, outcome: 'pass' } : { method, source, outcome: 'fail', problems };
}
