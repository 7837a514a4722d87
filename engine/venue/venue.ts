/**
 * The venue: one state, one command at a time. A turn plans first, which only reads and may refuse, and then commits,
 * which cannot. The same commands at the same times make the same events and the same state, to the byte.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import {
  commitCredit,
  commitInsuranceCredit,
  commitIssue,
  commitOpenAccount,
  commitRetirement,
  commitRevocation,
  planCredit,
  planInsuranceCredit,
  planIssue,
  planRetirement,
  planRevocation,
} from './account/administration.ts';
import { commitFavorite, commitLeaderboardListing, planFavorite, planLeaderboardListing } from './account/preferences.ts';
import type { StateAudit } from './audit/state-audit.ts';
import { auditOf } from './audit/venue-audit.ts';
import type { Command, PlaceOrder } from './command.ts';
import { commitListing, commitStatus, planListing, planStatus } from './market/administration.ts';
import { commitAdvance, commitIndexPrice, planAdvance, planIndexPrice } from './market/prices.ts';
import { commitCancellations, commitPlacements, planBatch } from './order/batch.ts';
import { commitCancellation, planCancellation } from './order/cancellation.ts';
import { type NamedOrders, type OrderName, openOrdersOf, ordersNamed } from './order/open-orders.ts';
import { commitPlacement, planPlacement } from './order/placement.ts';
import { previewPlacement } from './order/preview.ts';
import type { Preview } from './preview.ts';
import type { ByteWriter } from './record/cursor.ts';
import type { EventWriter } from './record/event-writer.ts';
import type { Refusal } from './refusal.ts';
import { readState, writeState } from './snapshot.ts';
import { VenueState } from './state.ts';
import { commitTransfer, planTransfer } from './transfer/transfer.ts';
import {
  commitDebit,
  commitRelease,
  commitReservation,
  commitSettlement,
  planEndOfWithdrawal,
  planReservation,
} from './transfer/withdrawal.ts';
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
    const refusal = planned(turn, command);
    if (refusal === undefined) commit(turn, command);
    else events.commandRefused({ code: refusal.code, order: refusal.order ?? NO_ORDER, bound: refusal.bound ?? 0 });
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

function planned(turn: Turn, command: Command): Refusal | undefined {
  switch (command.type) {
    case 'PlaceOrder':
      return planPlacement(turn, command);
    case 'CancelOrder':
      return planCancellation(turn, command);
    case 'PlaceOrders':
    case 'CancelOrders':
      return planBatch(turn, command);
    case 'PublishIndexPrice':
      return planIndexPrice(turn, command);
    case 'AdvanceMarket':
      return planAdvance(turn, command);
    case 'OpenAccount':
      return undefined;
    case 'CreditCash':
      return planCredit(turn, command);
    case 'CreditInsurance':
      return planInsuranceCredit(turn, command);
    case 'RetireAccount':
      return planRetirement(turn, command);
    case 'IssueApiKey':
      return planIssue(turn, command);
    case 'RevokeApiKey':
      return planRevocation(turn, command);
    case 'ReserveWithdrawal':
    case 'DebitCash':
      return planReservation(turn, command);
    case 'ReleaseWithdrawal':
    case 'SettleWithdrawal':
      return planEndOfWithdrawal(turn, command);
    case 'TransferCash':
      return planTransfer(turn, command);
    case 'SetFavorite':
      return planFavorite(turn, command);
    case 'SetLeaderboardListing':
      return planLeaderboardListing(turn, command);
    case 'ListMarket':
      return planListing(turn, command);
    case 'SetMarketStatus':
      return planStatus(turn, command);
  }
}

function commit(turn: Turn, command: Command): void {
  switch (command.type) {
    case 'PlaceOrder':
      commitPlacement(turn, command);
      break;
    case 'CancelOrder':
      commitCancellation(turn, command);
      break;
    case 'PlaceOrders':
      commitPlacements(turn, command);
      break;
    case 'CancelOrders':
      commitCancellations(turn, command);
      break;
    case 'PublishIndexPrice':
      commitIndexPrice(turn, command);
      break;
    case 'AdvanceMarket':
      commitAdvance(turn, command);
      break;
    case 'OpenAccount':
      commitOpenAccount(turn, command);
      break;
    case 'CreditCash':
      commitCredit(turn, command);
      break;
    case 'CreditInsurance':
      commitInsuranceCredit(turn, command);
      break;
    case 'RetireAccount':
      commitRetirement(turn, command);
      break;
    case 'IssueApiKey':
      commitIssue(turn, command);
      break;
    case 'RevokeApiKey':
      commitRevocation(turn, command);
      break;
    case 'ReserveWithdrawal':
      commitReservation(turn, command);
      break;
    case 'ReleaseWithdrawal':
      commitRelease(turn, command);
      break;
    case 'SettleWithdrawal':
      commitSettlement(turn, command);
      break;
    case 'DebitCash':
      commitDebit(turn, command);
      break;
    case 'TransferCash':
      commitTransfer(turn, command);
      break;
    case 'SetFavorite':
      commitFavorite(turn, command);
      break;
    case 'SetLeaderboardListing':
      commitLeaderboardListing(turn, command);
      break;
    case 'ListMarket':
      commitListing(turn, command);
      break;
    case 'SetMarketStatus':
      commitStatus(turn, command);
      break;
  }
}
