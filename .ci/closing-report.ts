/**
 * Ends a test run with the names of the failed tests and one plain line of counts, also when a signal interrupts the run.
 * A test file that fails to load, an unhandled error and a test that never ran count as failures.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export default class ClosingReport implements Reporter {
  readonly #failures: string[] = [];
  #passed = 0;

  onInit(): void {
    for (const signal of SIGNALS) process.once(signal, () => this.#endEarly(signal));
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === 'passed') this.#passed += 1;
    if (result.state === 'failed') this.#fail(`${test.module.relativeModuleId} > ${test.fullName}`, result.errors[0]?.message);
  }

  onTestModuleEnd(module: TestModule): void {
    for (const { message } of module.errors()) this.#fail(module.relativeModuleId, message);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const failed = count.failed + count.pending;
    this.#list();
    print(`\n${count.passed} passed, ${failed} failed, ${count.skipped} skipped`);
  }

  /** Also printed at once: a long run shows its first failure when it happens. */
  #fail(name: string, message = 'failed without a message'): void {
    const failure = `${name}: ${message.split('\n', 1)[0]}`;
    this.#failures.push(failure);
    print(`FAILED ${failure}`);
  }

  #endEarly(signal: NodeJS.Signals): void {
    this.#list();
    print(`\nInterrupted by ${signal} after ${this.#passed} passed, ${this.#failures.length} failed`);
    process.kill(process.pid, signal);
  }

  #list(): void {
    if (this.#failures.length > 0) print(['\nFailed tests:', ...this.#failures].join('\n  '));
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
