/**
 * What a run of the checks found, as data and as a table: one entry per method, whoever checks it. A method passes when
 * every check of it does: ccxt's own test where ccxt 2.9.8 ships one, and ours where that is content with too little.
 */

export type CheckResult = 'pass' | 'fail';

/** A suite of checks: ccxt's own tests, or ours. */
export type Suite = 'upstream' | 'own';

export interface MethodResult {
  readonly method: string;
  readonly result: CheckResult | 'notClaimed';
  /** What each suite that checks the method says; neither where the method is not claimed, as it should be. */
  readonly checks: Readonly<Partial<Record<Suite, CheckResult>>>;
  /** What was wrong, a line for each problem; absent on anything but a failure. */
  readonly reason?: string;
}

/** How many methods a suite checked, by what it says of them. */
export interface SuiteTotals {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

export interface CompatReport {
  readonly url: string;
  readonly symbol: string;
  /** Methods, each counted once: `passed + failed + notClaimed` is the length of `methods`. */
  readonly passed: number;
  readonly failed: number;
  readonly notClaimed: number;
  readonly suites: Readonly<Record<Suite, SuiteTotals>>;
  readonly methods: readonly MethodResult[];
}

/** What is wrong with a method by each suite that checks it; an empty list is a check that passed. */
export type Problems = Readonly<{ [suite in Suite]?: readonly string[] | undefined }>;

const NAMES: Readonly<Record<Suite, string>> = { upstream: 'ccxt 2.9.8', own: 'ours' };
const SUITES: readonly Suite[] = ['upstream', 'own'];

/** A method that no suite has looked at has not been shown to work. */
export function checkedMethod(method: string, problems: Problems): MethodResult {
  const judged = SUITES.some((suite) => problems[suite]) ? problems : { own: ['claimed, but nothing checks it'] };
  const checks: Partial<Record<Suite, CheckResult>> = {};
  const reasons: string[] = [];
  for (const suite of SUITES) {
    const found = judged[suite];
    if (found === undefined) continue;
    checks[suite] = found.length === 0 ? 'pass' : 'fail';
    reasons.push(...found.map((problem) => `${NAMES[suite]}: ${problem}`));
  }
  return reasons.length === 0
    ? { method, result: 'pass', checks }
    : { method, result: 'fail', checks, reason: reasons.join('\n') };
}

export function unclaimedMethod(method: string): MethodResult {
  return { method, result: 'notClaimed', checks: {} };
}

export function reportOf(url: string, symbol: string, methods: readonly MethodResult[]): CompatReport {
  const count = (wanted: MethodResult['result']) => methods.filter(({ result }) => result === wanted).length;
  const suite = (key: Suite): SuiteTotals => ({
    name: NAMES[key],
    passed: methods.filter(({ checks }) => checks[key] === 'pass').length,
    failed: methods.filter(({ checks }) => checks[key] === 'fail').length,
  });
  return {
    url,
    symbol,
    passed: count('pass'),
    failed: count('fail'),
    notClaimed: count('notClaimed'),
    suites: { upstream: suite('upstream'), own: suite('own') },
    methods,
  };
}

const LINE_WIDTH = 100;

/** The report for people: a line per claimed method, the unclaimed ones as a list, the counts at the end. */
export function renderReport(report: CompatReport): string {
  const { url, symbol, methods } = report;
  const claimed = methods.filter(({ result }) => result !== 'notClaimed');
  const width = Math.max(...claimed.map(({ method }) => method.length));
  const row = (...[method, upstream, own, result]: readonly [string, string, string, string]) =>
    `${method.padEnd(width)}  ${upstream.padEnd(10)}  ${own.padEnd(4)}  ${result}`;
  const rows = claimed.flatMap(({ method, checks, result, reason }) => [
    row(method, word(checks.upstream) ?? 'no module', word(checks.own) ?? '–', word(result) ?? ''),
    ...(reason?.split('\n').map((line) => `    ${line}`) ?? []),
  ]);
  const unclaimed = methods.filter(({ result }) => result === 'notClaimed').map(({ method }) => method);
  return [
    `ccxt unified methods of the class openperp, on ${url} with ${symbol}`,
    '',
    row('method', NAMES.upstream, NAMES.own, 'result'),
    ...rows,
    '',
    'not claimed, and refused with NotSupported before any request:',
    ...wrap(unclaimed),
    '',
    closingLine(report),
  ].join('\n');
}

function closingLine({ passed, failed, notClaimed, suites, methods }: CompatReport): string {
  const byUpstream = methods.filter(({ result, checks }) => result === 'pass' && checks.upstream === 'pass').length;
  const proof = `${byUpstream} of them by ${suites.upstream.name}'s own tests`;
  return `${passed} methods passed (${proof}), ${failed} failed, ${notClaimed} not claimed`;
}

/** A failure is to be seen in a long table. */
function word(result: string | undefined): string | undefined {
  return result === 'fail' ? 'FAIL' : result;
}

function wrap(names: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length + 1 <= LINE_WIDTH) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines;
}
