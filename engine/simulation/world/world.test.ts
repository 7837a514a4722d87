/**
 * Worlds by seed. `OPENPERP_WORLD_SEEDS=10000 npm test -- engine/simulation/world` sets their number (200 by default),
 * OPENPERP_WORLD_FIRST_SEED the first seed. `OPENPERP_WORLD_SEED=…` repeats one.
 */
import { expect, test } from 'vitest';
import { EVENTS as EVENT_LAYOUTS } from '#venue/record/event-layouts.ts';
import type { FaultName } from './faults.ts';
import { FAULT_NAMES } from './faults.ts';
import { COMMAND_KINDS } from './workload/intents.ts';
import { runWorld } from './world.ts';
import { WorldRuns } from './world-runs.ts';

const ONLY = process.env.OPENPERP_WORLD_SEED;
const FIRST_SEED = Number(ONLY ?? process.env.OPENPERP_WORLD_FIRST_SEED ?? 1);
const SEEDS = ONLY === undefined ? Number(process.env.OPENPERP_WORLD_SEEDS ?? 200) : 1;
/** Enough for every fault, command and event to occur in some of them. */
const PLANTED_SEEDS = 200;
const MAX_MS_PER_SEED = 3_000;
const EVENTS = [...Object.keys(EVENT_LAYOUTS), 'TradeExecuted by liquidation', 'TradeExecuted by auto_deleveraging'];

test(`finds no fault of the venue in ${SEEDS} worlds`, { timeout: 600_000 + SEEDS * MAX_MS_PER_SEED }, async () => {
  const runs = new WorldRuns((line) => console.log(line));
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) await runs.add(seed);
  runs.printProgress();
  if (SEEDS < PLANTED_SEEDS) return;
  const missed = (names: readonly string[], happened: (name: string) => boolean): string[] =>
    names.filter((name) => !happened(name));
  expect(missed(FAULT_NAMES, (name) => runs.faults[name as FaultName] > 0)).toEqual([]);
  expect(missed(COMMAND_KINDS, (kind) => runs.commands.has(kind))).toEqual([]);
  expect(missed(EVENTS, (type) => runs.events.has(type))).toEqual([]);
  const unrecorded = ['insufficient_margin', 'market_not_open', 'market_reduce_only', 'index_not_current', 'order_not_open'];
  expect(missed(unrecorded, (code) => runs.unrecorded.has(code))).toEqual([]);
  // A venue that refuses everything would pass as well.
  expect(runs.records).toBeGreaterThan(SEEDS * 100);
});

test('reports how to repeat a failed world, and its last steps', async () => {
  const throwAway = { submit: () => () => Promise.reject(new Error('planted')) };
  const failing = new WorldRuns(() => undefined).add(7, throwAway);
  await expect(failing).rejects.toThrow(
    /OPENPERP_WORLD_SEED=7 npm test -- [\s\S]*step \d+: operator1 sends .*(BindEnvironment|ListMarket)/,
  );
});

test('creates the same world from the same seed', async () => {
  for (const seed of [7, 8, 9]) expect(await runWorld({ seed })).toEqual(await runWorld({ seed }));
  const [one, other] = [await runWorld({ seed: 7 }), await runWorld({ seed: 8 })];
  expect(one.digest).not.toBe(other.digest);
});
