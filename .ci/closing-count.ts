/** Ends a test run with one plain line: how many tests passed, failed and were skipped. A file that broke is a failure. */
import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    // A test that never came to run has not passed.
    const failed = count.failed + count.pending;
    process.stdout.write(`\n${count.passed} passed, ${failed} failed, ${count.skipped} skipped\n`);
  }
}
