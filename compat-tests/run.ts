/** Runs every suite against a venue and counts each method: passed, failed, or not claimed by `has`. */
import type { Exchange, MarketInterface } from 'ccxt';
import ccxt from 'ccxt';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { comparePlacements, compareReads } from './differential.ts';
import { Findings } from './findings.ts';
import { verifyFixtures } from './fixtures/verify.ts';
import { checkFact, claimedMethods, FACT_KEYS, unclaimedMethods } from './has-keys.ts';
import type { Checkout } from './modern/checkout.ts';
import { runModernSuite } from './modern/run.ts';
import { ACCOUNT_CHECKS } from './own/account.ts';
import { FUNDING_CHECKS } from './own/funding.ts';
import { HISTORY_CHECKS } from './own/history.ts';
import { MARKET_DATA_CHECKS } from './own/market-data.ts';
import { TRADING_CHECKS } from './own/trading.ts';
import type { OwnCheck } from './own-check.ts';
import { type CompatReport, checkedMethod, type MethodResult, unclaimedMethod } from './report.ts';
import { refuseUnlessIdle, type Stage, setStage, strikeStage, withExactReservation } from './stage.ts';
import { argumentsFor } from './unclaimed.ts';
import { runUpstream, UPSTREAM_METHODS } from './upstream.ts';
import { V2_CHECKS } from './v2/checks.ts';
import { OMISSIONS, PassThrough } from './v2/pass-through.ts';
import { describe } from './watched.ts';

const OWN_CHECKS: readonly OwnCheck[] = [
  ...MARKET_DATA_CHECKS,
  ...FUNDING_CHECKS,
  ...ACCOUNT_CHECKS,
  ...HISTORY_CHECKS,
  ...TRADING_CHECKS,
  ...V2_CHECKS,
];

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  /** A source tree of ccxt, whose tests are run as well. */
  readonly checkout?: Checkout | undefined;
}

/** Asked of the market that has settled most often, so that there is something to see. */
const SETTLED = 'fetchFundingRateHistory';

/**
 * Rejects when the checks cannot be run at all: no venue there, a key that is not accepted, an account that is not idle.
 * The account is traded with, and left without orders and positions.
 */
export async function runChecks({ url, apiKey, checkout }: Target): Promise<CompatReport> {
  const settings = { apiKey, urls: { api: { rest: url } } };
  const another = (config: object) => new OpenPerp({ ...settings, ...config });
  const exchange = another({});
  const findings = new Findings();
  findings.note('upstream', 'loadMarkets', await runUpstream('loadMarkets', exchange, '', ''));
  await exchange.loadMarkets();
  const symbol = mostKnown(exchange);
  const { settle = '' } = exchange.market(symbol) as MarketInterface;
  await refuseUnlessIdle(exchange);
  const accountId = (await exchange.fetchAccounts())[0]?.id as string;
  const anotherByV2 = (config: object) => new PassThrough({ ...settings, accountId, ...config });
  const byV2 = anotherByV2({});
  findings.note('v2Upstream', 'loadMarkets', await runUpstream('loadMarkets', byV2, '', ''));
  try {
    if (checkout !== undefined)
      await runModernSuite({ checkout, part: 'funded', settings, symbol, funded: symbol, code: settle }, findings);
    await withExactReservation(exchange, symbol, async () => {
      findings.note('upstream', 'fetchBalance', await runUpstream('fetchBalance', exchange, symbol, settle));
      findings.note('v2Upstream', 'fetchBalance', await runUpstream('fetchBalance', byV2, symbol, settle));
    });
    const stage = await setStage(exchange, another, symbol);
    await checkSurface(stage, 'upstream', 'own', findings);
    await checkSurface({ ...stage, surface: 'v2', exchange: byV2, another: anotherByV2 }, 'v2Upstream', 'v2Own', findings);
    findings.supplied('v2Upstream', OMISSIONS);
    await compare({ byClass: exchange, byV2 }, stage, findings);
    if (checkout !== undefined)
      for (const part of ['rest', 'static'] as const)
        await runModernSuite({ checkout, part, settings, symbol, funded: stage.funded, code: settle }, findings);
  } finally {
    await strikeStage({ exchange, symbol });
  }
  findings.noteAll('fixtures', await verifyFixtures());
  const told = { exchange, another, url };
  for (const key of FACT_KEYS) findings.note('own', key, await checkFact(key, told));
  const names = checkout === undefined ? {} : { modern: `ccxt ${checkout.version}` };
  return findings.report({ url, symbol, names, methods: await judge(exchange, another, findings) });
}

