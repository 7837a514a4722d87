/**
 * The port of the external ledger. A command is submitted, becomes durable, and is sequenced later: accepted or rejected. A caller
 * that does not know what became of a command submits it again under the same id, or looks it up.
 */
import type { LedgerCommand } from './command.ts';
import type { ConsentStatus, LedgerHead, LedgerOffer, LedgerSupply, PartyBalance } from './contracts.ts';
import type { CommandLookup, KnownCommand, LedgerEntry, Receipt } from './receipt.ts';

/** The call may or may not have been carried out. Submit the command again under its id, or look it up. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** The ledger has no room for the command: too many wait, or its store is full. Nothing was changed: submit again later. */
export class LedgerBusy extends Error {
  override readonly name = 'LedgerBusy';
}

/** The command can never be carried out: malformed, forbidden here, or its id belongs to another command. Nothing was changed. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** A page is larger than {@link MAX_PAGE}, or an offset is not one. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused';
}

/** The most entries of a page. */
export const MAX_PAGE = 1_000;

/** Entries with an offset above `afterOffset`, at most `limit` of them, in ascending order. */
export interface PageRequest {
  readonly afterOffset: number;
  readonly limit: number;
}

/** Called for each receipt once it is durable. Only a hint: it may come late, twice, out of order or never. */
export type ReceiptListener = (receipt: Receipt) => void;

/** Every method may reject with {@link LedgerUnavailable}. */
export interface Ledger {
  /**
   * Resolves when the command is durable: with `pending`, or with its receipt if it was sequenced before. Rejects with
   * {@link LedgerBusy} or {@link CommandRefused}.
   */
  submit(command: LedgerCommand): Promise<KnownCommand>;
  lookUp(commandId: string): Promise<CommandLookup>;
  /** All sequenced commands, also of other callers: what a venue cannot explain is in here. */
  entries(page: PageRequest): Promise<readonly LedgerEntry[]>;
  head(): Promise<LedgerHead>;

  /** Undefined if the party is unknown. */
  balance(partyId: string): Promise<PartyBalance | undefined>;
  offer(offerId: string): Promise<LedgerOffer | undefined>;
  /** Undefined if the party is unknown. */
  consent(partyId: string): Promise<ConsentStatus | undefined>;
  supply(): Promise<LedgerSupply>;

  /** Returns the function that ends the subscription. */
  watch(listener: ReceiptListener): () => void;
}
