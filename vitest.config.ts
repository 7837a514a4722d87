import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ofThisRun = mkdtempSync(join(tmpdir(), 'openperp-tests-'));
process.on('exit', () => rmSync(ofThisRun, { recursive: true, force: true }));
/** Where the tests of this run put down what they have seen the venue answer. */
const observed = join(ofThisRun, 'observed');
mkdirSync(observed);
/** Tests start hundreds of processes and threads: each would compile the same files again, which is half of what its start costs. */
process.env.NODE_COMPILE_CACHE ??= join(ofThisRun, 'compiled');

/** Judges what all others have seen, so it runs after them. */
const LAST = 'engine/http/contract-coverage.test.ts';

export default defineConfig({
  test: {
    reporters: ['default', './.ci/closing-report.ts'],
    // These end a test that hangs. No test depends on how fast the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 5 } },
    maxWorkers: 2,
    env: { OPENPERP_OBSERVED: observed },
    projects: [
      {
        extends: true,
        test: {
          name: 'venue',
          include: [
            'src/**/*.test.ts',
            'engine/**/*.test.ts',
            'gateway/**/*.test.ts',
            'compat-tests/**/*.test.ts',
            '.ci/**/*.test.ts',
            'docs/**/*.test.ts',
          ],
          exclude: [LAST],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'coverage', include: [LAST], sequence: { groupOrder: 1 } } },
    ],
  },
});
