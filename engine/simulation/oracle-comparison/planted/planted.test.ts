/**
 * Faults of one line in the engine, each found by the comparison. `OPENPERP_ORACLE_FAULTS=all npm test -- engine/simulation/oracle-comparison`
 * plants all of them, by default the first few.
 */
import { expect, test } from 'vitest';
import { textOf } from '#simulation/oracle-comparison/difference.ts';
import { reportOf, runCrowd, runSeed, type SeededRun } from '#simulation/oracle-comparison/seeded-run.ts';
import { FAULTS as TRADING_FAULTS } from './faults.ts';
import { faultyEngine, type PlantedFault, sourceOf } from './faulty-engine.ts';
import { TRIGGER_FAULTS } from './trigger-faults.ts';

const FAULTS = [...TRADING_FAULTS, ...TRIGGER_FAULTS];
/** The first ones are found soonest. */
const PLANTED = FAULTS.slice(0, process.env.OPENPERP_ORACLE_FAULTS === 'all' ? undefined : 4);
const MAX_COMMANDS = 60_000;

test.each(FAULTS)('has a place for the fault: $fault', (fault) => {
  expect(sourceOf(fault).split(fault.text)).toHaveLength(2);
});

test.each(PLANTED)('finds the fault: $fault', (fault) => {
  const found = firstDifference(fault);
  expect(found.difference).toBeDefined();
  // A fault that is no program would be found as well.
  expect(textOf(found.difference!.engine)).not.toMatch(/ReferenceError|TypeError/);
  console.log(`${fault.fault}: ${found.difference!.path} in the world of seed ${found.seed}`);
});

test('reports how to repeat a difference, and the commands that are needed for it', () => {
  const { venueClass, remove } = faultyEngine(FAULTS[0]!);
  try {
    let seed = 1;
    while (runSeed(seed, { venueClass }).difference === undefined) seed += 1;
    const report = reportOf(runSeed(seed, { venueClass }), venueClass);
    expect(report).toMatch(
      /^repeat with OPENPERP_ORACLE_SEED=\d+ npm test -- engine[\s\S]*differ at \S+: [\s\S]*"type":"ListMarket"/,
    );
    expect(report.split('\n').length).toBeLessThan(30);
  } finally {
    remove();
  }
});

function firstDifference(fault: PlantedFault): SeededRun {
  const { venueClass, remove } = faultyEngine(fault);
  try {
    if (fault.needsCrowd) return runCrowd({ venueClass });
    for (let [seed, commands] = [1, 0]; ; seed += 1) {
      const run = runSeed(seed, { venueClass });
      commands += run.commands.length;
      if (run.difference !== undefined || commands > MAX_COMMANDS) return run;
    }
  } finally {
    remove();
  }
}
