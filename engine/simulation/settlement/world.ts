/**
 * A venue that settles, its owners and the external ledger in a world of faults. One seed determines all of it. Two independent books,
 * of the journal's events and of the ledger's entries, are compared after every step. At the end the faults stop, and every flow must
 * reach an end or wait for its owner.
 */
import { createHash } from 'node:crypto';
import { LedgerUnavailable } from '#settlement/port/ledger.ts';
import { WorldFailed } from '#simulation/failed-world.ts';
import { demand } from '#simulation/world/audit/demand.ts';
import { RandomSource } from '#simulation/world/random-source.ts';
import { StepLog } from '#simulation/world/step-log.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { JournalBooks } from './books/journal-books.ts';
import { SettlementAudit } from './books/settlement-audit.ts';
import { type FaultName, SettlementFaults } from './faults.ts';
import { LedgerSite } from './ledger-site.ts';
import { OlderCopies } from './older-copies.ts';
import { Operator } from './operator.ts';
import { Owner } from './owner.ts';
import { Store, whileTimePasses } from './store.ts';
import { type Plant, VenueLife } from './venue-life.ts';
import { waitsForNothing } from './waiting.ts';

export interface SettlementPlan {
  readonly seed: number;
  readonly steps?: number;
  readonly plant?: Plant;
}

/** The result of a seed. */
export interface SettlementOutcome {
  readonly records: number;
  readonly entries: number;
  readonly starts: number;
  readonly faults: ReadonlyMap<FaultName, number>;
  /** How often each status, step and outcome was seen. */
  readonly seen: ReadonlyMap<string, number>;
  /** SHA-256 over all records and entries. The same seed has the same digest. */
  readonly digest: string;
}

const STEPS = 220;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAX_STARTS = 50;
/** In the quiet end of a world. More than any retry needs. */
const QUIET_STEP_MS = 5_000;
const MAX_QUIET_STEPS = 400;
const LIMITS = { segmentBytes: 16_384, recordsPerSnapshot: 16, msPerSnapshot: 0 };

/** Runs the world of a seed. Throws {@link WorldFailed}. */
export async function runSettlementWorld(plan: SettlementPlan): Promise<SettlementOutcome> {
  const world = new World(plan);
  try {
    return await world.run();
  } catch (cause) {
    // The first finding counts. Later failures may follow from it.
    throw new WorldFailed(plan.seed, world.failure ?? cause, world.log.lastLines);
  }
}

class World {
  readonly log = new StepLog(60);
  readonly #steps: number;
  readonly #plant: Plant;
  readonly #random: RandomSource;
  readonly #faults: SettlementFaults;
  readonly #time = new ManualTime();
  readonly #audit = new SettlementAudit();
  readonly #venueStore: Store;
  readonly #ledgerStore: Store;
  readonly #hasElsewhere: boolean;
  readonly #owners: readonly Owner[];
  /** The newest state of each setup and each funding intent. */
  readonly #states = new Map<string, string>();
  #site!: LedgerSite;
  #operator!: Operator;
  #olderCopies!: OlderCopies;
  #starts = 0;
  /** The first finding of a callback. The next step throws it. */
  failure: unknown;

