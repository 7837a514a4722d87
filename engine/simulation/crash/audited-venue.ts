/** A venue whose turns are all audited, and whose own invariants are checked too. Pending work is done at once. */
import { Auditor } from '#simulation/auditor/auditor.ts';
import { compareState } from '#simulation/auditor/state-comparison.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

/** What takes the turns: the venue itself, or one with a fault planted around it. */
export type TurnTaker = Pick<StateMachine, 'turn'>;

export interface AuditedVenueOptions {
  /** The interval, in turns, at which the core's own invariants are checked too. */
  readonly invariantsEvery: number;
  /** Called with every turn, once it is audited. */
  readonly onTurn: (turn: CommittedRecord) => void;
  /** Wraps the venue in a fault that the auditor must find. */
  readonly around?: ((venue: Venue) => TurnTaker) | undefined;
}

/** Limit of the turns that pending work may take. */
const MAX_ADVANCES = 10_000;

export class AuditedVenue {
  readonly auditor = new Auditor();
  readonly #venue = new Venue();
  readonly #turns: TurnTaker;
  readonly #options: AuditedVenueOptions;
  now = 0;
  sequence = 0;

  constructor(options: AuditedVenueOptions) {
    this.#options = options;
    this.#turns = options.around?.(this.#venue) ?? this.#venue;
  }

  /** What traders may read. */
  get state(): VenueState {
    return this.#venue.state;
  }

  /** Runs a command and its pending work. Returns the events of the command. */
  run(command: Command): readonly VenueEvent[] {
    const events = this.#turn(command);
    let last = events;
    for (let count = 0; ; count += 1) {
      const pending = last.find((event) => event.type === 'MarketWorkPending');
      if (pending === undefined) return events;
      if (count > MAX_ADVANCES) throw new Error(`the work of market ${pending.market} never ends`);
      last = this.#turn({ type: 'AdvanceMarket', market: pending.market });
    }
  }

  /** Sends an observation of the index. */
  publish(market: number, { priceAtoms, observedAtEpochMs }: Observation): void {
    this.run({
      type: 'PublishIndexPrice',
      market: market as MarketOrdinal,
      priceAtoms: priceAtoms as PriceAtoms,
      observedAtEpochMs: observedAtEpochMs as EpochMs,
    });
  }

  /** Compares every balance, position and order with the venue's own. */
  compare(): void {
    compareState(this.auditor, this.state);
  }

  #turn(command: Command): readonly VenueEvent[] {
    this.sequence += 1;
    const sequenced = { sequence: this.sequence as Sequence, epochMs: this.now as EpochMs, command };
    const turn = { ...sequenced, events: eventsOfTurn(this.#turns, sequenced) };
    this.auditor.take(turn);
    if (this.sequence % this.#options.invariantsEvery === 0) checkInvariants(this.state);
    this.#options.onTurn(turn);
    return turn.events;
  }
}

/** A price of the underlying, as a source saw it. */
export interface Observation {
  readonly priceAtoms: number;
  readonly observedAtEpochMs: number;
}
