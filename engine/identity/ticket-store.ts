/**
 * Where families of tickets are stored. In this process by default; with several processes, in a store that all of them share.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { TicketFamily } from './ticket-family.ts';

/** Each operation is atomic. All reject if the store is unavailable. */
export interface TicketStore {
  /** Stores a new family, unless its account already has `maxFamilies` active ones. */
  add(family: TicketFamily, maxFamilies: number, now: EpochMs): Promise<boolean>;
  /** Replaces a family by the result of `change`, and returns that result. `undefined` if there is no such family. */
  change<Result extends { readonly family: TicketFamily }>(
    familyId: string,
    change: (family: TicketFamily) => Result,
  ): Promise<Result | undefined>;
  /** The account's active families: those that count toward `maxFamilies`. */
  validFamilies(account: AccountOrdinal, now: EpochMs): Promise<readonly TicketFamily[]>;
  /** `undefined` if there is no such family, or no longer. */
  find(familyId: string): Promise<TicketFamily | undefined>;
  /** Calls `listener` for every family that is revoked from now on, by any process. */
  onRevoked(listener: (familyId: string) => void): void;
}

/** How long an expired family is remembered, to report it as expired. */
export const REVOCATION_RETENTION_MS = 3_600_000;

export class MemoryTicketStore implements TicketStore {
  /** In the order of their last change: those that expired first come first. */
  readonly #families = new Map<string, TicketFamily>();
  readonly #ofAccount = new Map<AccountOrdinal, Set<string>>();
  readonly #listeners: ((familyId: string) => void)[] = [];

  async add(family: TicketFamily, maxFamilies: number, now: EpochMs): Promise<boolean> {
    const { account, familyId } = family;
    this.#forgetOld(now);
    const own = this.#ofAccount.get(account) ?? new Set();
    const validFamilies = [...own].filter((id) => isValidAt(this.#families.get(id)!, now));
    if (validFamilies.length >= maxFamilies) return false;
    // Ended families are remembered while there is room for as many.
    for (const id of own) if (own.size >= 2 * maxFamilies && !validFamilies.includes(id)) this.#forget(id);
    own.add(familyId);
    this.#ofAccount.set(account, own);
    this.#families.set(familyId, family);
    return true;
  }

  async change<Result extends { readonly family: TicketFamily }>(
    familyId: string,
    change: (family: TicketFamily) => Result,
  ): Promise<Result | undefined> {
    const before = this.#families.get(familyId);
    if (before === undefined) return undefined;
    const result = change(before);
    if (result.family === before) return result;
    this.#families.delete(familyId);
    this.#families.set(familyId, result.family);
    if (result.family.isRevoked && !before.isRevoked) for (const listener of this.#listeners) listener(familyId);
    return result;
  }

  async validFamilies(account: AccountOrdinal, now: EpochMs): Promise<readonly TicketFamily[]> {
    const own = [...(this.#ofAccount.get(account) ?? [])].map((familyId) => this.#families.get(familyId)!);
    return own.filter((family) => isValidAt(family, now));
  }

  async find(familyId: string): Promise<TicketFamily | undefined> {
    return this.#families.get(familyId);
  }

  onRevoked(listener: (familyId: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Of all accounts. A family that ends early, with its key, may be forgotten some hours later. */
  #forgetOld(now: EpochMs): void {
    for (const [familyId, { current }] of this.#families) {
      if (current.expiresAtEpochMs + REVOCATION_RETENTION_MS > now) return;
      this.#forget(familyId);
    }
  }

  #forget(familyId: string): void {
    const { account } = this.#families.get(familyId)!;
    this.#families.delete(familyId);
    const own = this.#ofAccount.get(account)!;
    own.delete(familyId);
    if (own.size === 0) this.#ofAccount.delete(account);
  }
}

function isValidAt({ isRevoked, current }: TicketFamily, now: EpochMs): boolean {
  return !isRevoked && current.expiresAtEpochMs > now;
}
