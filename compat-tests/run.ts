/** Runs every suite against a venue and counts each method: passed, failed, or not claimed by `has`. */
import type { Exchange } from 'ccxt';
import { type Cast, gatherCast } from './cast.ts';
import { comparePlacements, compareReads } from './differential.ts';
import { Findings } from './findings.ts';
import { verifyFixtures } from './fixtures/verify.ts';
import { claimedMethods } from './has-keys.ts';
import { judge } from './judgement.ts';
import type { Checkout } from './modern/checkout.ts';
import { runModernSuite } from './modern/run.ts';
import { ACCOUNT_CHECKS } from './own/account.ts';
import { FUNDING_CHECKS } from './own/funding.ts';
import { HISTORY_CHECKS } from './own/history.ts';
import { LEVERAGE_CHECKS } from './own/leverage.ts';
import { MARKET_DATA_CHECKS } from './own/market-data.ts';
import { TRADING_CHECKS } from './own/trading.ts';
import { type OwnCheck, runOwn } from './own-check.ts';
import type { CompatReport, Suite } from './report.ts';
import { checkSockets, watchWholeBalance } from './socket-suites.ts';
import { type Stage, setStage, strikeStage, withExactReservation } from './stage.ts';
import { runUpstream, UPSTREAM_METHODS } from './upstream.ts';
import { V2_CHECKS } from './v2/checks.ts';
import { SUPPLIED } from './v2/pass-through.ts';
import { describe, saidBy } from './watched.ts';

const OWN_CHECKS: readonly OwnCheck[] = [
  ...MARKET_DATA_CHECKS,
  ...FUNDING_CHECKS,
  ...ACCOUNT_CHECKS,
  ...HISTORY_CHECKS,
  ...LEVERAGE_CHECKS,
  ...TRADING_CHECKS,
  ...V2_CHECKS,
];

/** Asked of the market that has settled most often, so that there is something to see. */
const SETTLED = 'fetchFundingRateHistory';

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  /** Whether the suite booted the venue for itself: then there is something of everything, and what is not there is a failure. */
  readonly isBooted: boolean;
  /** A source tree of ccxt, whose tests are run as well. */
  readonly checkout?: Checkout | undefined;
}

/**
 * Rejects when the checks cannot be run at all: no venue there, a key that is not accepted, and what else they need.
 * The account is traded with, and left without orders and positions.
 */
export async function runChecks({ url, apiKey, isBooted, checkout }: Target): Promise<CompatReport> {
  const findings = new Findings({ isBooted });
  const cast = await gatherCast(url, apiKey);
  const { byClass, byV2, symbol } = cast;
  await leavingNothing(cast, async () => {
    await checkFresh(cast, checkout, findings);
    const stage = await setStage(byClass, cast.anotherByClass, cast);
    await checkSurface(stage, 'upstream', 'own', findings);
    await checkSurface({ ...stage, surface: 'v2', exchange: byV2, another: cast.anotherByV2 }, 'v2Upstream', 'v2Own', findings);
    findings.supplied(SUPPLIED);
    await compare(cast, stage, findings);
    await checkSockets(cast, stage, checkout, findings);
    if (checkout !== undefined) await checkModern(cast, stage, checkout, findings);
  });
  findings.noteAll('fixtures', await verifyFixtures());
  const names = checkout === undefined ? {} : { modern: `ccxt ${checkout.version}` };
  return findings.report({ url, symbol, names, methods: await judge(cast, findings) });
}

/** Whatever happens; where it cannot be done the account has to be looked after by its owner. */
async function leavingNothing({ byClass, bySockets, ...markets }: Cast, run: () => Promise<void>): Promise<void> {
  const reasons: string[] = [];
  await run().catch((error: unknown) => reasons.push(saidBy(error)));
  await bySockets.close();
  await strikeStage(byClass, markets).catch((error: unknown) =>
    reasons.push(`the account may be left with orders and positions of the checks: ${saidBy(error)}`),
  );
  if (reasons.length > 0) throw new Error(reasons.join('; '));
}

/** What wants an account on which nothing has happened, or nothing is held. */
async function checkFresh(cast: Cast, checkout: Checkout | undefined, findings: Findings): Promise<void> {
  const { anotherByClass, anotherByV2, byClass, bySockets, byV2, settings, symbol, settle } = cast;
  findings.note('upstream', 'loadMarkets', await runUpstream('loadMarkets', anotherByClass({}), '', ''));
  findings.note('v2Upstream', 'loadMarkets', await runUpstream('loadMarkets', anotherByV2({}), '', ''));
  await Promise.all([byV2.loadMarkets().catch(() => undefined), bySockets.loadMarkets()]);
  await watchWholeBalance(cast, findings);
  await withExactReservation(byClass, symbol, async () => {
    findings.note('upstream', 'fetchBalance', await runUpstream('fetchBalance', byClass, symbol, settle));
    findings.note('v2Upstream', 'fetchBalance', await runUpstream('fetchBalance', byV2, symbol, settle));
  });
  if (checkout !== undefined)
    await runModernSuite({ checkout, part: 'funded', settings, symbol, funded: symbol, code: settle, lacks: {} }, findings);
}

/** Every method that the exchange of the stage claims, by ccxt's own test and by ours. */
async function checkSurface(
  stage: Stage,
  upstream: 'upstream' | 'v2Upstream',
  own: 'own' | 'v2Own',
  findings: Findings,
): Promise<void> {
  const { exchange, symbol, funded, settle, surface, lacks } = stage;
  const isClaimed = (method: string) => claimedMethods(exchange).includes(method);
  const unlessLacking = async (suite: Suite, method: string, run: () => Promise<readonly string[]>) => {
    if (method in lacks) findings.lacking(suite, method, lacks[method] as string);
    else findings.note(suite, method, await run());
  };
  for (const method of UPSTREAM_METHODS)
    if (isClaimed(method) && !findings.has(upstream, method)) {
      const asked = method === SETTLED ? funded : symbol;
      await unlessLacking(upstream, method, () => runUpstream(method, exchange, asked, settle));
    }
  const checks = OWN_CHECKS.filter(({ method, on }) => on === surface || (on === undefined && isClaimed(method)));
  for (const check of checks) {
    // What only /v2 is asked is of its own making, and wants nothing that the account may lack.
    const lacking = await check.lacking?.(stage);
    if (lacking !== undefined) findings.lacking(own, check.method, lacking);
    else if (check.on === 'v2') findings.note(own, check.method, await runOwn(check, stage));
    else await unlessLacking(own, check.method, () => runOwn(check, stage));
  }
}

async function compare(sides: Cast, stage: Stage, findings: Findings): Promise<void> {
  const { symbol, amount, resting } = stage;
  const isOfBoth = (method: string) => [sides.byClass, sides.byV2].every(({ has }: Exchange) => Boolean(has[method]));
  try {
    findings.noteAll('differential', await compareReads(sides, symbol));
    findings.noteAll('differential', await comparePlacements(sides, { symbol, amount, price: resting.price }));
  } catch (error) {
    for (const method of claimedMethods(sides.byV2).filter(isOfBoth)) findings.note('differential', method, [describe(error)]);
  }
}

async function checkModern({ settings, symbol, settle }: Cast, { funded, lacks }: Stage, checkout: Checkout, findings: Findings) {
  for (const part of ['rest', 'static'] as const)
    await runModernSuite({ checkout, part, settings, symbol, funded, code: settle, lacks }, findings);
}
