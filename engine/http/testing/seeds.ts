/** Seeds of generated tests: a failure prints the command that repeats it. */
import type { Parameters, RunDetails } from 'fast-check';
import fc from 'fast-check';

/** Parameters of a property in a test file, or in one test of it. OPENPERP_SEED and OPENPERP_PATH select a printed failure. */
export function repeatable<Values>(file: string, numRuns: number, name?: string): Parameters<Values> {
  const { OPENPERP_SEED, OPENPERP_PATH } = process.env;
  const report = async (run: RunDetails<Values>) => {
    if (!run.failed) return;
    const repeat = `OPENPERP_SEED=${run.seed} OPENPERP_PATH=${run.counterexamplePath} npx vitest run ${file}${name === undefined ? '' : ` -t '${name}'`}`;
    throw new Error(`${await fc.asyncDefaultReportMessage(run)}\nto repeat: ${repeat}`, { cause: run.errorInstance });
  };
  return {
    numRuns,
    asyncReporter: report,
    ...(OPENPERP_SEED === undefined ? {} : { seed: Number(OPENPERP_SEED) }),
    ...(OPENPERP_PATH === undefined ? {} : { path: OPENPERP_PATH }),
  };
}
