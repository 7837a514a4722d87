/**
 * The process that runs a checkout's own test runner with the class among its exchanges. It judges what the runner ignores: an
 * unsupported method, an empty response, a test that swallowed an error, did not finish, or never started.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exchange } from 'ccxt';
import { staticData } from '#compat/fixtures/files.ts';
import { describe, watched } from '#compat/watched.ts';
import { resolveToInstalled } from './checkout.ts';
import { SHIMS, skipReason } from './faults.ts';
import { ORDER_VARIABLE, type Part, type SuiteOrder } from './suite-order.ts';

/** The parts of the runner's class that this process uses or replaces. */
interface Runner {
  testFiles: Readonly<Record<string, unknown>>;
  checkedPublicTests: Readonly<Record<string, unknown>>;
  skippedMethods: Record<string, string>;
  requestTestsFailed: boolean;
  responseTestsFailed: boolean;
  init(exchangeId: string, symbol?: string, method?: string): Promise<unknown>;
  startTest(exchange: Exchange, symbol: string): Promise<unknown>;
  runStaticResponseTests(exchangeId: string): Promise<unknown>;
  expandSettings(exchange: Exchange): void;
  getExchangeCode(exchange: Exchange): string;
  testMethod(method: string, exchange: Exchange, args: readonly unknown[], isPublic: boolean): Promise<unknown>;
  loadStaticData(folder: string): unknown;
  loadMarketsFromFile(id: string): unknown;
  loadCurrenciesFromFile(id: string): unknown;
  testRequestStatically(exchange: Exchange, method: string, ...rest: readonly unknown[]): Promise<unknown>;
  testResponseStatically(exchange: Exchange, method: string, ...rest: readonly unknown[]): Promise<unknown>;
}

const FLAGS: Readonly<Record<Part, readonly string[]>> = {
  rest: ['--private'],
  funded: ['--privateOnly', '--fundedTests', 'createOrder()'],
  sockets: ['--private', '--ws'],
  static: ['--requestTests', '--responseTests'],
};

/** The tests that a part must run: without them the runner has skipped a phase. */
const CORE: Readonly<Record<Part, readonly string[]>> = {
  rest: ['fetchTicker', 'fetchBalance'],
  funded: ['createOrder'],
  sockets: ['watchTicker', 'watchBalance'],
  static: [],
};

/** Tested in the market with the most settlements, so that there is data. */
const SETTLED = 'fetchFundingRateHistory';
/** Tests without a method. */
const OF_NO_METHOD = ['features', 'loadMarkets'];

const order = JSON.parse(process.env[ORDER_VARIABLE] ?? '') as SuiteOrder;
const { checkout, part, symbol, funded, code, lacks, answerPath } = order;
const problems: Record<string, readonly string[]> = {};
const skipped: Record<string, string> = {};
const shimmed: Record<string, readonly string[]> = {};
const judgedStatically = new Set<string>();
let hasEnded = false;

process.on('exit', () => writeFileSync(answerPath, JSON.stringify({ hasEnded, problems, skipped, shimmed })));
// A test that waits forever is terminated, and reports its findings so far.
process.on('SIGTERM', () => process.exit(1));
// The runner reads its arguments from here, when it is imported.
process.argv.splice(2, Number.POSITIVE_INFINITY, 'openperp', ...(part === 'static' ? [] : [symbol]), ...FLAGS[part]);
resolveToInstalled(checkout, new URL('injected-ccxt.ts', import.meta.url).href);
const runnerAt = pathToFileURL(join(checkout.source, 'test', `tests.${checkout.extension}`)).href;
const TheirRunner = ((await import(runnerAt)) as { default: new () => Runner }).default;

class JudgedRunner extends TheirRunner {
  /** The last step of the runner before the process ends. */
  override async startTest(exchange: Exchange, chosen: string): Promise<unknown> {
    const result = await super.startTest(exchange, chosen);
    for (const method of CORE[part].filter(isUnseen)) problems[method] = ['the runner ended without its test'];
    if (part !== 'funded') await this.testTheRest(exchange);
    hasEnded = true;
    return result;
  }

