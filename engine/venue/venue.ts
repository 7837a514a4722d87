/**
 * The venue: one state, one command at a time. A turn plans first, which only reads and may refuse, and then commits,
 * which cannot. The same commands at the same times make the same events and the same state, to the byte.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { StateAudit } from './audit/state-audit.ts';
import { auditOf } from './audit/venue-audit.ts';
import type { Command, PlaceOrder } from './command.ts';
import { ruleOf } from './command-rules.ts';
import { type NamedOrders, type OrderName, openOrdersOf, ordersNamed } from './order/open-orders.ts';
import { previewPlacement } from './order/preview.ts';
import type { Preview } from './preview.ts';
import type { ByteWriter } from './record/cursor.ts';
import type { EventWriter } from './record/event-writer.ts';
import type { Refusal } from './refusal.ts';
import { readState, writeState } from './snapshot.ts';
import { VenueState } from './state.ts';
import { Turn } from './turn.ts';

/** A command with the place and time that the writer gave it. Time never goes back. */
export interface SequencedCommand {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
}

export interface VenueCounts {
  readonly trades: number;
  readonly accounts: number;
}

/**
 * What the rules below are called in the journal: a change of behaviour is a new version; from the first release on, so is a command,
 * an event or a layout of the state that earlier programs cannot read.
 */
export const RULES_VERSION = 3;
/** Records and states of older rules than these are written in another way, which nothing here reads. */
export const OLDEST_RULES_VERSION = 3;

const NO_ORDER = 0 as OrderOrdinal;

export class Venue {
  readonly #state: VenueState;
  readonly #turn: Turn;
  /** Apart from the turn, so that a preview changes nothing that a turn may still read. */
  readonly #preview: Turn;

  constructor(state: VenueState = new VenueState()) {
    this.#state = state;
    this.#turn = new Turn(state);
    this.#preview = new Turn(state);
  }

  /** The venue that a snapshot was taken of. Throws `MalformedRecord` for bytes that are no snapshot. */
  static restore(snapshot: Uint8Array): Venue {
    return new Venue(readState(snapshot));
  }

  /** The whole state as bytes: same state, same bytes. They lie in the memory that is lent, or are the caller's to keep. */
  snapshot(lent?: ByteWriter): Uint8Array {
    return writeState(this.#state, lent);
  }

  /** Counts, sums and digests of all that can still change, to hold a copy of the state against. */
  audit(): StateAudit {
    return auditOf(this.#state);
  }

  /** How many trades there were, and how many accounts were opened. */
  counts(): VenueCounts {
    return { trades: this.#state.lastTrade, accounts: this.#state.accounts.length - 1 };
  }

  /** For the checkers of the core alone. */
  get state(): VenueState {
    return this.#state;
  }

  /** Takes one command and writes what comes of it: at least one event. Throws only where the venue itself is at fault. */
  turn({ command, epochMs }: SequencedCommand, events: EventWriter): void {
    const turn = this.#turn;
    turn.begin(epochMs, events);
    const { plan, commit } = ruleOf(command);
    const refusal = plan(turn, command);
    if (refusal === undefined) commit(turn, command);
    else refuse(refusal, events);
  }

  /** What placing an order would do now; changes nothing. */
  preview(command: PlaceOrder, now: EpochMs): Preview {
    this.#preview.now = now;
    return previewPlacement(this.#preview, command);
  }

  /** Which orders of the account a cancel would end that names them so; changes nothing. */
  ordersNamed(account: AccountOrdinal, names: readonly OrderName[], now: EpochMs): NamedOrders | undefined {
    return ordersNamed(this.#state, account, names, now);
  }

  /** All open orders of an account, in one market or in all, from the oldest to the newest. */
  openOrders(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[] {
    return openOrdersOf(this.#state, account, market);
  }
}

function refuse({ code, order = NO_ORDER, bound = 0 }: Refusal, events: EventWriter): void {
  events.emit({ type: 'CommandRefused', code, order, bound });
}
