/** The turns of a world, a crash and a recount in a venue without a fault: faults are planted in copies of them. */
import { CandlePath } from '#prices/candle-path.ts';
import { CRASH_MARKETS } from '#simulation/crash/crash-parameters.ts';
import { runCrash } from '#simulation/crash/crash-run.ts';
import { BTC_CRASH, ETH_CRASH, syntheticCrash } from '#simulation/crash/synthetic-crash.ts';
import { runRecount } from '#simulation/recount-run.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { runWorld } from '#simulation/world/world.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

export type RunName = 'world' | 'crash' | 'recount';
export type RecordedRuns = Readonly<Record<RunName, readonly (readonly CommittedRecord[])[]>>;

const WORLD_SEEDS = 80;
/** In this world the insurance fund pays for a fill. In most it does not: positions are deleveraged before they are bankrupt. */
const INSURED_WORLD_SEED = 166;
const RECOUNT_SEEDS = 5;
const RECOUNT_OPERATIONS = 6_000;
/** Short, with an hour that ends in the outage. */
const CRASH_MINUTES = { calm: 50, outage: 20, slide: 30, plunge: 30, recovery: 5 };

export async function recordRuns(): Promise<RecordedRuns> {
  const worlds = [];
  for (let seed = 1; seed <= WORLD_SEEDS; seed += 1) worlds.push(await recordWorld(seed));
  worlds.push(await recordWorld(INSURED_WORLD_SEED));
  const recounts = [];
  for (let seed = 1; seed <= RECOUNT_SEEDS; seed += 1) recounts.push(await recordRecount(seed));
  return { world: worlds, crash: [recordCrash()], recount: recounts };
}

/** The committed records of a world, each once, in order. */
export async function recordWorld(seed: number): Promise<CommittedRecord[]> {
  const turns: CommittedRecord[] = [];
  await runWorld({
    seed,
    plant: {
      // After a restart records are published again.
      follow: (follow) => (group) => {
        for (const record of group.records) if (record.sequence === turns.length + 1) turns.push(record);
        follow(group);
      },
    },
  });
  return turns;
}

async function recordRecount(seed: number): Promise<CommittedRecord[]> {
  const turns: CommittedRecord[] = [];
  await runRecount({
    seed,
    operations: RECOUNT_OPERATIONS,
    compareEvery: RECOUNT_OPERATIONS,
    onTurn: (turn) => turns.push(turn),
  });
  return turns;
}

function recordCrash(): CommittedRecord[] {
  const turns: CommittedRecord[] = [];
  const random = seededRandom(519);
  const paths = [BTC_CRASH, ETH_CRASH].map((shape) => new CandlePath(syntheticCrash(shape, random, CRASH_MINUTES)));
  runCrash({
    markets: CRASH_MARKETS,
    paths,
    fromEpochMs: paths[0]!.startsAtEpochMs,
    toEpochMs: paths[0]!.endsAtEpochMs,
    random,
    invariantsEvery: Number.POSITIVE_INFINITY,
    onTurn: (turn) => turns.push(turn),
  });
  return turns;
}
