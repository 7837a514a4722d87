/** What the suites find, put together method by method while they run. */
import { type CompatReport, type Fault, type Problems, type ProblemsBySuite, type Run, reportOf, type Suite } from './report.ts';

export class Findings {
  readonly #of = new Map<string, Partial<Record<Suite, Problems>>>();
  readonly #faults: Fault[] = [];
  readonly #isBooted: boolean;

  /** A venue that the suite has booted for itself shows something of everything. */
  constructor({ isBooted }: { readonly isBooted: boolean }) {
    this.#isBooted = isBooted;
  }

  /** What a suite says of a method is added to what it said before. */
  note(suite: Suite, method: string, problems: readonly string[]): void {
    const found = this.#of.get(method) ?? {};
    const before = found[suite];
    this.#of.set(method, { ...found, [suite]: Array.isArray(before) ? [...before, ...problems] : problems });
  }

  noteAll(suite: Suite, problems: ReadonlyMap<string, readonly string[]>): void {
    for (const [method, found] of problems) this.note(suite, method, found);
  }

  /** Does not take back what was found before. */
  skipped(suite: Suite, method: string, reason: string): void {
    const found = this.#of.get(method) ?? {};
    this.#of.set(method, { ...found, [suite]: found[suite] ?? 'skipped' });
    this.#faults.push({ suite, method, handling: 'skipped', reason });
  }

  /** What the venue has nothing of to be checked by: no evidence, and of a venue of the suite's own a failure. */
  lacking(suite: Suite, method: string, reason: string): void {
    if (this.#isBooted) this.note(suite, method, [`nothing to check it by: ${reason}`]);
    else this.skipped(suite, method, reason);
  }

  shimmed(suite: Suite, method: string, reason: string): void {
    this.#faults.push({ suite, method, handling: 'shimmed', reason });
  }

  supplied(given: readonly Omit<Fault, 'handling'>[]): void {
    for (const it of given) this.#faults.push({ ...it, handling: 'supplied' });
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
