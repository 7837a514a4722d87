/**
 * Random commands to a venue from all traders of a test world. Every turn is audited. Every balance is periodically compared with
 * the venue's own.
 */
import { Auditor } from '#simulation/auditor/auditor.ts';
import { compareState } from '#simulation/auditor/state-comparison.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { eventsOfTurn } from './turn-events.ts';
import { Faults } from './world/faults.ts';
import { RandomSource } from './world/random-source.ts';
import { Population } from './world/workload/population.ts';
import { PriceFeed } from './world/workload/price-feed.ts';
import { PublicView } from './world/workload/public-view.ts';
import type { Scene } from './world/workload/sender.ts';

export interface RecountPlan {
  readonly seed: number;
  readonly operations: number;
  /** The interval, in operations, at which all balances are compared with the venue's. */
  readonly compareEvery: number;
  /** Changes the events before they are audited: for planted faults. */
  readonly tamper?: (events: readonly VenueEvent[]) => readonly VenueEvent[];
  /** Changes the state after an operation, without an event: for planted faults. */
  readonly damage?: { readonly operation: number; readonly change: (state: VenueState) => void };
  /** Called with every turn, once it is audited. */
  readonly onTurn?: (turn: CommittedRecord) => void;
  readonly report?: (line: string) => void;
}

export interface RecountFigures {
  operations: number;
  refused: number;
  comparisons: number;
  /** How often each event occurred. */
  readonly events: Map<string, number>;
}

const REPORT_EVERY = 500_000;
/** The event loop runs this often, in operations. */
const YIELD_EVERY = 20_000;

/** Rejects with {@link RecountFailed} at the first operation that the auditor finds fault with. */
export async function runRecount(plan: RecountPlan): Promise<RecountFigures> {
  const run = new RecountRun(plan);
  await run.run();
  return run.figures;
}

class RecountRun {
  readonly figures: RecountFigures = { operations: 0, refused: 0, comparisons: 0, events: new Map() };
  readonly #plan: RecountPlan;
  readonly #random: RandomSource;
  readonly #venue = new Venue();
  readonly #auditor = new Auditor();
  readonly #view = new PublicView();
  readonly #population: Population;
  readonly #scene: Scene;
  #epochMs = 1_700_000_000_000;

  constructor(plan: RecountPlan) {
    this.#plan = plan;
    this.#random = new RandomSource(plan.seed);
    this.#population = new Population(this.#random.fork());
    const feed = new PriceFeed(new Faults(this.#random.fork()), this.#random.fork());
    this.#scene = { view: this.#view, feed, nowEpochMs: () => this.#epochMs };
  }

  async run(): Promise<void> {
    for (const command of this.#population.opening) this.#operate(command);
    while (this.figures.operations < this.#plan.operations) {
      const next = this.#population.next(this.#scene);
      if (next !== undefined) this.#operate(next.command);
      if (this.figures.operations % YIELD_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#compare();
  }

  #operate(command: Command): void {
    this.figures.operations += 1;
    this.#epochMs += this.#random.between(0, 400);
    const sequenced = { sequence: this.figures.operations as Sequence, epochMs: this.#epochMs as EpochMs, command };
    const events = eventsOfTurn(this.#venue, sequenced);
    const published = this.#plan.tamper?.(events) ?? events;
    if (published[0]?.type === 'CommandRefused') this.figures.refused += 1;
    for (const event of events) {
      this.figures.events.set(event.type, (this.figures.events.get(event.type) ?? 0) + 1);
      this.#view.take(event);
    }
    try {
      this.#auditor.take({ ...sequenced, events: published });
    } catch (cause) {
      this.#fail(cause);
    }
    this.#plan.onTurn?.({ ...sequenced, events });
    const { damage } = this.#plan;
    if (damage?.operation === this.figures.operations) damage.change(this.#venue.state);
    if (this.figures.operations % this.#plan.compareEvery === 0) this.#compare();
    if (this.figures.operations % REPORT_EVERY === 0) this.#plan.report?.(`${this.figures.operations} operations`);
  }

  #compare(): void {
    this.figures.comparisons += 1;
    const { state } = this.#venue;
    try {
      compareState(this.#auditor, state);
    } catch (cause) {
      this.#fail(cause);
    }
    checkInvariants(state);
  }

  #fail(cause: unknown): never {
    const place = `after operation ${this.figures.operations} of seed ${this.#plan.seed}`;
    throw new RecountFailed(`${place}: ${String(cause)}`, { cause });
  }
}

export class RecountFailed extends Error {
  override readonly name = 'RecountFailed';
}
