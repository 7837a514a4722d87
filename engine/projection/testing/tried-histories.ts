/** Runs property tests of projections on many histories, and prints how to repeat a failing one. */
import fc from 'fast-check';
import { openProjection, type Projection } from '#projection/projection.ts';

const RUNS = Number(process.env.OPENPERP_PROJECTION_RUNS ?? 15);
const SEED = process.env.OPENPERP_PROJECTION_SEED;
export const TIMEOUT_MS = 600_000 + 1_000 * RUNS;

export function holds<Values>(file: string, property: fc.IProperty<Values>): void {
  const details = fc.check(property, { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) });
  if (!details.failed) return;
  const repeat = `OPENPERP_PROJECTION_SEED=${details.seed} OPENPERP_PROJECTION_RUNS=${RUNS} npx vitest run ${file}`;
  throw new Error(`${repeat}\n${fc.defaultReportMessage(details)}`, { cause: details.errorInstance });
}

/** Opens a projection, runs a function with it, and closes it. */
export function within<Result>(path: string, use: (projection: Projection) => Result): Result {
  const projection = openProjection(path);
  try {
    return use(projection);
  } finally {
    projection.close();
  }
}