function mostKnown({ symbols, markets }: Exchange): string {
  const active = symbols.filter((symbol) => markets?.[symbol]?.active === true);
  const symbol = active.find((candidate) => candidate.startsWith('BTC/')) ?? active[0];
  if (symbol === undefined) throw new Error('the venue has no open market');
  return symbol;
}

/** Every method that the exchange of the stage claims, by ccxt's own test and by ours. */
async function checkSurface(
  stage: Stage,
  upstream: 'upstream' | 'v2Upstream',
  own: 'own' | 'v2Own',
  findings: Findings,
): Promise<void> {
  const { exchange, symbol, funded, settle, surface } = stage;
  for (const method of UPSTREAM_METHODS)
    if (exchange.has[method] && !findings.has(upstream, method)) {
      const asked = method === SETTLED ? funded : symbol;
      findings.note(upstream, method, await runUpstream(method, exchange, asked, settle));
    }
  const checks = OWN_CHECKS.filter(({ method, on }) => on === surface || (on === undefined && exchange.has[method]));
  for (const check of checks) findings.note(own, check.method, await runOwn(check, stage));
}

async function runOwn(check: OwnCheck, stage: Stage): Promise<readonly string[]> {
  try {
    await check.run(stage);
    return [];
  } catch (error) {
    return [`${check.says}: ${describe(error)}`];
  }
}

async function compare(sides: { byClass: Exchange; byV2: Exchange }, stage: Stage, findings: Findings): Promise<void> {
  const { symbol, amount, resting } = stage;
  const both = (method: string) => Boolean(sides.byClass.has[method]) && Boolean(sides.byV2.has[method]);
  try {
    findings.noteAll('differential', await compareReads(sides, symbol));
    findings.noteAll('differential', await comparePlacements(sides, { symbol, amount, price: resting.price }));
  } catch (error) {
    for (const method of claimedMethods(sides.byV2).filter(both)) findings.note('differential', method, [describe(error)]);
  }
}

/** Each key of `has` once: claimed, and found by the suites as it was; or not claimed, and refused. */
async function judge(
  exchange: Exchange,
  another: (config: object) => Exchange,
  findings: Findings,
): Promise<readonly MethodResult[]> {
  const { has } = exchange;
  const ofNoKey = findings.methods().filter((method) => !Object.hasOwn(has, method));
  const claimed = [...ofNoKey, ...claimedMethods(exchange), ...FACT_KEYS];
  const results = claimed.map((method) => checkedMethod(method, findings.of(method)));
  const unasked = another({});
  unasked.setMarkets(exchange.markets);
  for (const method of unclaimedMethods(exchange)) {
    const problems = await checkUnclaimed(method, unasked);
    results.push(
      unclaimedMethod(method, problems.length === 0 ? findings.of(method) : { ...findings.of(method), own: problems }),
    );
  }
  return results;
}

/** On an exchange of its own that knows the markets and whose requests are counted instead of sent. */
async function checkUnclaimed(method: string, exchange: Exchange): Promise<readonly string[]> {
  const call = Reflect.get(exchange, method);
  if (typeof call !== 'function') return [];
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
  if (error instanceof ccxt.NotSupported && requests === 0) return [];
  return [error === undefined ? 'not claimed, but it works' : `not claimed, but: ${describe(error)}`];
}
