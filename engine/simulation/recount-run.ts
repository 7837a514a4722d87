/**
 * Random operations on a venue by everyone who trades in a test world, and after each of them the money, counted from its
 * events by code that knows nothing of the venue; now and then every balance against the venue's own.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import { RawBalances } from './recount.ts';
import { eventsOfTurn } from './turn-events.ts';
import { Dice } from './world/dice.ts';
import { Faults } from './world/faults.ts';
import { Population } from './world/workload/population.ts';
import { PriceFeed } from './world/workload/price-feed.ts';
import { PublicView } from './world/workload/public-view.ts';
import type { Scene } from './world/workload/sender.ts';

export interface RecountPlan {
  readonly seed: number;
  readonly operations: number;
  /** Every so many operations all balances are compared one by one. */
  readonly compareEvery: number;
  /** Comes between the venue and who counts: for faults that are planted. */
  readonly tamper?: (events: readonly VenueEvent[]) => readonly VenueEvent[];
  readonly report?: (line: string) => void;
}

export interface RecountFigures {
  operations: number;
  refused: number;
  comparisons: number;
  /** How often each event was seen. */
  readonly events: Map<string, number>;
}

const REPORT_EVERY = 500_000;
/** Whoever waits for the run gets a turn as often as this. */
const REST_EVERY = 20_000;

/** Rejects at the first operation after which the money does not add up. */
export async function runRecount(plan: RecountPlan): Promise<RecountFigures> {
  const run = new RecountRun(plan);
  await run.run();
  return run.figures;
}

class RecountRun {
  readonly figures: RecountFigures = { operations: 0, refused: 0, comparisons: 0, events: new Map() };
  readonly #plan: RecountPlan;
  readonly #dice: Dice;
  readonly #venue = new Venue();
  readonly #balances = new RawBalances();
  readonly #view = new PublicView();
  readonly #population: Population;
  readonly #scene: Scene;
  #epochMs = 1_700_000_000_000;

  constructor(plan: RecountPlan) {
    this.#plan = plan;
    this.#dice = new Dice(plan.seed);
    this.#population = new Population(this.#dice.fork());
    const feed = new PriceFeed(new Faults(this.#dice.fork()), this.#dice.fork());
    this.#scene = { view: this.#view, feed, nowEpochMs: () => this.#epochMs };
  }

  async run(): Promise<void> {
    for (const command of this.#population.opening) this.#operate(command);
    while (this.figures.operations < this.#plan.operations) {
      const next = this.#population.next(this.#scene);
      if (next !== undefined) this.#operate(next.command);
      if (this.figures.operations % REST_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#compare();
  }

  #operate(command: Command): void {
    this.figures.operations += 1;
    this.#epochMs += this.#dice.between(0, 400);
    const sequenced = { sequence: this.figures.operations as Sequence, epochMs: this.#epochMs as EpochMs, command };
    const happened = eventsOfTurn(this.#venue, sequenced);
    const told = this.#plan.tamper?.(happened) ?? happened;
    if (told[0]?.type === 'CommandRefused') this.figures.refused += 1;
    for (const event of happened) {
      this.figures.events.set(event.type, (this.figures.events.get(event.type) ?? 0) + 1);
      this.#view.take(event);
    }
    this.#balances.take(command, told);
    if (this.#balances.imbalance !== 0) this.#fail(command, told, `${this.#balances.imbalance} too much`);
    if (this.figures.operations % this.#plan.compareEvery === 0) this.#compare();
    if (this.figures.operations % REPORT_EVERY === 0) this.#plan.report?.(`${this.figures.operations} operations`);
  }

  /** Every single balance, ours against the venue's. */
  #compare(): void {
    this.figures.comparisons += 1;
    const { state } = this.#venue;
    checkInvariants(state);
    const own = JSON.stringify(ownBalances(this.#balances));
    const venues = JSON.stringify(venueBalances(state));
    if (own !== venues)
      throw new Error(`after operation ${this.figures.operations} of seed ${this.#plan.seed}: ${own}, not ${venues}`);
    if (this.#balances.recountedImbalance() !== 0) throw new Error('the balances, summed up anew, are not what came in');
  }

  #fail(command: Command, events: readonly VenueEvent[], what: string): never {
    const where = `after operation ${this.figures.operations} of seed ${this.#plan.seed}`;
    throw new Error(`${where} there is ${what}: ${JSON.stringify(command)} came to ${JSON.stringify(events)}`);
  }
}

type Balances = readonly [name: string, ...amounts: number[]][];

function ownBalances({ cash, ledgers, positions, fromOutside }: RawBalances): Balances {
  const held = [...positions].map(([key, { margin, signedEntry }]): Balances[number] => [key, margin, signedEntry]);
  const owned = [...cash]
    .filter(([, amount]) => amount !== 0)
    .map(([account, amount]): Balances[number] => [`${account}`, amount]);
  return sorted([...Object.entries(ledgers), ...owned, ...held, ['from outside', fromOutside]]);
}

function venueBalances({ ledgers, accounts, netDepositsAtoms }: VenueState): Balances {
  const balances: [string, ...number[]][] = [...Object.entries(ledgers), ['from outside', netDepositsAtoms]];
  for (const account of accounts) {
    if (account === undefined) continue;
    if (account.cashAtoms !== 0) balances.push([`${account.ordinal}`, account.cashAtoms]);
    for (const position of account.positions) {
      if (position === undefined || position.signedBaseAtoms === 0) continue;
      const { entryNotionalAtoms, signedBaseAtoms, marginAtoms } = position;
      const signedEntry = signedBaseAtoms < 0 ? -entryNotionalAtoms : entryNotionalAtoms;
      balances.push([`${account.ordinal}/${position.market}`, marginAtoms, signedEntry]);
    }
  }
  return sorted(balances);
}

function sorted(balances: Balances): Balances {
  return [...balances].sort(([left], [right]) => (left < right ? -1 : 1));
}
