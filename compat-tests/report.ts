/**
 * What a run of the checks found, as data and as a table: one entry per method, a column per suite that looked at it. A method passes
 * when no suite finds a fault and a test of it finds none. What a suite had to be helped with, or could not be asked, is named beside it.
 */

export type CheckResult = 'pass' | 'fail' | 'skip';

/** Who checks: ccxt's own tests, ours, and both again on `/v2`. */
export const SUITES = [
  'upstream',
  'own',
  'modern',
  'pythonSync',
  'pythonAsync',
  'pythonSockets',
  'fixtures',
  'v2Upstream',
  'v2Own',
  'differential',
] as const;
export type Suite = (typeof SUITES)[number];

/** An empty list is a check that passed. */
export type Problems = readonly string[] | 'skipped';
export type ProblemsBySuite = Readonly<{ [suite in Suite]?: Problems | undefined }>;

export interface MethodResult {
  readonly method: string;
  /** A skip is of a method that the venue has nothing of to be checked by. */
  readonly result: 'pass' | 'fail' | 'skip' | 'notClaimed';
  /** What each suite that checks the method says. A method that is not claimed may be one that `/v2` answers as not implemented. */
  readonly checks: Readonly<Partial<Record<Suite, CheckResult>>>;
  /** What was wrong, a line for each problem; absent on anything but a failure. */
  readonly reason?: string;
}

/** A fault that is not the class's, and what was done so that the suite could go on. */
export interface Fault {
  readonly suite: Suite;
  readonly method: string;
  readonly handling: 'shimmed' | 'skipped' | 'supplied';
  readonly reason: string;
}

/** The class as the transpiler of a checkout writes it in another language. */
export interface LanguageResult {
  readonly language: 'Python' | 'PHP';
  readonly result: CheckResult;
  /** What was wrong, or why it was not linted. */
  readonly reason?: string;
}

