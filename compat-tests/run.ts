/** Runs every suite against a venue and counts each method: passed, failed, or not claimed by `has`. */
import { type Cast, gatherCast } from './cast.ts';
import { comparePlacements, compareReads } from './differential.ts';
import { Findings } from './findings.ts';
import { verifyFixtures } from './fixtures/verify.ts';
import { claimedMethods } from './has-keys.ts';
import { judge } from './judgement.ts';
import type { Checkout } from './modern/checkout.ts';
import { ModernSuites } from './modern/run.ts';
import type { Assignment, Part, PythonPart } from './modern/suite-order.ts';
import { ACCOUNT_CHECKS } from './own/account.ts';
import { V1_CHECKS } from './own/against-v1.ts';
import { AMENDMENT_CHECKS } from './own/amendments.ts';
import { BOT_CHECKS } from './own/bot-methods.ts';
import { FUNDING_CHECKS } from './own/funding.ts';
import { HISTORY_CHECKS } from './own/history.ts';
import { LEVERAGE_CHECKS } from './own/leverage.ts';
import { MARKET_DATA_CHECKS } from './own/market-data.ts';
import { TRADING_CHECKS } from './own/trading.ts';
import { WAITING_ORDER_CHECKS } from './own/waiting-orders.ts';
import { type OwnCheck, runOwn } from './own-check.ts';
import type { CompatReport, Suite } from './report.ts';
import { checkSockets, watchWholeBalance } from './socket-suites.ts';
import { type Stage, setStage, strikeStage, withExactReservation } from './stage.ts';
import { runUpstream, UPSTREAM_METHODS } from './upstream.ts';
import type { WatchLength } from './upstream-sockets.ts';
import { V2_CHECKS } from './v2/checks.ts';
import { SUPPLIED } from './v2/pass-through.ts';
import { messageOf } from './watched.ts';

const OWN_CHECKS: readonly OwnCheck[] = [
  ...MARKET_DATA_CHECKS,
  ...FUNDING_CHECKS,
  ...ACCOUNT_CHECKS,
  ...HISTORY_CHECKS,
  ...LEVERAGE_CHECKS,
  ...BOT_CHECKS,
  ...TRADING_CHECKS,
  ...WAITING_ORDER_CHECKS,
  ...AMENDMENT_CHECKS,
  ...V1_CHECKS,
  ...V2_CHECKS,
];

/** Checked in the market with the most settlements, so that there is data. */
const SETTLED = 'fetchFundingRateHistory';

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  /** Whether the suite booted the venue itself: then missing data is a failure. */
  readonly isBooted: boolean;
  /** How long ccxt's own tests watch each socket method. */
  readonly watch?: WatchLength | undefined;
  /** A source tree of ccxt whose tests run too. */
  readonly checkout?: Checkout | undefined;
  /** The interpreter of its Python tests. */
  readonly python?: string | undefined;
}

/** Runs a part of the checkout's suites; does nothing without a checkout. */
type RunModern = (part: Part | PythonPart, stage?: Pick<Assignment, 'funded' | 'lacks'>) => Promise<void>;

/**
 * Rejects if the checks cannot run at all: no venue, a rejected API key, or another missing requirement. A fault of the class is
 * a row of the report. The checks trade on the account, and leave it without orders and positions.
 */
export async function runChecks({
  url,
  apiKey,
  isBooted,
  watch = 'whole',
  checkout,
  python = 'python3',
}: Target): Promise<CompatReport> {
  const findings = new Findings({ isBooted });
  const cast = await gatherCast(url, apiKey);
  const { account, symbol } = cast;
  const suites = checkout === undefined ? undefined : await ModernSuites.prepare(checkout, python);
  const modern: RunModern = async (part, { funded, lacks } = { funded: symbol, lacks: {} }) =>
    suites?.run(part, { settings: cast.settings, symbol, funded, code: cast.settle, lacks }, findings);
  try {
    await withCleanup(cast, async () => {
      await checkFresh(cast, watch, modern, findings);
      const stage = await setStage({ exchange: cast.byClass, another: cast.anotherByClass }, account, cast);
      await checkSurface(stage, 'upstream', 'own', findings);
      const ofV2: Stage = { ...stage, surface: 'v2', exchange: cast.byV2, another: cast.anotherByV2 };
      await checkSurface(ofV2, 'v2Upstream', 'v2Own', findings);
      findings.supplied(SUPPLIED);
      await compare(cast, stage, findings);
      await checkSockets(cast, stage, watch, modern, findings);
      for (const part of ['rest', 'static', 'pythonSync', 'pythonAsync'] as const) await modern(part, stage);
    });
  } finally {
    await suites?.dispose();
  }
  findings.noteAll('fixtures', await verifyFixtures());
  const names = checkout === undefined ? {} : { modern: `ccxt ${checkout.version}` };
  const languages = suites?.languages ?? [];
  return findings.report({ url, symbol, names, languages, methods: await judge(cast, findings) });
}

/** Cleans up in any case; if that fails, the owner of the account has to. */
async function withCleanup({ account, bySockets, ...markets }: Cast, run: () => Promise<void>): Promise<void> {
  const reasons: string[] = [];
  await run().catch((error: unknown) => reasons.push(messageOf(error)));
  await bySockets.close().catch(() => undefined);
  await strikeStage(account, markets).catch((error: unknown) =>
    reasons.push(`the account may be left with orders and positions of the checks: ${messageOf(error)}`),
  );
  if (reasons.length > 0) throw new Error(reasons.join('; '));
}

/** Checks that need an account without history, or without a position. */
async function checkFresh(cast: Cast, watch: WatchLength, modern: RunModern, findings: Findings): Promise<void> {
  const { account, anotherByClass, anotherByV2, byClass, byV2, symbol, settle } = cast;
  findings.note('upstream', 'loadMarkets', await runUpstream('loadMarkets', anotherByClass({}), '', ''));
  findings.note('v2Upstream', 'loadMarkets', await runUpstream('loadMarkets', anotherByV2({}), '', ''));
  await watchWholeBalance(cast, watch, findings);
  await withExactReservation(account, symbol, async () => {
    findings.note('upstream', 'fetchBalance', await runUpstream('fetchBalance', byClass, symbol, settle));
    findings.note('v2Upstream', 'fetchBalance', await runUpstream('fetchBalance', byV2, symbol, settle));
  });
  for (const part of ['funded', 'pythonSyncFunded', 'pythonAsyncFunded'] as const) await modern(part);
}

/** Every claimed method of the stage's exchange, by ccxt's own test and by ours. */
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
      const symbolOfMethod = method === SETTLED ? funded : symbol;
      await unlessLacking(upstream, method, () => runUpstream(method, exchange, symbolOfMethod, settle));
    }
  const checks = OWN_CHECKS.filter(({ method, on }) => on === surface || (on === undefined && isClaimed(method)));
  for (const check of checks) {
    // Checks of /v2 alone bring their own data, so the account lacks nothing.
    const lacking = await check.lacking?.(stage);
    if (lacking !== undefined) findings.lacking(own, check.method, lacking);
    else if (check.on === 'v2') findings.note(own, check.method, await runOwn(check, stage));
    else await unlessLacking(own, check.method, () => runOwn(check, stage));
  }
}

async function compare(cast: Cast, { symbol, amount, resting }: Stage, findings: Findings): Promise<void> {
  findings.noteAll('differential', await compareReads(cast, symbol));
  findings.noteAll('differential', await comparePlacements(cast, { symbol, amount, price: resting.price }));
}
