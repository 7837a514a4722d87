/** Collects the findings of the suites by method. */
import { type CompatReport, type Fault, type Problems, type ProblemsBySuite, type Run, reportOf, type Suite } from './report.ts';

export class Findings {
  readonly #of = new Map<string, Partial<Record<Suite, Problems>>>();
  readonly #faults: Fault[] = [];
  readonly #isBooted: boolean;

  /** A venue that the suite booted itself has data for every check. */
  constructor({ isBooted }: { readonly isBooted: boolean }) {
    this.#isBooted = isBooted;
  }

  /** Adds findings of a suite about a method. */
  note(suite: Suite, method: string, problems: readonly string[]): void {
    const found = this.#of.get(method) ?? {};
    const before = found[suite];
    this.#of.set(method, { ...found, [suite]: Array.isArray(before) ? [...before, ...problems] : problems });
  }

  noteAll(suite: Suite, problems: ReadonlyMap<string, readonly string[]>): void {
    for (const [method, found] of problems) this.note(suite, method, found);
  }

  /** Keeps earlier findings. */
  skipped(suite: Suite, method: string, reason: string): void {
    const found = this.#of.get(method) ?? {};
    this.#of.set(method, { ...found, [suite]: found[suite] ?? 'skipped' });
    this.#faults.push({ suite, method, handling: 'skipped', reason });
  }

  /** The venue has no data to check the method with: a skip, or a failure if the suite booted the venue. */
  lacking(suite: Suite, method: string, reason: string): void {
    if (this.#isBooted) this.note(suite, method, [`no data to check it with: ${reason}`]);
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

  /** Every method with findings. */
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
