/** What the senders of a test world know, derived from events: prices, their orders and holdings, pending withdrawals. */
import type { Capability, Side, VenueStatus } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import type { ConsentState, PartyStatus } from '#venue/owner/party.ts';
import { AgentView } from './agent-view.ts';
import { SettlementView } from './settlement-view.ts';

export interface SeenMarket {
  readonly ordinal: number;
  specification: MarketSpecification;
  status: MarketStatus;
  /** 0 before the first price. */
  indexPrice: number;
  /** Funding or liquidations are pending. */
  hasWork: boolean;
}

export interface SeenOrder {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly price: number;
  /** Its place in its owner's list. */
  place: number;
}

export class SeenAccount {
  readonly ordinal: number;
  cash = 0;
  reserved = 0;
  isRetired = false;
  readonly openOrders: SeenOrder[] = [];
  /** Signed lots by market. */
  readonly holdings: number[] = [];

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  get available(): number {
    return Math.max(0, this.cash - this.reserved);
  }
}

/** An account of an owner. */
export interface SeenOwner {
  /** The counters of its active passkeys, by credential id. */
  readonly passkeys: Map<string, number>;
  /** The credential ids of all its passkeys, also of removed ones. */
  readonly credentials: string[];
  party: PartyStatus;
  hasWallet: boolean;
  consent: ConsentState;
  consentId: string;
}

export class PublicView {
  readonly markets: SeenMarket[] = [];
  readonly accounts: SeenAccount[] = [];
  readonly pendingWithdrawals: number[] = [];
  readonly settlement = new SettlementView();
  readonly agents = new AgentView();
  /** The accounts of the valid API keys, by key id. */
  readonly apiKeys = new Map<string, number>();
  /** By account. */
  readonly owners = new Map<number, SeenOwner>();
  readonly referralCodes: string[] = [];
  lastOrder = 0;
  venueStatus: VenueStatus = 'open';
  /** The capabilities that were switched off last. */
  readonly switchedOff = new Set<Capability>();
  readonly #orders = new Map<number, SeenOrder>();

  account(ordinal: number): SeenAccount | undefined {
    return this.accounts[ordinal - 1];
  }

  market(ordinal: number): SeenMarket | undefined {
    return this.markets[ordinal - 1];
  }

  /** Applies an event. Ignores events that senders do not need. */
  take(event: VenueEvent): void {
    const isOfOwner = 'withdrawal' in event && this.settlement.withdrawals.has(event.withdrawal);
    this.settlement.take(event);
    this.agents.take(event);
    if (isOfOwner) return;
    switch (event.type) {
      case 'MarketListed':
        this.markets.push({
          ordinal: event.market,
          specification: event.specification,
          status: event.status,
          indexPrice: 0,
          hasWork: false,
        });
        break;
      case 'MarketStatusChanged':
        this.markets[event.market - 1]!.status = event.status;
        break;
      case 'MarketUpdated':
        this.markets[event.market - 1]!.specification = event.specification;
        break;
      case 'VenueStatusChanged':
        this.venueStatus = event.status;
        break;
      case 'CapabilitySet':
        if (event.isOn) this.switchedOff.delete(event.capability);
        else this.switchedOff.add(event.capability);
        break;
      case 'MarketPriced':
        this.markets[event.market - 1]!.indexPrice = event.indexPriceAtoms;
        break;
      case 'MarketWorkPending':
        this.markets[event.market - 1]!.hasWork = true;
        break;
      case 'AccountOpened':
        this.accounts.push(new SeenAccount(event.account));
        break;
      case 'AccountRetired':
        this.accounts[event.account - 1]!.isRetired = true;
        break;
      case 'OwnerRegistered':
        this.owners.set(event.account, {
          passkeys: new Map(),
          credentials: [],
          party: 'absent',
          hasWallet: false,
          consent: 'absent',
          consentId: '',
        });
        break;
      case 'PasskeyAdded': {
        const { credentialId, signatureCount } = event.passkey;
        this.owners.get(event.account)!.passkeys.set(credentialId, signatureCount);
        this.owners.get(event.account)!.credentials.push(credentialId);
        break;
      }
      case 'PasskeyUsed':
        this.owners.get(event.account)!.passkeys.set(event.credentialId, event.signatureCount);
        break;
      case 'PasskeyRemoved':
        this.owners.get(event.account)!.passkeys.delete(event.credentialId);
        break;
      case 'PartyChanged':
        this.owners.get(event.account)!.party = event.status;
        break;
      case 'SigningWalletCreated':
        this.owners.get(event.account)!.hasWallet = true;
        break;
      case 'PartyConsentChanged':
        Object.assign(this.owners.get(event.account)!, { consent: event.consent, consentId: event.consentId });
        break;
      case 'AffiliateRegistered':
        this.referralCodes.push(event.referralCode);
        break;
      case 'ApiKeyIssued':
        this.apiKeys.set(event.keyId, event.account);
        break;
      case 'ApiKeyRevoked':
        this.apiKeys.delete(event.keyId);
        break;
      case 'CashPosted':
        this.accounts[event.account - 1]!.cash = event.cashAtoms;
        break;
      case 'WithdrawalReserved':
        this.pendingWithdrawals.push(event.withdrawal);
        break;
      case 'WithdrawalReleased':
      case 'WithdrawalSettled':
        this.pendingWithdrawals.splice(this.pendingWithdrawals.indexOf(event.withdrawal), 1);
        break;
      case 'PositionChanged':
        this.accounts[event.account - 1]!.holdings[event.market] = event.signedBaseAtoms;
        break;
      case 'OrderAccepted':
        this.lastOrder = event.order;
        break;
      case 'TriggerAccepted':
        this.lastOrder = event.order;
        this.#rest(event);
        break;
      case 'OrderTriggered':
        this.#forget(event.order);
        break;
      case 'OrderRested':
        this.#rest(event);
        break;
      case 'OrderAmended':
        this.accounts[event.account - 1]!.reserved = event.accountReservedAtoms;
        if (!event.keepsPlace) this.#forget(event.order);
        break;
      case 'OrderFilled':
        this.accounts[event.account - 1]!.reserved = event.accountReservedAtoms;
        if (event.remainingAtoms === 0) this.#forget(event.order);
        break;
      case 'OrderCancelled':
        this.accounts[event.account - 1]!.reserved = event.accountReservedAtoms;
        this.#forget(event.order);
        break;
    }
  }

  #rest(event: Extract<VenueEvent, { type: 'OrderRested' | 'TriggerAccepted' }>): void {
    const { order, account, market, side, priceAtoms } = event;
    const owner = this.accounts[account - 1]!;
    const seen = { order, account, market, side, price: priceAtoms, place: owner.openOrders.length };
    if (event.type === 'OrderRested') owner.reserved = event.accountReservedAtoms;
    owner.openOrders.push(seen);
    this.#orders.set(order, seen);
  }

  #forget(order: number): void {
    const seen = this.#orders.get(order);
    if (seen === undefined) return;
    this.#orders.delete(order);
    const { openOrders } = this.accounts[seen.account - 1]!;
    const last = openOrders.pop()!;
    if (last === seen) return;
    openOrders[seen.place] = last;
    last.place = seen.place;
  }
}
