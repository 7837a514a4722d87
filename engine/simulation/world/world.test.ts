/**
 * Worlds by seed. `OPENPERP_WORLD_SEEDS=10000 npm test -- engine/simulation/world` runs so many (200 by default), from
 * OPENPERP_WORLD_FIRST_SEED on; `OPENPERP_WORLD_SEED=…` repeats one.
 */
import { expect, test } from 'vitest';
import { FAULT_NAMES } from './faults.ts';
import { COMMAND_KINDS } from './workload/intents.ts';
import { runWorld } from './world.ts';
import { WorldRuns } from './world-runs.ts';

const ONLY = process.env.OPENPERP_WORLD_SEED;
const FIRST_SEED = Number(ONLY ?? process.env.OPENPERP_WORLD_FIRST_SEED ?? 1);
const SEEDS = ONLY === undefined ? Number(process.env.OPENPERP_WORLD_SEEDS ?? 200) : 1;
/** Enough for everything to have happened in some of them. */
const TELLING_SEEDS = 200;
const MOST_MS_A_SEED = 3_000;

test(`${SEEDS} worlds find nothing wrong with the venue`, { timeout: 60_000 + SEEDS * MOST_MS_A_SEED }, async () => {
  const runs = new WorldRuns((line) => console.log(line));
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) await runs.add(seed);
  runs.tell();
  if (SEEDS < TELLING_SEEDS) return;
  expect(
    FAULT_NAMES.filter((name) => runs.faults[name] === 0),
    'faults that never happened',
  ).toEqual([]);
  expect(
    COMMAND_KINDS.filter((kind) => !runs.commands.has(kind)),
    'commands that were never sent',
  ).toEqual([]);
});

test('a seed makes the same world every time', async () => {
  for (const seed of [7, 8, 9]) expect(await runWorld({ seed })).toEqual(await runWorld({ seed }));
  const [one, other] = [await runWorld({ seed: 7 }), await runWorld({ seed: 8 })];
  expect(one.digest).not.toBe(other.digest);
});
