/** What a run of the checks found, as data and as a table. */

export type Outcome = 'pass' | 'fail' | 'notClaimed';

/** Whose check it is: ccxt's own test of the method, or ours where ccxt has none or is content with less. */
export type Source = 'ccxt 2.9.8' | 'ours';

export interface MethodResult {
  readonly method: string;
  readonly source: Source;
  readonly outcome: Outcome;
  /** What was wrong; absent on anything but a failure. */
  readonly problems?: readonly string[];
}

export interface CompatReport {
  readonly url: string;
  readonly symbol: string;
  readonly passed: number;
  readonly failed: number;
  readonly notClaimed: number;
  readonly methods: readonly MethodResult[];
}

export function reportOf(url: string, symbol: string, methods: readonly MethodResult[]): CompatReport {
  const count = (outcome: Outcome) => methods.filter((result) => result.outcome === outcome).length;
  return { url, symbol, passed: count('pass'), failed: count('fail'), notClaimed: count('notClaimed'), methods };
}

const WORDS: Readonly<Record<Outcome, string>> = { pass: 'pass', fail: 'FAIL', notClaimed: 'not claimed' };
const LINE_WIDTH = 100;

/** The report for people: a line per checked method, the unclaimed ones as a list, the counts at the end. */
export function renderReport(report: CompatReport): string {
  const { url, symbol, methods, passed, failed, notClaimed } = report;
  const checked = methods.filter(({ outcome }) => outcome !== 'notClaimed');
  const width = Math.max(...checked.map(({ method }) => method.length));
  const rows = checked.flatMap(({ method, source, outcome, problems = [] }) => [
    `${method.padEnd(width)}  ${source.padEnd(10)}  ${WORDS[outcome]}`,
    ...problems.map((problem) => `    ${problem}`),
  ]);
  const unclaimed = methods.filter(({ outcome }) => outcome === 'notClaimed').map(({ method }) => method);
  return [
    `ccxt unified methods of the class openperp, on ${url} with ${symbol}`,
    '',
    `${'method'.padEnd(width)}  ${'check'.padEnd(10)}  result`,
    ...rows,
    '',
    'not claimed, and refused with NotSupported before any request:',
    ...wrap(unclaimed),
    '',
    `${passed} passed, ${failed} failed, ${notClaimed} not claimed`,
  ].join('\n');
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
