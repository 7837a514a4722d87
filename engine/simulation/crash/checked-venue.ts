/**
 * A venue under the eyes of all checkers: after every single turn money, orders, funding, liquidations and the index are
 * held against what they must be, and the core's own invariants are checked. Work that a turn leaves over is done at once.
 */

import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import { Checkers } from './checkers.ts';
import type { Observation } from './index-watch.ts';

/** What takes the turns: the venue itself, or one with a fault planted around it. */
export type TurnTaker = Pick<StateMachine, 'turn'>;

export interface CheckedVenueOptions {
  /** The markets as they will be listed, in that order. */
  readonly markets: readonly MarketSpecification[];
  /** Every so many turns the core's own invariants are checked too: 1 is after every one. */
  readonly invariantsEvery: number;
  /** Is told the events of every turn, once they are checked. */
  readonly hear: (events: readonly VenueEvent[], epochMs: number) => void;
  /** Puts a fault around the venue, to see it found. */
  readonly around?: ((venue: Venue) => TurnTaker) | undefined;
}

/** Work that is left over is done after this many turns, or never. */
const MOST_ADVANCES = 10_000;

export class CheckedVenue {
  readonly #venue = new Venue();
  readonly #turns: TurnTaker;
  readonly #checkers: Checkers;
  readonly #options: CheckedVenueOptions;
  now = 0;
  sequence = 0;

  constructor(options: CheckedVenueOptions) {
    this.#options = options;
    this.#turns = options.around?.(this.#venue) ?? this.#venue;
    this.#checkers = new Checkers(options.markets);
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

  /** Sends what a source of the index saw. The checkers hear it from here, not from the venue. */
  publish(market: number, { priceAtoms, observedAtEpochMs }: Observation): VenueEvent[] {
    this.#checkers.published(market, { priceAtoms, observedAtEpochMs });
    return this.run({
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
    this.#checkers.turn(events, this.now);
    if (this.sequence % this.#options.invariantsEvery === 0) checkInvariants(this.state);
    this.#options.hear(events, this.now);
    return events;
  }
}
