/**
 * The suites of a checkout: its JavaScript tests against the class, and its Python tests against the transpiled class. A suite
 * that cannot run is a finding too.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Findings } from '#compat/findings.ts';
import type { LanguageResult, Suite } from '#compat/report.ts';
import { messageOf } from '#compat/watched.ts';
import type { Checkout } from './checkout.ts';
import { type FoundFault, mendTests } from './python-faults.ts';
import { runModern, runPython, type SuiteResult } from './suite.ts';
import type { Assignment, Part, PythonPart } from './suite-order.ts';
import { lintTree, transpile } from './transpiled.ts';

type AnyPart = Part | PythonPart;

/** The report column of a part. */
function suiteOf(part: AnyPart): Suite {
  if (part === 'static') return 'fixtures';
  if (part === 'pythonSockets') return 'pythonSockets';
  if (part.startsWith('pythonSync')) return 'pythonSync';
  return part.startsWith('pythonAsync') ? 'pythonAsync' : 'modern';
}

export class ModernSuites {
  readonly languages: readonly LanguageResult[];
  readonly #checkout: Checkout;
  readonly #python: string;
  readonly #tree: string;
  readonly #faults: readonly FoundFault[];

  private constructor(
    checkout: Checkout,
    python: string,
    tree: string,
    created: { readonly languages: readonly LanguageResult[]; readonly faults: readonly FoundFault[] },
  ) {
    this.#checkout = checkout;
    this.#python = python;
    this.#tree = tree;
    this.languages = created.languages;
    this.#faults = created.faults;
  }

  /** Never rejects: a failed transpilation is the result of each language. */
  static async prepare(checkout: Checkout, python: string): Promise<ModernSuites> {
    const tree = await mkdtemp(join(tmpdir(), 'openperp-tree-'));
    try {
      await transpile(checkout.path, tree);
      const languages = await lintTree(tree, python);
      return new ModernSuites(checkout, python, tree, { languages, faults: await mendTests(tree) });
    } catch (error) {
      const failed = { result: 'fail', reason: messageOf(error).slice(0, 400) } as const;
      const languages = (['Python', 'PHP'] as const).map((language) => ({ language, ...failed }));
      return new ModernSuites(checkout, python, tree, { languages, faults: [] });
    }
  }

  dispose(): Promise<void> {
    return rm(this.#tree, { recursive: true, force: true });
  }

  async run(part: AnyPart, assignment: Assignment, findings: Findings): Promise<void> {
    const suite = suiteOf(part);
    if (this.#isPython(part) && this.languages.some(({ language, result }) => language === 'Python' && result === 'fail')) return;
    const faults = this.#faults.filter(({ mode }) => suite === (mode === 'sync' ? 'pythonSync' : 'pythonAsync'));
    const unmended = Object.fromEntries(faults.filter(({ isMended }) => !isMended).map(({ method, reason }) => [method, reason]));
    try {
      const result = await this.#result(part, assignment, unmended);
      this.#note(part, result, assignment, findings);
      for (const { method, isMended, reason } of faults)
        if (isMended && method in result.problems) findings.shimmed(suite, method, reason);
    } catch (error) {
      findings.note(suite, 'loadMarkets', [`the suite (${part}) could not be run: ${messageOf(error).slice(-400)}`]);
    }
  }

  #isPython(part: AnyPart): part is PythonPart {
    return part.startsWith('python');
  }

  #result(part: AnyPart, assignment: Assignment, unmended: Readonly<Record<string, string>>): Promise<SuiteResult> {
    return this.#isPython(part)
      ? runPython(this.#python, { ...assignment, part, tree: this.#tree, unmended })
      : runModern({ ...assignment, part, checkout: this.#checkout });
  }

  #note(part: AnyPart, result: SuiteResult, { lacks }: Assignment, findings: Findings): void {
    const suite = suiteOf(part);
    for (const [method, found] of Object.entries(result.problems)) findings.note(suite, method, found);
    for (const [method, reason] of Object.entries(result.skipped)) {
      if (lacks[method] === reason) findings.lacking(suite, method, reason);
      else findings.skipped(suite, method, reason);
    }
    for (const [method, reasons] of Object.entries(result.shimmed))
      for (const reason of reasons) findings.shimmed(suite, method, reason);
    if (!result.hasEnded)
      findings.note(suite, 'loadMarkets', [`the suite (${part}) broke off: ${result.lines.join(' ').slice(-400)}`]);
  }
}
