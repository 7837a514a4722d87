/**
 * The ledger as an independent reader rebuilds it from its accepted entries: balances, offers, and what each command of the venue
 * has paid. The ledger's own balances must equal it.
 */
import type { Ledger } from '#settlement/port/ledger.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import { demand, fail } from '#simulation/world/audit/demand.ts';
import { unprovenId } from './flow.ts';

interface Offer {
  readonly commandId: string;
  readonly sender: string;
  readonly receiver: string;
  readonly amount: number;
  status: 'open' | 'accepted' | 'withdrawn';
}

interface Balance {
  available: number;
  offered: number;
}

const PAGE = 1_000;

export class LedgerBooks {
  readonly entries: LedgerEntry[] = [];
  /** By command ids without their proofs. */
  readonly byCommand = new Map<string, LedgerEntry>();
  readonly offers = new Map<string, Offer>();
  /** The accepted entries by step. */
  readonly accepted: LedgerEntry[] = [];
  readonly consents = new Map<string, { consentId: string; isRevoked: boolean }>();
  readonly #balances = new Map<string, Balance>();
  readonly #payoutConsents = new Map<string, { readonly to: string; readonly amount: number; isUsed: boolean }>();
  #treasury = '';
  #custody = '';
  issued = 0;

  /** Reads what is new, and compares the balances. */
  async read(ledger: Ledger): Promise<void> {
    const head = await ledger.head();
    this.#treasury = head.treasuryPartyId;
    this.#custody = head.custodyPartyId;
    for (;;) {
      const page = await ledger.entries({ afterOffset: this.entries.length, limit: PAGE });
      for (const entry of page) this.#take(entry);
      if (page.length < PAGE) break;
    }
    await this.#compare(ledger);
  }

  /** Reads everything again after a start: nothing that was there may be gone or changed. */
  async reread(ledger: Ledger): Promise<void> {
    for (let from = 0; from < this.entries.length; from += PAGE) {
      const page = await ledger.entries({ afterOffset: from, limit: PAGE });
      for (const known of this.entries.slice(from, from + PAGE)) {
        const { offset } = known.receipt;
        const found = page[offset - from - 1];
        demand(JSON.stringify(found) === JSON.stringify(known), `the ledger's entry ${offset} is gone or changed`);
      }
    }
  }

  /** In its custody and its open payout offers. */
  get custodyAtoms(): number {
    const { available, offered } = this.#of(this.#custody);
    return available + offered;
  }

  get availableInCustodyAtoms(): number {
    return this.#of(this.#custody).available;
  }

  availableOf(partyId: string): number {
    return this.#balances.get(partyId)?.available ?? 0;
  }

  #take(entry: LedgerEntry): void {
    const { command, receipt } = entry;
    demand(receipt.offset === this.entries.length + 1, `the ledger's entry ${this.entries.length + 1} is missing`);
    const id = unprovenId(command.commandId);
    demand(!this.byCommand.has(id), `the ledger carried out ${command.commandId} twice`);
    this.entries.push(entry);
    this.byCommand.set(id, entry);
    if (receipt.outcome === 'sequenced_rejected') return;
    this.accepted.push(entry);
    this.#apply(entry, receipt.createdId ?? '');
  }

  #apply({ command }: LedgerEntry, createdId: string): void {
    const { commandId } = command;
    switch (command.step) {
      case 'party_allocation':
        demand(!this.#balances.has(createdId), `the party ${createdId} was allocated twice`);
        this.#of(createdId);
        return;
      case 'development_issue':
        this.issued += command.amountAtoms;
        this.#of(this.#treasury).available += command.amountAtoms;
        return;
      case 'treasury_offer':
        this.#open(createdId, commandId, this.#treasury, command.partyId, command.amountAtoms);
        return;
      case 'owner_offer_acceptance': {
        const { sender, receiver, amount } = this.#close(command.offerId, 'accepted');
        demand(receiver === command.partyId, `${commandId} accepted an offer to another party`);
        this.#of(sender).offered -= amount;
        this.#of(receiver).available += amount;
        return;
      }
      case 'owner_account_acceptance':
        this.#move(command.partyId, this.#custody, command.amountAtoms);
        return;
      case 'owner_withdrawal_consent':
        this.#payoutConsents.set(createdId, { to: command.destinationPartyId, amount: command.amountAtoms, isUsed: false });
        return;
      case 'payout_offer': {
        const consent = this.#payoutConsents.get(command.withdrawalConsentId);
        if (consent === undefined || consent.isUsed) fail(`${commandId} has no consent that is not used`);
        consent.isUsed = true;
        this.#open(createdId, commandId, this.#custody, consent.to, consent.amount);
        return;
      }
      case 'offer_withdrawal': {
        const { sender, amount } = this.#close(command.offerId, 'withdrawn');
        this.#of(sender).offered -= amount;
        this.#of(sender).available += amount;
        return;
      }
      case 'party_consent':
        this.consents.set(command.partyId, { consentId: createdId, isRevoked: false });
        return;
      case 'party_consent_revocation':
        this.consents.get(command.partyId)!.isRevoked = true;
        return;
      case 'package_availability':
        return;
      default:
        command satisfies never;
    }
  }

  #open(offerId: string, commandId: string, sender: string, receiver: string, amount: number): void {
    demand(!this.offers.has(offerId), `the offer ${offerId} was made twice`);
    this.offers.set(offerId, { commandId, sender, receiver, amount, status: 'open' });
    this.#of(sender).available -= amount;
    this.#of(sender).offered += amount;
  }

  #close(offerId: string, status: 'accepted' | 'withdrawn'): Offer {
    const offer = this.offers.get(offerId);
    if (offer?.status !== 'open') fail(`the offer ${offerId} is ${status}, and was ${offer?.status ?? 'unknown'}`);
    offer.status = status;
    return offer;
  }

  #move(from: string, to: string, amount: number): void {
    this.#of(from).available -= amount;
    this.#of(to).available += amount;
  }

  #of(partyId: string): Balance {
    const known = this.#balances.get(partyId);
    if (known !== undefined) return known;
    const balance = { available: 0, offered: 0 };
    this.#balances.set(partyId, balance);
    return balance;
  }

  async #compare(ledger: Ledger): Promise<void> {
    let total = 0;
    for (const [partyId, { available, offered }] of this.#balances) {
      const found = await ledger.balance(partyId);
      demand(available >= 0 && offered >= 0, `the balance of ${partyId} is below zero`);
      demand(
        found?.availableAtoms === available && found.offeredAtoms === offered,
        `${partyId} has ${found?.availableAtoms} and offers ${found?.offeredAtoms}; its entries result in ${available} and ${offered}`,
      );
      total += available + offered;
    }
    demand(total === this.issued, `treasury, custody and parties have ${total} of ${this.issued} issued atoms`);
    const supply = await ledger.supply();
    demand(supply.issuedAtoms === this.issued, `the ledger states ${supply.issuedAtoms} issued atoms of ${this.issued}`);
  }
}
