/**
 * A venue in a world of faults. One seed determines the senders and their commands, the delays and failures of the disk, the
 * power cuts and the clocks. The auditor checks every record and every start.
 */
import { createHash } from 'node:crypto';
import { WorldFailed } from '#simulation/failed-world.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import type { WriterLimits } from '#writer/writer.ts';
import { demand } from './audit/demand.ts';
import { WorldAudit } from './audit/world-audit.ts';
import { WorldDisk } from './disk.ts';
import type { FaultTally } from './faults.ts';
import { Faults } from './faults.ts';
import { RandomSource } from './random-source.ts';
import { Restarts } from './restarts.ts';
import { StepLog } from './step-log.ts';
import { Traffic, type TrafficParts } from './traffic.ts';
import type { Plant, VenueLife } from './venue-life.ts';
import { Population } from './workload/population.ts';
import { PriceFeed } from './workload/price-feed.ts';
import { PublicView } from './workload/public-view.ts';

export interface WorldPlan {
  readonly seed: number;
  readonly steps?: number;
  readonly plant?: Plant;
}

/** The result of a seed. */
export interface WorldOutcome {
  readonly records: number;
  readonly starts: number;
  readonly faults: FaultTally;
  /** How often each command, each event and each refusal occurred. */
  readonly commands: ReadonlyMap<string, number>;
  readonly events: ReadonlyMap<string, number>;
  readonly refusals: ReadonlyMap<string, number>;
  /** How often each refusal occurred that is not in the journal. */
  readonly unrecorded: ReadonlyMap<string, number>;
  /** SHA-256 over all committed records. The same seed has the same digest. */
  readonly digest: string;
}

const STEPS = 280;
/** Limit of the repeats of requests with unknown outcomes after the faults have stopped. */
const MAX_FINAL_REPEATS = 3;
const MAX_ROUNDS = 5_000;

/** Runs the world of a seed. Throws {@link WorldFailed}. */
export async function runWorld(plan: WorldPlan): Promise<WorldOutcome> {
  const world = new World(plan);
  try {
    return await world.run();
  } catch (cause) {
    // The first finding counts. Later failures may follow from it.
    throw new WorldFailed(plan.seed, world.failure ?? cause, world.log.lastLines);
  }
}

class World {
  readonly log = new StepLog();
  readonly #steps: number;
  readonly #random: RandomSource;
  readonly #faults: Faults;
  readonly #clock = new ManualTime();
  readonly #disk: WorldDisk;
  readonly #audit: WorldAudit;
  readonly #view = new PublicView();
  readonly #traffic: Traffic;
  readonly #restarts: Restarts;
  readonly #digest = createHash('sha256');
  readonly #commands = new Map<string, number>();
  readonly #events = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #unrecorded = new Map<string, number>();
  /** The first finding of a callback. The next step throws it. */
  failure: unknown;

