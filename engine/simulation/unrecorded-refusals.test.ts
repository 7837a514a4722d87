/**
 * Unstored refusals leave no trace: a run of the venue with many of them has the same journal and state, byte for byte, as the
 * run without them. `OPENPERP_REFUSAL_SEEDS=1000` runs more seeds (5 by default).
 */
import { expect, test } from 'vitest';
import { systemTime } from '#time/system-time.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { Outcome, Submission } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter } from '#writer/writer.ts';
import { PowerCutFiles } from './power-cut-files.ts';
import { digestOf, FROM_THE_START } from './toy-writer.ts';
import { Faults } from './world/faults.ts';
import { RandomSource } from './world/random-source.ts';
import { Population } from './world/workload/population.ts';
import { PriceFeed } from './world/workload/price-feed.ts';
import { PublicView } from './world/workload/public-view.ts';

const SEEDS = Number(process.env.OPENPERP_REFUSAL_SEEDS ?? 5);
const BURSTS = 250;
/** Snapshots in between are part of what is compared. */
const LIMITS = {
  recordsPerSnapshot: 60,
  msPerSnapshot: 0,
  segmentBytes: 64 << 10,
  refusedBytesAtOnce: 1_000,
  refusedBytesPerSecond: 20,
};

/** The submissions of one iteration of the event loop, which form one group. */
interface Burst {
  readonly epochMs: number;
  readonly submissions: readonly Submission[];
}

interface Run {
  readonly outcomes: readonly (readonly Outcome[])[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly state: Uint8Array;
}

/** Submits bursts until `next` returns `undefined`. `next` receives the outcomes of the last burst. */
async function run(next: (last: readonly Outcome[]) => Burst | undefined): Promise<Run> {
  const files = new PowerCutFiles();
  const clock = { epochMs: 1_700_000_000_000 };
  const writer = await openWriter({
    files,
    clock: { now: () => clock.epochMs as EpochMs },
    steadyClock: { elapsedMs: () => clock.epochMs },
    timers: systemTime.timers,
    rules: venueRules,
    follow: () => undefined,
    followFrom: FROM_THE_START,
    onHalt: ({ detail }) => expect.unreachable(detail),
    limits: LIMITS,
  });
  const outcomes: (readonly Outcome[])[] = [];
  for (let burst = next([]); burst !== undefined; burst = next(outcomes.at(-1)!)) {
    clock.epochMs = burst.epochMs;
    outcomes.push(await Promise.all(burst.submissions.map((submission) => writer.submit(submission))));
  }
  const state = writer.peek((venue) => venue.snapshot());
  await writer.close();
  return { outcomes, files: files.contents(), state };
}

/** The senders of a test world send commands, each with a key of its own. Half of the unrecorded refusals are repeated. */
function workload(seed: number, bursts: Burst[]): (last: readonly Outcome[]) => Burst | undefined {
  const random = new RandomSource(seed);
  const population = new Population(random.fork());
  const view = new PublicView();
  let epochMs = 1_700_000_000_000;
  let keys = 0;
  const scene = { view, feed: new PriceFeed(new Faults(random.fork()), random.fork()), nowEpochMs: () => epochMs };
  const keyed = (command: Command): Submission => {
    keys += 1;
    return { command, idempotency: { keyDigest: digestOf(`key ${keys}`), bodyDigest: digestOf(JSON.stringify(command)) } };
  };
  return (last) => {
    for (const { events } of last) for (const event of events) view.take(event);
    if (bursts.length === BURSTS) return undefined;
    epochMs += random.between(1, 400);
    const commands =
      bursts.length === 0
        ? population.opening
        : Array.from({ length: random.between(1, 9) }, () => population.next(scene)?.command);
    const again = last.flatMap(({ isUnrecorded }, place) =>
      isUnrecorded && random.chance(0.5) ? [bursts.at(-1)!.submissions[place]!] : [],
    );
    const submissions = [...again, ...commands.flatMap((command) => (command === undefined ? [] : [keyed(command)]))];
    bursts.push({ epochMs, submissions });
    return bursts.at(-1);
  };
}

test(`writes the same bytes with and without unstored refusals in ${SEEDS} runs`, {
  timeout: 600_000 + SEEDS * 5_000,
}, async () => {
  const refused = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const bursts: Burst[] = [];
    const withRefusals = await run(workload(seed, bursts));
    const recorded = bursts.map(({ epochMs, submissions }, burst) => ({
      epochMs,
      submissions: submissions.filter((_, place) => {
        const outcome = withRefusals.outcomes[burst]![place]!;
        if (outcome.isUnrecorded)
          refused.set(
            `${outcome.command.type} ${outcome.code}`,
            (refused.get(`${outcome.command.type} ${outcome.code}`) ?? 0) + 1,
          );
        return !outcome.isUnrecorded;
      }),
    }));
    const remaining = recorded.values();
    const without = await run(() => remaining.next().value);
    expect(
      without.outcomes.flat().some(({ isUnrecorded }) => isUnrecorded),
      `seed ${seed}`,
    ).toBe(false);
    expect(Buffer.compare(without.state, withRefusals.state), `the states of seed ${seed} differ`).toBe(0);
    expect([...without.files.keys()]).toEqual([...withRefusals.files.keys()]);
    for (const [name, bytes] of without.files)
      expect(Buffer.compare(bytes, withRefusals.files.get(name)!), `seed ${seed}: ${name}`).toBe(0);
  }
  for (const kind of [
    'PlaceOrder insufficient_margin',
    'PlaceOrder index_not_current',
    'PlaceOrders insufficient_margin',
    'CancelOrder order_not_open',
  ])
    expect(refused.get(kind), kind).toBeGreaterThan(0);
});