  /** Runs tests that are in no list of the runner, except those of another part. */
  private async testTheRest(exchange: Exchange): Promise<void> {
    const isLeft = (method: string) => isUnseen(method) && this.isTested(method, exchange) && !CORE.funded.includes(method);
    for (const method of Object.keys(this.testFiles).filter(isLeft))
      await this.testMethod(method, exchange, [symbol], true).catch(() => undefined);
  }

  private isTested(method: string, exchange: Exchange): boolean {
    return method in this.testFiles && (Boolean(exchange.has[method]) || OF_NO_METHOD.includes(method));
  }

  override async runStaticResponseTests(id: string): Promise<unknown> {
    const result = await super.runStaticResponseTests(id);
    for (const kind of ['request', 'response'] as const)
      for (const method of Object.keys(staticData(kind).methods))
        if (!judgedStatically.has(`${kind} ${method}`))
          problems[method] = [...(problems[method] ?? []), `${kind}: the runner ended without its test`];
    hasEnded = true;
    return result;
  }

  override expandSettings(exchange: Exchange): void {
    super.expandSettings(exchange);
    this.skippedMethods = {};
  }

  /** The runner's currency may not exist on the venue, which would make every list empty. */
  override getExchangeCode(): string {
    return code;
  }

  override async testMethod(method: string, exchange: Exchange, args: readonly unknown[], isPublic: boolean): Promise<unknown> {
    // A public test that passed does not run again as a private one, and a test chosen by name runs alone.
    const isLeftOut = (!isPublic && method in this.checkedPublicTests) || (part === 'funded' && method !== 'createOrder');
    if (!this.isTested(method, exchange) || isLeftOut) return super.testMethod(method, exchange, args, isPublic);
    const reason = lacks[method] ?? skipReason(method, exchange);
    if (reason !== undefined) {
      skipped[method] = reason;
      return true;
    }
    const shims = SHIMS[method] ?? [];
    if (shims.length > 0) shimmed[method] = shims.map((shim) => shim.reason);
    const it = watched(exchange, method, Object.assign({}, ...shims.map(({ methods }) => methods(exchange, symbol))));
    problems[method] = ['the test did not finish'];
    try {
      await super.testMethod(method, it.exchange, method === SETTLED ? [funded] : args, isPublic);
    } catch (error) {
      problems[method] = [describe(error)];
      throw error;
    }
    problems[method] = OF_NO_METHOD.includes(method) ? [] : it.problems();
    return true;
  }

  override loadStaticData(folder: string): unknown {
    return { openperp: folder.includes('request') ? staticData('request') : staticData('response') };
  }

  override loadMarketsFromFile(): unknown {
    return staticData('markets');
  }

  override loadCurrenciesFromFile(): unknown {
    return staticData('currencies');
  }

  override async testRequestStatically(exchange: Exchange, method: string, ...rest: readonly unknown[]): Promise<unknown> {
    return this.judgeStatically(method, 'request', () => super.testRequestStatically(exchange, method, ...rest));
  }

  override async testResponseStatically(exchange: Exchange, method: string, ...rest: readonly unknown[]): Promise<unknown> {
    return this.judgeStatically(method, 'response', () => super.testResponseStatically(exchange, method, ...rest));
  }

  /** A static test reports failure by a flag of the whole run, and the reason by a printed line. */
  private async judgeStatically(method: string, kind: 'request' | 'response', run: () => Promise<unknown>): Promise<unknown> {
    const flag = kind === 'request' ? 'requestTestsFailed' : 'responseTestsFailed';
    this[flag] = false;
    const { log } = console;
    let reported = '';
    console.log = (...words: readonly unknown[]) => {
      reported = words.join(' ');
    };
    const failed = await run().then(
      () => (this[flag] ? [reported.replace(/\s+/g, ' ').slice(0, 400)] : []),
      (error: unknown) => [describe(error)],
    );
    console.log = log;
    judgedStatically.add(`${kind} ${method}`);
    problems[method] = [...(problems[method] ?? []), ...failed.map((problem) => `${kind}: ${problem}`)];
    // With the flag set the runner would end here, before the responses.
    this[flag] = false;
    return true;
  }
}

function isUnseen(method: string): boolean {
  return !(method in problems) && !(method in skipped);
}

const method = part === 'funded' ? 'createOrder()' : undefined;
await new JudgedRunner().init('openperp', part === 'static' ? undefined : symbol, method);
