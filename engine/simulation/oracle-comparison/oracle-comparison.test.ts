/**
 * The engine against an independent implementation of its rules. `OPENPERP_ORACLE_NUMBERS=10000000 npm test -- engine/simulation/oracle-comparison`
 * sets how many numbers are compared, OPENPERP_ORACLE_SEED repeats one world (0 the crowded one).
 */
import { expect, test } from 'vitest';
import { NumberComparison } from './difference.ts';
import { Occurrences } from './occurrences.ts';
import { CROWD, reportOf, runCrowd, runSeed } from './seeded-run.ts';

const ONLY = process.env.OPENPERP_ORACLE_SEED;
const NUMBERS = Number(process.env.OPENPERP_ORACLE_NUMBERS ?? 600_000);
/** Enough for each rule to decide something in some world. */
const ALL_RULES = 8_000_000;

test(`compares ${NUMBERS} numbers of engine and oracle`, { timeout: 600_000 + NUMBERS }, () => {
  const numbers = new NumberComparison();
  const occurrences = new Occurrences();
  let commands = 0;
  let seed = Number(ONLY ?? 1);
  // It takes as long as 60 others, so only large runs have it.
  if (NUMBERS >= ALL_RULES || seed === CROWD) {
    const run = runCrowd({ numbers });
    commands += run.commands.length;
    // Its commands are too many to shrink.
    expect(run.difference).toBeUndefined();
  }
  for (; ONLY === undefined ? numbers.count < NUMBERS : seed === Number(ONLY) && seed !== CROWD; seed += 1) {
    const run = runSeed(seed, { numbers, occurrences });
    commands += run.commands.length;
    if (run.difference !== undefined) throw new Error(reportOf(run));
  }
  console.log(`${numbers.count} numbers after ${commands} commands in the worlds before seed ${seed}: no difference`);
  if (NUMBERS >= ALL_RULES) expect(occurrences.missing).toEqual([]);
  // Worlds in which nothing happens would pass as well.
  if (ONLY === undefined) expect(occurrences.missing.length).toBeLessThan(10);
});

test('draws the same world from the same seed', () => {
  expect(runSeed(3)).toEqual(runSeed(3));
  expect(runSeed(3)).not.toEqual(runSeed(4));
});
