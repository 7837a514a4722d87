/** The accounts: opened one after the other, and active until they are retired. */
import type { AccountOpened, AccountRetired } from '#venue/event.ts';
import { fail } from './audit-failed.ts';

interface Account {
  isRetired: boolean;
  isLegacy: boolean;
  /** Its active party, which trading and moving money need; empty without one. */
  partyId: string;
  /** When KYC was skipped; 0 before. */
  kycSkippedAt: number;
}

export class Accounts {
  readonly #accounts: Account[] = [];

  get count(): number {
    return this.#accounts.length;
  }

  has(account: number): boolean {
    return this.#accounts[account - 1] !== undefined;
  }

  open({ account, partyId }: AccountOpened): void {
    if (account !== this.count + 1) fail('account', `account ${account} was opened after ${this.count} others`);
    this.#accounts.push({ isRetired: false, isLegacy: false, partyId, kycSkippedAt: 0 });
  }

  /** `isBusy`: it has an open order or a position. */
  retire({ account, isLegacy }: AccountRetired, isBusy: boolean): void {
    const retired = this.#of(account);
    if (retired.isRetired) fail('account', `account ${account} was retired twice`);
    if (isBusy) fail('account', `account ${account} was retired with an open order or a position`);
    retired.isRetired = true;
    retired.isLegacy = isLegacy === true;
  }

  /** Its party became active. */
  enable(account: number, partyId: string): void {
    this.#of(account).partyId = partyId;
  }

  skipKyc(account: number, epochMs: number): void {
    const skipping = this.#of(account);
    if (skipping.isRetired || skipping.kycSkippedAt !== 0) fail('account', `account ${account} is retired, or skipped KYC twice`);
    skipping.kycSkippedAt = epochMs;
  }

  kycSkippedAt(account: number): number {
    return this.#of(account).kycSkippedAt;
  }

  isRetired(account: number): boolean {
    return this.#of(account).isRetired;
  }

  isLegacy(account: number): boolean {
    return this.#of(account).isLegacy;
  }

  partyOf(account: number): string {
    return this.#of(account).partyId;
  }

  /** A client's order was accepted. */
  checkTrader(account: number): void {
    const { isRetired, partyId } = this.#of(account);
    if (isRetired || partyId === '') fail('account', `account ${account} placed an order and may not trade`);
  }

  #of(account: number): Account {
    return this.#accounts[account - 1] ?? fail('account', `account ${account} was never opened`);
  }
}
