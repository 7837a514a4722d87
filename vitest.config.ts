import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bundlePrograms } from './.ci/bundled-programs.ts';
import { useFullSizes } from './.ci/full-sizes.ts';

const ROOT = import.meta.dirname;
const ofThisRun = mkdtempSync(join(tmpdir(), 'openperp-tests-'));
const programs = mkdtempSync(join(ROOT, 'node_modules', '.openperp-programs-'));
process.on('exit', () => {
  for (const directory of [ofThisRun, programs]) rmSync(directory, { recursive: true, force: true });
});
/** Where the tests of this run put down what they have seen the venue answer. */
const observed = join(ofThisRun, 'observed');
mkdirSync(observed);
/** Tests start hundreds of processes and threads: each would compile the same files again, which is half of what its start costs. */
process.env.NODE_COMPILE_CACHE ??= join(ofThisRun, 'compiled');

process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${await bundlePrograms(ROOT, programs)}`.trim();

useFullSizes(process.env);

/** Judges what all others have seen, so it runs after them. */
const LAST = 'engine/http/handlers/contract-coverage.test.ts';
const OTHERS = ['src', 'engine', 'oracle', 'gateway', 'owner-page', 'compat-tests', '.ci', 'docs'].map(
  (folder) => `${folder}/**/*.test.ts`,
);
/**
 * Files that replace modules, clocks or the environment, or measure the memory of their process, have a process of their own. All others share
 * one for each worker, and import ccxt, zod and the venue once: most of what a small file would cost. Spies are restored before each test.
 */
const NEEDS_ITS_OWN_PROCESS = /\bvi\.(mock|hoisted|useFakeTimers|setConfig|stubEnv)|Worker\.prototype|node:v8|memoryUsage/;
const alone = globSync(OTHERS, { cwd: ROOT }).filter((file) =>
  NEEDS_ITS_OWN_PROCESS.test(readFileSync(join(ROOT, file), 'utf8')),
);

export default defineConfig({
  test: {
    reporters: ['default', './.ci/closing-report.ts'],
    // These end a test that hangs. No test depends on how fast the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 5 } },
    // Most tests wait for processes, threads and files: two workers for each of two cores keep both busy.
    maxWorkers: 4,
    env: { OPENPERP_OBSERVED: observed },
    projects: [
      { extends: true, test: { name: 'alone', include: alone, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: OTHERS,
          exclude: [LAST, ...alone],
          isolate: false,
          restoreMocks: true,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'coverage', include: [LAST], sequence: { groupOrder: 1 } } },
    ],
  },
});