  constructor({ seed, steps = STEPS, plant = {} }: WorldPlan) {
    this.#steps = steps;
    this.#random = new RandomSource(seed);
    this.#faults = new Faults(this.#random.fork());
    this.#disk = new WorldDisk(this.#faults, this.#random.fork(), this.log);
    const limits = limitsOf(this.#random.fork());
    const archiveAfterMs = this.#random.chance(0.5) ? 1_000 : undefined;
    const rules: StateMachineRules = plant.rules?.(venueRules) ?? venueRules;
    this.#audit = new WorldAudit(rules, limits);
    const clock = this.#clock;
    const scene = {
      view: this.#view,
      feed: new PriceFeed(this.#faults, this.#random.fork()),
      nowEpochMs: () => clock.trueEpochMs,
    };
    const shared = { faults: this.#faults, log: this.log, onFailure: (cause: unknown) => this.#fail(cause) };
    const audit = this.#audit.durability;
    const population = new Population(this.#random.fork());
    const onUnrecorded: TrafficParts['onUnrecorded'] = (request, refusal) => {
      this.#audit.refused(request, refusal);
      count(this.#unrecorded, refusal.code);
    };
    this.#traffic = new Traffic({ ...shared, population, scene, audit, onUnrecorded, random: this.#random.fork() });
    this.#restarts = new Restarts({
      ...shared,
      disk: this.#disk,
      clock,
      audit: this.#audit,
      random: this.#random.fork(),
      life: { rules, limits, archiveAfterMs, follow: (group) => this.#follow(group), plant },
    });
  }

  async run(): Promise<WorldOutcome> {
    let life = await this.#restarts.start();
    for (let step = 0; step < this.#steps; step += 1) {
      this.log.begin();
      this.#passTime();
      for (let count = this.#random.between(0, 4); count > 0; count -= 1) this.#traffic.act();
      this.#traffic.deliver(life.submit);
      this.#disk.work();
      await sweep();
      await this.#restarts.disturb(life);
      if (this.#restarts.isOver(life) || this.#random.chance(0.008)) life = await this.#restarts.restart(life);
      this.#throwFailure();
    }
    await this.#finish(life);
    return {
      records: this.#audit.durability.lastSequence,
      starts: this.#restarts.starts,
      faults: this.#faults.tally,
      commands: this.#commands,
      events: this.#events,
      refusals: this.#refusals,
      unrecorded: this.#unrecorded,
      digest: this.#digest.digest('hex'),
    };
  }

  /** Stops the faults, settles all requests, and restarts and closes the venue. */
  async #finish(last: VenueLife): Promise<void> {
    this.#faults.areOver = true;
    this.#disk.makeRoom();
    this.log.note('the faults stop');
    let life = last;
    for (let round = 0; round < MAX_FINAL_REPEATS; round += 1) {
      life = await this.#settle(life);
      if (this.#traffic.retry() === 0) break;
    }
    life = await this.#settle(life);
    const restarted = await this.#restarts.restart(life);
    await this.#restarts.stop(restarted);
    this.#throwFailure();
  }

  /** Delivers all pending requests, until each has a response. */
  async #settle(last: VenueLife): Promise<VenueLife> {
    let life = last;
    for (let round = 0; !this.#traffic.isIdle; round += 1) {
      demand(round < MAX_ROUNDS, `${this.#traffic.underWay} requests are never answered`);
      this.log.begin();
      this.#traffic.deliver(life.submit);
      this.#disk.work();
      await sweep();
      if (this.#restarts.isOver(life)) life = await this.#restarts.restart(life);
      this.#throwFailure();
    }
    return life;
  }

  #passTime(): void {
    const { fraction } = this.#random;
    this.#clock.pass(Math.floor(fraction() * (this.#random.chance(0.01) ? 7_200_000 : 4_000)));
    if (this.#faults.strikes('clock_forward')) this.#setClock(1);
    if (this.#faults.strikes('clock_backward')) this.#setClock(-1);
    if (this.#random.chance(0.04)) this.#clock.correctClock();
  }

  #setClock(direction: number): void {
    const ms = direction * Math.floor(10 ** (2 + this.#random.fraction() * 5));
    this.log.note(`the wall clock is set by ${ms} ms`);
    this.#clock.setClockBy(ms);
  }

  #follow(group: CommittedGroup): void {
    try {
      for (const record of this.#audit.published(group, this.#clock.elapsedMs())) {
        this.#digest.update(JSON.stringify(record));
        count(this.#commands, record.command.type);
        for (const event of record.events) {
          count(this.#events, event.type);
          if (event.type === 'TradeExecuted' && event.origin !== 'client')
            count(this.#events, `${event.type} by ${event.origin}`);
          if (event.type === 'CommandRefused' || event.type === 'EntryRefused') count(this.#refusals, event.code);
          this.#view.take(event);
        }
      }
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #fail(cause: unknown): void {
    this.failure ??= cause;
  }

  #throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

/** Small limits, so that runs reach them. */
function limitsOf(random: RandomSource): WriterLimits {
  const groupBytes = random.pick([2_048, 8_192, 65_536]);
  return {
    maxQueued: random.pick([4, 16, 64]),
    maxGroupRecords: random.pick([1, 3, 8, 32]),
    maxGroupBytes: groupBytes,
    segmentBytes: random.pick([4_096, 16_384, 65_536]),
    recordsPerSnapshot: random.pick([7, 30, 100, 1_000_000]),
    msPerSnapshot: random.pick([0, 20_000]),
    retentionMs: random.pick([60_000, 3_600_000, 86_400_000]),
    maxKeys: random.pick([60, 10_000]),
    maxKeysPerAccount: random.pick([5, 40, 10_000]),
    refusedBytesAtOnce: random.pick([600, 1_000_000]),
    refusedBytesPerSecond: random.pick([0, 20]),
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Runs pending callbacks, until they wait for the disk or for the next step. */
export async function sweep(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
