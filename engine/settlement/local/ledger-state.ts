/**
 * The state of the local ledger: parties, offers, consents and commands. Everything in it is durable. It changes only by
 * {@link LedgerState.store} and {@link LedgerState.commit}, also when the log is read.
 */
import { createHash } from 'node:crypto';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { canonicalText } from '#settlement/port/command-form.ts';
import type { LedgerOffer } from '#settlement/port/contracts.ts';
import type { LedgerEntry, Receipt } from '#settlement/port/receipt.ts';
import { type EpochMs, minus, plus, type QuoteAtoms, ZERO_QUOTE } from '#units/money.ts';

export interface PartyState {
  readonly partyId: string;
  availableAtoms: QuoteAtoms;
  offeredAtoms: QuoteAtoms;
  consent: { readonly consentId: string; isRevoked: boolean } | undefined;
}

export interface WithdrawalConsentState {
  readonly destinationPartyId: string;
  readonly amountAtoms: QuoteAtoms;
  isUsed: boolean;
}

/** A planned outcome. `apply` cannot fail and runs when the receipt is durable. */
export interface Outcome {
  readonly receipt: Receipt;
  readonly apply: () => void;
}

export class LedgerState {
  readonly ledgerId: string;
  readonly treasury: PartyState;
  readonly custody: PartyState;
  readonly parties = new Map<string, PartyState>();
  readonly offers = new Map<string, LedgerOffer>();
  readonly withdrawalConsents = new Map<string, WithdrawalConsentState>();
  isPackageAvailable = true;
  issuedAtoms = ZERO_QUOTE;
  /** The entry with offset n is at n - 1. */
  readonly entries: LedgerEntry[] = [];
  /** Every stored command by its id. */
  readonly commands = new Map<string, { readonly command: LedgerCommand; receipt: Receipt | undefined }>();
  /** Stored and not sequenced, in the order of submission. */
  readonly pending = new Map<string, LedgerCommand>();

  constructor(ledgerId: string) {
    this.ledgerId = ledgerId;
    this.treasury = this.addParty(`treasury::${ledgerId}`);
    this.custody = this.addParty(`custody::${ledgerId}`);
  }

  get offset(): number {
    return this.entries.length;
  }

  get ledgerEventId(): string {
    return this.entries.at(-1)?.receipt.ledgerEventId ?? '';
  }

  get lastEpochMs(): EpochMs {
    return this.entries.at(-1)?.receipt.sequencedAtEpochMs ?? (0 as EpochMs);
  }

  store(command: LedgerCommand): void {
    this.commands.set(command.commandId, { command, receipt: undefined });
    this.pending.set(command.commandId, command);
  }

  commit(command: LedgerCommand, { receipt, apply }: Outcome): void {
    apply();
    this.pending.delete(command.commandId);
    this.commands.set(command.commandId, { command, receipt });
    this.entries.push({ command, receipt });
  }

  addParty(partyId: string): PartyState {
    const party: PartyState = {
      partyId,
      availableAtoms: ZERO_QUOTE,
      offeredAtoms: ZERO_QUOTE,
      consent: undefined,
    };
    this.parties.set(partyId, party);
    return party;
  }

  /** Locks the amount of a new offer. */
  open(sender: PartyState, offer: LedgerOffer): void {
    sender.availableAtoms = minus(sender.availableAtoms, offer.amountAtoms);
    sender.offeredAtoms = plus(sender.offeredAtoms, offer.amountAtoms);
    this.offers.set(offer.offerId, offer);
  }

  /** Unlocks the amount for the sender. */
  close(offer: LedgerOffer, status: 'accepted' | 'withdrawn'): void {
    const sender = this.parties.get(offer.senderPartyId)!;
    sender.offeredAtoms = minus(sender.offeredAtoms, offer.amountAtoms);
    sender.availableAtoms = plus(sender.availableAtoms, offer.amountAtoms);
    this.offers.set(offer.offerId, { ...offer, status });
  }

  /** Without a sender, the money is new. */
  transfer(sender: PartyState | undefined, receiver: PartyState, amountAtoms: QuoteAtoms): void {
    if (sender !== undefined) sender.availableAtoms = minus(sender.availableAtoms, amountAtoms);
    receiver.availableAtoms = plus(receiver.availableAtoms, amountAtoms);
  }

  /** The id of what a command creates. The same after a restore from an older copy, if the command is submitted again. */
  createdId(prefix: string, commandId: string): string {
    return `${prefix}${digest(this.ledgerId, prefix, commandId)}`;
  }

  /** The id of the next event. Everything that the receipt states is part of it. */
  nextEventId(command: LedgerCommand, epochMs: EpochMs, result: string): string {
    return `event-${digest(this.ledgerId, this.ledgerEventId, canonicalText(command), String(epochMs), result)}`;
  }
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
