/**
 * The venue: one state, one command at a time. A turn first plans: it only reads, and may refuse. Then it commits, which cannot
 * refuse. The same commands at the same times produce the same events and the same state, byte for byte.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { StateAudit } from './audit/state-audit.ts';
import { auditOf } from './audit/venue-audit.ts';
import type { Command, PlaceOrder } from './command.ts';
import { ruleOf } from './command-rules.ts';
import type { CancelTimer } from './order/cancel-timers.ts';
import { hasDueOrders } from './order/due-orders.ts';
import { type NamedOrders, type OrderName, openOrdersOf, ordersNamed } from './order/open-orders.ts';
import { previewPlacement } from './order/preview.ts';
import type { Preview } from './preview.ts';
import type { ByteWriter } from './record/cursor.ts';
import type { EventWriter } from './record/event-writer.ts';
import type { Refusal } from './refusal.ts';
import { RISK_RULES, type RiskRules } from './risk/risk-rules.ts';
import { readState, writeState } from './snapshot.ts';
import { VenueState } from './state.ts';
import { Turn } from './turn.ts';

/** A command with the sequence and time from the writer. Time never decreases. */
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
 * The version of the rules, as recorded in the journal. Every change of behaviour needs a new version. From the first release on,
 * so does every command, event or state layout that earlier programs cannot read.
 */
export const RULES_VERSION = 4;
/** The oldest version whose records and snapshots this program can read. */
export const OLDEST_RULES_VERSION = 3;

const NO_ORDER = 0 as OrderOrdinal;

export class Venue {
  readonly #state: VenueState;
  readonly #turn: Turn;
  /** Separate working objects, so that a preview changes nothing that a turn may still read. */
  readonly #preview: Turn;

  /** @param rules the product always uses all of them */
  constructor(state: VenueState = new VenueState(), rules: RiskRules = RISK_RULES) {
    this.#state = state;
    this.#turn = new Turn(state, rules);
    this.#preview = new Turn(state, rules);
  }

  /** Restores a venue from a snapshot. Throws `MalformedRecord` if the bytes are not a valid snapshot. */
  static restore(snapshot: Uint8Array, rules?: RiskRules): Venue {
    return new Venue(readState(snapshot), rules);
  }

  /** The whole state as bytes: same state, same bytes. Returns a view of `buffer`, or a new array without it. */
  snapshot(buffer?: ByteWriter): Uint8Array {
    return writeState(this.#state, buffer);
  }

  /** Counts, sums and digests of all that can still change, for comparison with a copy of the state. */
  audit(): StateAudit {
    return auditOf(this.#state);
  }

  /** The numbers of executed trades and of opened accounts. */
  counts(): VenueCounts {
    return { trades: this.#state.lastTrade, accounts: this.#state.accounts.length - 1 };
  }

  /** Only for checkers of the core. */
  get state(): VenueState {
    return this.#state;
  }

  /** Runs one command and writes its events, at least one. Throws only because of a bug in the venue. */
  turn({ command, epochMs }: SequencedCommand, events: EventWriter): void {
    const turn = this.#turn;
    turn.begin(epochMs, events);
    const { plan, commit } = ruleOf(command);
    const refusal = plan(turn, command);
    if (refusal === undefined) commit(turn, command);
    else refuse(refusal, events);
  }

  /** Computes what placing an order would do now. Changes nothing. */
  preview(command: PlaceOrder, now: EpochMs): Preview {
    this.#preview.now = now;
    return previewPlacement(this.#preview, command);
  }

  /** Finds the account's orders with these names, as a cancel would. Changes nothing. */
  ordersNamed(account: AccountOrdinal, names: readonly OrderName[], now: EpochMs): NamedOrders | undefined {
    return ordersNamed(this.#state, account, names, now);
  }

  /** Whether `EndDueOrders` has something to end. */
  hasDueOrders(now: EpochMs): boolean {
    return hasDueOrders(this.#state, now);
  }

  /** The timers of an account that will cancel its orders. */
  cancelTimers(account: AccountOrdinal): readonly CancelTimer[] {
    const markets = this.#state.markets.flatMap((market) => (market === undefined ? [] : [market.ordinal]));
    return this.#state.cancelTimers.of(account, markets);
  }

  /** All open orders of an account, in one market or in all markets, oldest first. */
  openOrders(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[] {
    return openOrdersOf(this.#state, account, market);
  }
}

function refuse({ code, order = NO_ORDER, bound = 0 }: Refusal, events: EventWriter): void {
  events.emit({ type: 'CommandRefused', code, order, bound });
}
