/**
 * The result of a run, as data and as a table: one entry per method, a column per suite that checked it. A method passes if no
 * suite finds a fault and at least one test judged it. Workarounds and skips of suites are listed beside it.
 */

export type CheckResult = 'pass' | 'fail' | 'skip';

/** The suites: ccxt's own tests, ours, and both again on `/v2`. */
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

/** An empty list is a passed check. */
export type Problems = readonly string[] | 'skipped';
export type ProblemsBySuite = Readonly<{ [suite in Suite]?: Problems | undefined }>;

export interface MethodResult {
  readonly method: string;
  /** `skip`: the venue has no data to check the method with. */
  readonly result: 'pass' | 'fail' | 'skip' | 'notClaimed';
  /** The result of each suite. A method that is not claimed may be one that `/v2` refuses as not implemented. */
  readonly checks: Readonly<Partial<Record<Suite, CheckResult>>>;
  /** The problems, one per line; present only for failures. */
  readonly reason?: string;
}

/** A fault outside of the class, and the workaround that let the suite continue. */
export interface Fault {
  readonly suite: Suite;
  readonly method: string;
  readonly handling: 'shimmed' | 'skipped' | 'supplied';
  readonly reason: string;
}

/** The class transpiled by a checkout to another language. */
export interface LanguageResult {
  readonly language: 'Python' | 'PHP';
  readonly result: CheckResult;
  /** The problem, or why it was not linted. */
  readonly reason?: string;
}

/** The number of methods that a suite checked, by result. */
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
  /** For a run with a checkout: transpiled and linted. */
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

/** Suites of ccxt: the table shows if they have no test of a method. */
const OF_OTHERS: readonly Suite[] = ['upstream', 'modern'];

/** ccxt's tests of the class as Python. */
const OF_PYTHON: readonly Suite[] = ['pythonSync', 'pythonAsync', 'pythonSockets'];

/** Suites that judge a method by its specification; the others compare it with recordings or with `/v2`. */
const JUDGES: readonly Suite[] = ['upstream', 'own', 'modern'];

/** A claimed method, or a fact. Without a judging suite it fails. */
export function checkedMethod(method: string, found: ProblemsBySuite): MethodResult {
  if (JUDGES.some((suite) => Array.isArray(found[suite]))) return judged(method, 'pass', found);
  if (found.own === 'skipped') return judged(method, 'skip', found);
  return judged(method, 'pass', { ...found, own: ['claimed, but nothing checks it'] });
}

/** A method that is not claimed: the findings are about its refusal. */
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
  /** Suites whose name is only known after they ran. */
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

/** The report for people: a line per claimed method, the unclaimed ones as a list, foreign faults, and the counts. */
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
  return ['faults outside of the class, and their workarounds:', ...lines, ''];
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

/** Failures are in capitals, to stand out in a long table. */
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