/** How many methods a suite checked, by what it says of them. */
export interface SuiteTotals {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface CompatReport {
  readonly url: string;
  readonly symbol: string;
  /** Methods, each counted once: `passed + failed + skipped + notClaimed` is the length of `methods`. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly notClaimed: number;
  /** The suites that ran. */
  readonly suites: Readonly<Partial<Record<Suite, SuiteTotals>>>;
  readonly faults: readonly Fault[];
  /** Of a run with a checkout: transpiled and linted. */
  readonly languages: readonly LanguageResult[];
  readonly methods: readonly MethodResult[];
}

const NAMES: Readonly<Record<Suite, string>> = {
  upstream: 'ccxt 2.9.8',
  own: 'ours',
  modern: 'modern',
  pythonSync: 'python sync',
  pythonAsync: 'python async',
  pythonSockets: 'python sockets',
  fixtures: 'fixtures',
  v2Upstream: '/v2 2.9.8',
  v2Own: '/v2 ours',
  differential: '/v1=/v2',
};

/** Suites of somebody else: where they have no test of a method, the table says so. */
const OF_OTHERS: readonly Suite[] = ['upstream', 'modern'];

/** ccxt's tests of the class as Python. */
const OF_PYTHON: readonly Suite[] = ['pythonSync', 'pythonAsync', 'pythonSockets'];

/** Suites that hold a method to what it should be; the others hold it to what it was, or to `/v2`. */
const JUDGES: readonly Suite[] = ['upstream', 'own', 'modern'];

/** A claimed method, or a fact. What no suite has judged has not been shown to be so. */
export function checkedMethod(method: string, found: ProblemsBySuite): MethodResult {
  if (JUDGES.some((suite) => Array.isArray(found[suite]))) return judged(method, 'pass', found);
  if (found.own === 'skipped') return judged(method, 'skip', found);
  return judged(method, 'pass', { ...found, own: ['claimed, but nothing checks it'] });
}

/** A method that is not claimed: what was found is how it is refused. */
export function unclaimedMethod(method: string, found: ProblemsBySuite = {}): MethodResult {
  return judged(method, 'notClaimed', found);
}

function judged(method: string, unlessFailed: 'pass' | 'skip' | 'notClaimed', found: ProblemsBySuite): MethodResult {
  const checks: Partial<Record<Suite, CheckResult>> = {};
  const reasons: string[] = [];
  for (const suite of SUITES) {
    const problems = found[suite];
    if (problems === undefined) continue;
    if (problems === 'skipped') checks[suite] = 'skip';
    else {
      checks[suite] = problems.length === 0 ? 'pass' : 'fail';
      reasons.push(...problems.map((problem) => `${NAMES[suite]}: ${problem}`));
    }
  }
  if (reasons.length === 0) return { method, result: unlessFailed, checks };
  return { method, result: 'fail', checks, reason: reasons.join('\n') };
}

export interface Run {
  readonly url: string;
  readonly symbol: string;
  readonly methods: readonly MethodResult[];
  readonly faults: readonly Fault[];
  readonly languages?: readonly LanguageResult[];
  /** Suites whose name is only known once they ran. */
  readonly names?: Readonly<Partial<Record<Suite, string>>>;
}

export function reportOf({ url, symbol, methods, faults, languages = [], names }: Run): CompatReport {
  const count = (wanted: MethodResult['result']) => methods.filter(({ result }) => result === wanted).length;
  const counted = (suite: Suite, wanted: CheckResult) => methods.filter(({ checks }) => checks[suite] === wanted).length;
  const suites: Partial<Record<Suite, SuiteTotals>> = {};
  for (const suite of SUITES) {
    if (!methods.some(({ checks }) => suite in checks)) continue;
    const name = names?.[suite] ?? NAMES[suite];
    suites[suite] = {
      name,
      passed: counted(suite, 'pass'),
      failed: counted(suite, 'fail'),
      skipped: counted(suite, 'skip'),
    };
  }
  return {
    url,
    symbol,
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
    notClaimed: count('notClaimed'),
    suites,
    faults,
    languages,
    methods,
  };
}

const LINE_WIDTH = 100;

/** The report for people: a line per claimed method, the unclaimed ones as a list, foreign faults, the counts at the end. */
export function renderReport(report: CompatReport): string {
  const { url, symbol, methods, suites } = report;
  const ran = SUITES.filter((suite) => suite in suites);
  const shown = methods.filter(({ result }) => result !== 'notClaimed');
  const table = [
    ['method', ...ran.map((suite) => suites[suite]?.name ?? ''), 'result'],
    ...shown.map(({ method, checks, result }) => [
      method,
      ...ran.map((suite) => word(checks[suite]) ?? missing(suite)),
      word(result) ?? '',
    ]),
  ];
  const [heading, ...rows] = aligned(table);
  const unclaimed = methods.filter(({ result }) => result === 'notClaimed').map(({ method }) => method);
  return [
    `ccxt unified methods of the class openperp, on ${url} with ${symbol}`,
    '',
    heading,
    ...rows.flatMap((row, index) => [row, ...(shown[index]?.reason?.split('\n').map((line) => `    ${line}`) ?? [])]),
    '',
    'not claimed, and refused with NotSupported before any request:',
    ...wrap(unclaimed),
    '',
    ...faultLines(report),
    ...languageLines(report),
    closingLine(report),
  ].join('\n');
}

function aligned(table: readonly (readonly string[])[]): readonly string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function missing(suite: Suite): string {
  return OF_OTHERS.includes(suite) || OF_PYTHON.includes(suite) ? 'no module' : '–';
}

function faultLines({ faults, suites }: CompatReport): readonly string[] {
  if (faults.length === 0) return [];
  const lines = faults.map(
    ({ suite, method, handling, reason }) => `  ${suites[suite]?.name ?? suite}, ${method}: ${handling}: ${reason}`,
  );
  return ['no fault of the class, and what was done about it:', ...lines, ''];
}

function languageLines({ languages }: CompatReport): readonly string[] {
  if (languages.length === 0) return [];
  const lines = languages.map(({ language, result, reason }) => {
    const because = reason === undefined ? '' : `: ${reason}`;
    return `  ${language}: ${word(result)}${because}`;
  });
  return ['transpiled by the checkout, and linted:', ...lines, ''];
}

function closingLine({ passed, failed, skipped, notClaimed, methods, suites }: CompatReport): string {
  const byOthers = OF_OTHERS.flatMap((suite) => {
    const name = suites[suite]?.name;
    const count = methods.filter(({ result, checks }) => result === 'pass' && checks[suite] === 'pass').length;
    return name === undefined ? [] : [`${count} of them by ${name}'s own tests`];
  });
  const inPython = methods.filter(
    ({ result, checks }) => result === 'pass' && OF_PYTHON.some((suite) => checks[suite] === 'pass'),
  ).length;
  if (OF_PYTHON.some((suite) => suite in suites)) byOthers.push(`${inPython} of them in Python too`);
  const unseen = skipped === 0 ? '' : `${skipped} skipped, `;
  return `${passed} methods passed (${byOthers.join(', ')}), ${failed} failed, ${unseen}${notClaimed} not claimed`;
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
