/** Runs every check against a venue and counts each method: passed, failed, or not claimed by `has`. */
import type { MarketInterface } from 'ccxt';
import ccxt from 'ccxt';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { ACCOUNT_CHECKS } from './own/account.ts';
import { FUNDING_CHECKS } from './own/funding.ts';
import { HISTORY_CHECKS } from './own/history.ts';
import { MARKET_DATA_CHECKS } from './own/market-data.ts';
import { TRADING_CHECKS } from './own/trading.ts';
import type { OwnCheck } from './own-check.ts';
import { type CompatReport, checkedMethod, type MethodResult, reportOf, unclaimedMethod } from './report.ts';
import { refuseUnlessIdle, type Stage, setStage, strikeStage, withExactReservation } from './stage.ts';
import { argumentsFor } from './unclaimed.ts';
import { describe, runUpstream, UPSTREAM_METHODS } from './upstream.ts';

const OWN_CHECKS: readonly OwnCheck[] = [
  ...MARKET_DATA_CHECKS,
  ...FUNDING_CHECKS,
  ...ACCOUNT_CHECKS,
  ...HISTORY_CHECKS,
  ...TRADING_CHECKS,
];

/** Keys of `has` that are facts, or methods of the socket variant of REST, and not unified methods of their own. */
const NOT_METHODS = /^(?:publicAPI|privateAPI|CORS|sandbox|spot|margin|swap|future|option|index|ws)$|Ws$/;

/** Asked of the market that has settled most often, so that there is something to see. */
const SETTLED = 'fetchFundingRateHistory';

/**
 * Rejects when the checks cannot be run at all: no venue there, a key that is not accepted, an account that is not idle.
 * The account is traded with, and left without orders and positions.
 */
export async function runChecks(url: string, apiKey: string): Promise<CompatReport> {
  const another = (config: object) => new OpenPerp({ apiKey, urls: { api: { rest: url } }, ...config });
  const exchange = another({});
  const upstream = new Map([['loadMarkets', await runUpstream('loadMarkets', exchange, '', '')]]);
  const own = new Map<string, readonly string[]>();
  await exchange.loadMarkets();
  const symbol = mostKnown(exchange);
  const { settle = '' } = exchange.market(symbol) as MarketInterface;
  await refuseUnlessIdle(exchange);
  const byModule = async (method: string) => upstream.set(method, await runUpstream(method, exchange, symbol, settle));
  try {
    await withExactReservation(exchange, symbol, () => byModule('fetchBalance'));
    const stage = await setStage(exchange, another, symbol);
    upstream.set(SETTLED, await runUpstream(SETTLED, exchange, stage.funded, settle));
    for (const method of UPSTREAM_METHODS) if (exchange.has[method] && !upstream.has(method)) await byModule(method);
    for (const method of claimedMethods(exchange)) {
      const checks = OWN_CHECKS.filter((check) => check.method === method);
      if (checks.length > 0) own.set(method, await runOwn(checks, stage));
    }
  } finally {
    await strikeStage({ exchange, symbol });
  }
  const claimed = ['loadMarkets', ...claimedMethods(exchange)].map((method) =>
    checkedMethod(method, { upstream: upstream.get(method), own: own.get(method) }),
  );
  const unasked = another({});
  unasked.setMarkets(exchange.markets);
  const unclaimed: MethodResult[] = [];
  for (const method of unclaimedMethods(exchange)) unclaimed.push(await checkUnclaimed(method, unasked));
  return reportOf(url, symbol, [...claimed, ...unclaimed]);
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

/** What is wrong with a method by our checks of it; empty when nothing is. */
async function runOwn(checks: readonly OwnCheck[], stage: Stage): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const check of checks) {
    try {
      await check.run(stage);
    } catch (error) {
      problems.push(`${check.says}: ${describe(error)}`);
    }
  }
  return problems;
}

/** On an exchange of its own that knows the markets and whose requests are counted instead of sent. */
async function checkUnclaimed(method: string, exchange: OpenPerp): Promise<MethodResult> {
  const call = Reflect.get(exchange, method);
  if (typeof call !== 'function') return unclaimedMethod(method);
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
  if (error instanceof ccxt.NotSupported && requests === 0) return unclaimedMethod(method);
  const problem = error === undefined ? 'not claimed, but it works' : `not claimed, but: ${describe(error)}`;
  return checkedMethod(method, { own: [problem] });
}
