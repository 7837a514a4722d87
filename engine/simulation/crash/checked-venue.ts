/**
 * A venue under the eyes of all checkers: after every single turn the money is counted from its events, orders, funding,
 * liquidations and the index are held against their rules, and the core's own invariants are checked.
 */

import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { StateMachine } from '#writer/state-machine.ts';
import { Bookkeeper } from './bookkeeper.ts';
import { FundingKeeper } from './funding-keeper.ts';
import { IndexWatch, type Observation } from './index-watch.ts';
import { LiquidationWatch } from './liquidation-watch.ts';
import { OrderKeeper } from './order-keeper.ts';

/** What takes the turns: the venue itself, or one with a fault planted around it. */
export type TurnTaker = Pick<StateMachine, 'turn'>;

/** A turn of work that is left over ends after this many others, or it never does. */
const MOST_ADVANCES = 10_000;

export class CheckedVenue {
  readonly #venue = new Venue();
  readonly #turns: TurnTaker;
  readonly #invariantsEvery: number;
  readonly #hear: (events: readonly VenueEvent[]) => void;
  readonly money = new Bookkeeper();
  readonly orders = new OrderKeeper();
  readonly index = new IndexWatch();
  readonly #funding = new FundingKeeper();
  readonly #liquidations = new LiquidationWatch();
  now = 0;
  sequence = 0;

  /** `hear` is told the events of every turn once they are checked; `around` may put a fault around the venue. */
  constructor(
    invariantsEvery: number,
    hear: (events: readonly VenueEvent[]) => void,
    around: (venue: Venue) => TurnTaker = (venue) => venue,
  ) {
    this.#invariantsEvery = invariantsEvery;
    this.#hear = hear;
    this.#turns = around(this.#venue);
  }

  /** What traders may look at. */
  get state(): VenueState {
    return this.#venue.state;
  }

  /** Takes a turn, and those of the work that it leaves over. Answers the events of the first. */
  run(command: Command): VenueEvent[] {
    const events = this.#turn(command);
    let last = events;
    for (let count = 0; ; count += 1) {
      const pending = last.find((event) => event.type === 'MarketWorkPending');
      if (pending === undefined) return events;
      if (count > MOST_ADVANCES) throw new Error(`market ${pending.market} never comes to an end`);
      last = this.#turn({ type: 'AdvanceMarket', market: pending.market });
    }
  }

  /** Sends what a source of the index saw. The index watch hears it from here, not from the venue. */
  publish(market: number, { priceAtoms, observedAtEpochMs }: Observation): void {
    this.index.published(market, { priceAtoms, observedAtEpochMs });
    this.run({
      type: 'PublishIndexPrice',
      market: market as MarketOrdinal,
      priceAtoms: priceAtoms as PriceAtoms,
      observedAtEpochMs: observedAtEpochMs as EpochMs,
    });
  }

  #turn(command: Command): VenueEvent[] {
    this.sequence += 1;
    const sequenced = { sequence: this.sequence as Sequence, epochMs: this.now as EpochMs, command };
    const events = eventsOfTurn(this.#turns, sequenced);
    this.money.turn(events);
    this.orders.turn(events);
    this.index.turn(events, this.now);
    this.#funding.turn(events);
    this.#liquidations.turn(events);
    if (this.sequence % this.#invariantsEvery === 0) checkInvariants(this.state);
    this.#hear(events);
    return events;
  }
}
