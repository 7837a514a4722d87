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
import { commitPlacement, PlacementPlan, planPlacement } from './order/placement.ts';
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
  readonly #plan = new PlacementPlan();

  constructor(state: VenueState = new VenueState()) {
    this.#state = state;
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
    this.#state.now = epochMs;
    const refusal = this.#planned(command, epochMs);
    if (refusal === undefined) this.#commit(command, epochMs, events);
    else events.commandRefused({ code: refusal.code, order: refusal.order ?? NO_ORDER, bound: refusal.bound ?? 0 });
  }

  /** What placing an order would do now; changes nothing. */
  preview(command: PlaceOrder, now: EpochMs): Preview {
    return previewPlacement(this.#state, command, now, this.#plan);
  }

  /** Which orders of the account a cancel would end that names them so; changes nothing. */
  ordersNamed(account: AccountOrdinal, names: readonly OrderName[], now: EpochMs): NamedOrders | undefined {
    return ordersNamed(this.#state, account, names, now);
  }

  /** All open orders of an account, in one market or in all, from the oldest to the newest. */
  openOrders(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[] {
    return openOrdersOf(this.#state, account, market);
  }

  #planned(command: Command, now: EpochMs): Refusal | undefined {
    const state = this.#state;
    switch (command.type) {
      case 'PlaceOrder':
        return planPlacement(state, command, now, this.#plan);
      case 'CancelOrder':
        return planCancellation(state, command);
      case 'PlaceOrders':
      case 'CancelOrders':
        return planBatch(state, command);
      case 'PublishIndexPrice':
        return planIndexPrice(state, command);
      case 'AdvanceMarket':
        return planAdvance(state, command, now);
      case 'OpenAccount':
        return undefined;
      case 'CreditCash':
        return planCredit(state, command);
      case 'CreditInsurance':
        return planInsuranceCredit(state, command);
      case 'RetireAccount':
        return planRetirement(state, command);
      case 'IssueApiKey':
        return planIssue(state, command, now);
      case 'RevokeApiKey':
        return planRevocation(state, command);
      case 'ReserveWithdrawal':
      case 'DebitCash':
        return planReservation(state, command);
      case 'ReleaseWithdrawal':
      case 'SettleWithdrawal':
        return planEndOfWithdrawal(state, command);
      case 'TransferCash':
        return planTransfer(state, command);
      case 'SetFavorite':
        return planFavorite(state, command);
      case 'SetLeaderboardListing':
        return planLeaderboardListing(state, command);
      case 'ListMarket':
        return planListing(state, command);
      case 'SetMarketStatus':
        return planStatus(state, command);
    }
  }

  #commit(command: Command, now: EpochMs, events: EventWriter): void {
    const state = this.#state;
    switch (command.type) {
      case 'PlaceOrder':
        commitPlacement(state, command, now, this.#plan, events);
        break;
      case 'CancelOrder':
        commitCancellation(state, command, events);
        break;
      case 'PlaceOrders':
        commitPlacements(state, command, now, this.#plan, events);
        break;
      case 'CancelOrders':
        commitCancellations(state, command, events);
        break;
      case 'PublishIndexPrice':
        commitIndexPrice(state, command, now, events);
        break;
      case 'AdvanceMarket':
        commitAdvance(state, command, now, events);
        break;
      case 'OpenAccount':
        commitOpenAccount(state, command, events);
        break;
      case 'CreditCash':
        commitCredit(state, command, events);
        break;
      case 'CreditInsurance':
        commitInsuranceCredit(state, command, events);
        break;
      case 'RetireAccount':
        commitRetirement(state, command, events);
        break;
      case 'IssueApiKey':
        commitIssue(state, command, now, events);
        break;
      case 'RevokeApiKey':
        commitRevocation(state, command, events);
        break;
      case 'ReserveWithdrawal':
        commitReservation(state, command, events);
        break;
      case 'ReleaseWithdrawal':
        commitRelease(state, command, events);
        break;
      case 'SettleWithdrawal':
        commitSettlement(state, command, events);
        break;
      case 'DebitCash':
        commitDebit(state, command, events);
        break;
      case 'TransferCash':
        commitTransfer(state, command, events);
        break;
      case 'SetFavorite':
        commitFavorite(command, events);
        break;
      case 'SetLeaderboardListing':
        commitLeaderboardListing(command, events);
        break;
      case 'ListMarket':
        commitListing(state, command, events);
        break;
      case 'SetMarketStatus':
        commitStatus(state, command, events);
        break;
    }
  }
}
