/** What the suites find, put together method by method while they run. */
import { type CompatReport, type Fault, type Problems, type ProblemsBySuite, type Run, reportOf, type Suite } from './report.ts';

export class Findings {
  readonly #of = new Map<string, Partial<Record<Suite, Problems>>>();
  readonly #faults: Fault[] = [];

  /** What a suite says of a method is added to what it said before. */
  note(suite: Suite, method: string, problems: readonly string[]): void {
    const found = this.#of.get(method) ?? {};
    const before = found[suite];
    this.#of.set(method, { ...found, [suite]: Array.isArray(before) ? [...before, ...problems] : problems });
  }

  noteAll(suite: Suite, problems: ReadonlyMap<string, readonly string[]>): void {
    for (const [method, found] of problems) this.note(suite, method, found);
  }

  skipped(suite: Suite, method: string, reason: string): void {
    this.#of.set(method, { ...this.#of.get(method), [suite]: 'skipped' });
    this.#faults.push({ suite, method, handling: 'skipped', reason });
  }

  shimmed(suite: Suite, method: string, reason: string): void {
    this.#faults.push({ suite, method, handling: 'shimmed', reason });
  }

  supplied(suite: Suite, omissions: readonly { readonly method: string; readonly reason: string }[]): void {
    for (const { method, reason } of omissions) this.#faults.push({ suite, method, handling: 'supplied', reason });
  }

  has(suite: Suite, method: string): boolean {
    return this.#of.get(method)?.[suite] !== undefined;
  }

  /** Everything that was looked at. */
  methods(): readonly string[] {
    return [...this.#of.keys()];
  }

  of(method: string): ProblemsBySuite {
    return this.#of.get(method) ?? {};
  }

  report(run: Omit<Run, 'faults'>): CompatReport {
    return reportOf({ ...run, faults: this.#faults });
  }
}
