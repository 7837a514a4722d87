/**
 * The sizes of generated tests before a release, by the variable of docs/testing.md: `OPENPERP_TEST_SIZE=full npm test`. The defaults in
 * the tests are those of a change. A variable that is set by itself has that value in both.
 */
export const FULL_SIZES: Readonly<Record<string, number>> = {
  OPENPERP_BACKING_WORLDS: 150,
  OPENPERP_ENUM_HISTORIES: 220,
  OPENPERP_HOSTILE_INPUTS: 300,
  OPENPERP_INDICATOR_BARS: 50_000,
  OPENPERP_JOURNAL_CUTS: 1_500,
  OPENPERP_KILLS: 10,
  OPENPERP_POWER_CUT_SEEDS: 40,
  OPENPERP_PROJECTION_RUNS: 40,
  OPENPERP_RECOUNT_OPERATIONS: 500_000,
  OPENPERP_REFUSAL_SEEDS: 12,
  OPENPERP_RUNNER_CRASH_EVERY: 1,
};

/** Sets the variables of a full run, if the environment asks for one. */
export function useFullSizes(environment: NodeJS.ProcessEnv): void {
  if (environment.OPENPERP_TEST_SIZE !== 'full') return;
  for (const [name, size] of Object.entries(FULL_SIZES)) environment[name] ??= String(size);
}