  constructor({ seed, steps = STEPS, plant = {} }: SettlementPlan) {
    this.#steps = steps;
    this.#plant = plant;
    this.#random = new RandomSource(seed);
    const { log } = this;
    const time = this.#time;
    const faults = new SettlementFaults(this.#random.fork());
    this.#faults = faults;
    this.#venueStore = new Store({ name: 'venue', faults, random: this.#random.fork(), time, log });
    this.#ledgerStore = new Store({ name: 'ledger', faults, random: this.#random.fork(), time, log });
    this.#hasElsewhere = this.#random.chance(0.25);
    const { journal } = this.#audit;
    const onError = (error: unknown) => this.#fail(error);
    this.#owners = Array.from({ length: this.#random.between(1, 4) }, (_, index) => {
      const name = `owner-${index + 1}`;
      return new Owner({ name, random: this.#random.fork(), faults, journal, log, onError });
    });
  }

  async run(): Promise<SettlementOutcome> {
    const shared = { faults: this.#faults, log: this.log, time: this.#time };
    this.#site = await LedgerSite.open({
      ...shared,
      store: this.#ledgerStore,
      random: this.#random.fork(),
      skewMs: this.#random.pick([0, 0, -300_000, 300_000]),
      onSubmitted: (command) => this.#guarded(() => this.#audit.reached(command)),
    });
    this.#operator = new Operator({
      ...shared,
      audit: this.#audit,
      site: this.#site,
      random: this.#random.fork(),
      hasElsewhere: this.#hasElsewhere,
      onError: (error) => this.#fail(error),
    });
    this.#olderCopies = new OlderCopies({
      ...shared,
      audit: this.#audit,
      site: this.#site,
      venueStore: this.#venueStore,
      ledgerStore: this.#ledgerStore,
      random: this.#random.fork(),
      start: (books) => this.#start(books),
      actAsEver: (life) => this.#act(life),
      throwFailure: () => this.#throwFailure(),
    });
    let life = await this.#start();
    for (let step = 0; step < this.#steps; step += 1) {
      this.log.begin();
      await this.#passTime();
      this.#act(life);
      this.#operator.act(life);
      await this.#time.settle();
      life = await this.#disturb(life);
      if (await this.#compare(life)) this.#olderCopies.backUp();
    }
    await this.#finish(life);
    return this.#outcome();
  }

  #act(life: VenueLife): void {
    for (const owner of this.#owners) if (this.#random.chance(0.35)) owner.act(life);
  }

  async #passTime(): Promise<void> {
    if (this.#faults.strikes('day_passes')) {
      this.log.note('a day passes');
      this.#time.pass(DAY_MS + this.#random.between(0, HOUR_MS));
    }
    if (this.#faults.strikes('hour_passes')) {
      this.log.note('an hour passes');
      this.#time.pass(HOUR_MS);
    }
    await this.#time.advance(this.#random.pick([20, 150, 800, 4_000]));
  }

  async #disturb(life: VenueLife): Promise<VenueLife> {
    const faults = this.#faults;
    if (faults.strikes('coordinator_restart')) {
      this.log.note('the coordinator starts over');
      life.restartCoordinator();
    }
    const isCutOfBoth = faults.strikes('power_cut_of_both');
    if (isCutOfBoth) {
      this.log.note('the power of both stores is cut');
      this.#venueStore.files.cutPower();
      this.#ledgerStore.files.cutPower();
    }
    await this.#disturbLedger();
    const isWhole = this.#venueStore.files.hasPower && life.halt === undefined;
    const restored = isWhole ? await this.#olderCopies.disturb(life) : undefined;
    if (restored !== undefined) return restored;
    const isKilled = faults.strikes('venue_kill');
    if (!isKilled && this.#venueStore.files.hasPower && life.halt === undefined) return life;
    if (life.halt !== undefined)
      demand(
        !this.#venueStore.files.hasPower || this.#venueStore.hasFailed,
        `the venue has stopped, and nothing was wrong: ${life.halt.reason} (${life.halt.detail})`,
      );
    return this.#restart(life);
  }

  async #disturbLedger(): Promise<void> {
    const { local } = this.#site;
    await this.#site.disturb();
    if (this.#site.local !== local) await this.#onRunningLedger(() => this.#audit.ledger.reread(this.#site.local));
  }

  async #restart(life: VenueLife): Promise<VenueLife> {
    life.kill();
    if (this.#venueStore.files.hasPower && this.#random.chance(0.5)) this.#venueStore.kill();
    else this.#venueStore.losePower();
    return this.#start();
  }

  /** Starts the venue on what the last life left, as often as necessary. */
  async #start(books = this.#audit.journal): Promise<VenueLife> {
    const store = this.#venueStore;
    store.isStarting = true;
    this.#audit.running = books;
    for (let attempt = 0; attempt < MAX_STARTS; attempt += 1) {
      this.#starts += 1;
      const { files } = store;
      try {
        const life = await whileTimePasses(this.#time, VenueLife.start(this.#lifeParts(books)));
        if (files.hasPower) {
          store.isStarting = false;
          this.log.note(`the venue has started after record ${life.owners.sequence()}`);
          demand(life.owners.sequence() >= books.lastSequence, 'records were published, and are gone after a restart');
          this.#audit.compareDirectory(life.owners, books);
          return life;
        }
        life.kill();
      } catch (cause) {
        if (this.failure !== undefined || (files.hasPower && !store.hasFailed)) throw cause;
      }
      store.losePower();
    }
    throw new Error('the venue does not start');
  }

  #lifeParts(books: JournalBooks) {
    return {
      files: this.#venueStore.files,
      time: this.#time,
      ledger: this.#site.ledger,
      limits: LIMITS,
      plant: this.#plant,
      onRecords: (records: readonly CommittedRecord[]) => this.#guarded(() => books.take(records)),
      onLine: (line: string) => {
        this.log.note(line);
        this.#audit.reported(line);
      },
      onError: (error: unknown) => this.#fail(error),
    };
  }

  /** Returns whether the ledger was read. */
  async #compare(life: VenueLife): Promise<boolean> {
    this.#throwFailure();
    this.#audit.compareDirectory(life.owners);
    this.#countStates(life);
    const { difference } = life.coordinator.status;
    demand(difference === null, `a difference that does not exist: ${difference?.text}`);
    const isRead = await this.#onRunningLedger(() => this.#audit.compare(this.#site.local));
    this.#throwFailure();
    return isRead;
  }

  /** A ledger that has stopped is read after the next step, which starts it again. */
  async #onRunningLedger(read: () => Promise<void>): Promise<boolean> {
    if (!this.#site.isRunning) return false;
    try {
      await read();
      return true;
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      return false;
    }
  }

  /** Stops the faults: every flow reaches its end, or waits for its owner. Then its owners sign all, or nothing for days. */
  async #finish(last: VenueLife): Promise<void> {
    this.log.note('the faults stop');
    this.#faults.areOver = true;
    this.#site.repair();
    await this.#site.restart();
    let life = await this.#restart(last);
    this.#operator.repair(life);
    await this.#untilQuiet(life);
    if (this.#random.chance(0.6)) {
      this.log.note('the owners sign everything');
      await this.#untilQuiet(life, () => {
        for (const owner of this.#owners) owner.act(life, true);
      });
    }
    this.log.note('the owners sign nothing for days');
    for (let day = 0; day < 3; day += 1) {
      this.#time.pass(DAY_MS);
      await this.#untilQuiet(life);
    }
    const open = this.#audit.journal.open('withdrawal');
    demand(open.length === 0, `withdrawals are open after days without their owners: ${open.map((it) => it.ordinal).join(', ')}`);
    life = await this.#restart(life);
    await this.#untilQuiet(life);
    await whileTimePasses(this.#time, life.close());
    await whileTimePasses(this.#time, this.#site.local.close());
    this.#audit.compareReports();
    this.#throwFailure();
  }

  /** Counts the states that setups and funding intents have reached. */
  #countStates({ owners }: VenueLife): void {
    for (const account of this.#audit.journal.parties.keys()) {
      this.#countState(`setup of ${account}`, `setup ${owners.owner(account as AccountOrdinal)!.setup}`);
      for (const { intent, status } of owners.fundingIntents(account as AccountOrdinal))
        this.#countState(`intent ${intent}`, `intent ${status}`);
    }
  }

  #countState(subject: string, state: string): void {
    if (this.#states.get(subject) !== state) this.#audit.journal.see(state);
    this.#states.set(subject, state);
  }

  /** Passes some time, then until no flow can go on by itself. */
  async #untilQuiet(life: VenueLife, act: () => void = () => undefined): Promise<void> {
    for (let step = 0; step < 20; step += 1) await this.#quietStep(life, act);
    for (let step = 0; step < MAX_QUIET_STEPS; step += 1) {
      const waiting = waitsForNothing(this.#audit, this.#time.now());
      if (waiting === undefined) return;
      demand(step < MAX_QUIET_STEPS - 1, `${waiting} does not go on, although nothing fails any more`);
      await this.#quietStep(life, act);
    }
  }

  async #quietStep(life: VenueLife, act: () => void): Promise<void> {
    this.log.begin();
    act();
    await this.#time.advance(QUIET_STEP_MS);
    await this.#compare(life);
  }

  #outcome(): SettlementOutcome {
    const { journal, ledger } = this.#audit;
    const digest = createHash('sha256');
    for (const entry of ledger.entries) digest.update(JSON.stringify(entry));
    digest.update(journal.digestText);
    return {
      records: journal.lastSequence,
      entries: ledger.entries.length,
      starts: this.#starts,
      faults: this.#faults.tally,
      seen: journal.seen,
      digest: digest.digest('hex'),
    };
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (cause) {
      this.#fail(cause);
      throw cause;
    }
  }

  #fail(cause: unknown): void {
    this.failure ??= cause;
  }

  #throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
