/**
 * Owners in the writer's own thread. Starts from the core's state after recovery, which is durable then, and applies the few records
 * of each group that change it.
 */
import type { FoundPasskey, OwnerDirectory, OwnerView } from '#reads/owner-directory.ts';
import type { DepositView, FundingIntentView, LedgerView, WithdrawalView } from '#reads/owner-money.ts';
import type { AccountOrdinal, DepositOrdinal, Sequence, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { OwnerEvent, VenueEvent } from '#venue/event.ts';
import { OWNER_EVENTS } from '#venue/event.ts';
import type { Owner } from '#venue/owner/owner.ts';
import type { Owners } from '#venue/owner/owners.ts';
import type { VenueState } from '#venue/state.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { OwnerMoneyDirectory } from './owner-money-directory.ts';

export class VenueOwnerDirectory implements OwnerDirectory {
  readonly #owners: Owners;
  /** Retired account → whether it is legacy. */
  readonly #retired = new Map<AccountOrdinal, boolean>();
  readonly #pendingParties = new Set<AccountOrdinal>();
  readonly #money: OwnerMoneyDirectory;
  #sequence: Sequence;

  /** `state` is that after the record `sequence`, which is durable. */
  constructor(state: VenueState, sequence: Sequence) {
    this.#sequence = sequence;
    this.#owners = state.owners.copy();
    for (const account of state.accounts) if (account?.isRetired) this.#retired.set(account.ordinal, account.isLegacy);
    for (const account of this.#owners.byAccount.keys()) this.#notePending(account);
    this.#money = new OwnerMoneyDirectory(state.settlement, (account) => this.#retired.has(account));
  }

  /** Takes the records up to `last` whose commands are among `OWNER_COMMANDS`. */
  follow(last: Sequence, records: readonly CommittedRecord[]): void {
    if (last <= this.#sequence) return;
    for (const record of records) {
      if (record.sequence > this.#sequence) for (const event of record.events) this.#fold(event, record);
    }
    this.#sequence = last;
  }

  sequence(): Sequence {
    return this.#sequence;
  }

  accountOfIdentity(identityDigest: string): AccountOrdinal | undefined {
    return this.#owners.byIdentity.get(identityDigest);
  }

  passkey(credentialId: string): FoundPasskey | undefined {
    const account = this.#owners.byCredential.get(credentialId);
    const passkey = account && this.#owners.of(account)!.passkeys.get(credentialId);
    return account && passkey && { account, passkey };
  }

  isCredentialUsed(credentialId: string): boolean {
    return this.#owners.byCredential.has(credentialId);
  }

  owner(account: AccountOrdinal): OwnerView | undefined {
    const owner = this.#owners.of(account);
    return owner && this.#viewOf(owner);
  }

  pendingParties(): readonly AccountOrdinal[] {
    return [...this.#pendingParties];
  }

  fundingIntents(account: AccountOrdinal): readonly FundingIntentView[] {
    return this.#money.fundingIntents(account);
  }

  deposit(deposit: DepositOrdinal): DepositView | undefined {
    return this.#money.deposit(deposit);
  }

  openDeposits(): readonly DepositView[] {
    return this.#money.openDeposits();
  }

  withdrawal(withdrawal: WithdrawalOrdinal): WithdrawalView | undefined {
    return this.#money.withdrawal(withdrawal);
  }

  openWithdrawals(): readonly WithdrawalView[] {
    return this.#money.openWithdrawals();
  }

  unofferedWithdrawalsAtoms(): QuoteAtoms {
    return this.#money.unofferedWithdrawalsAtoms();
  }

  ledger(): LedgerView | undefined {
    return this.#money.ledger();
  }

  isLedgerGuarded(): boolean {
    return this.#money.isLedgerGuarded();
  }

  #viewOf(owner: Owner): OwnerView {
    const { account, provider, identityDigest, referralCode, party, walletId, consent, setup } = owner;
    const passkeys = [...owner.passkeys.values()];
    const isRetired = this.#retired.has(account);
    const isLegacy = this.#retired.get(account) === true;
    return { account, provider, identityDigest, referralCode, passkeys, party, walletId, consent, setup, isRetired, isLegacy };
  }

  #fold(event: VenueEvent, { epochMs }: CommittedRecord): void {
    this.#money.take(event, epochMs);
    if (isOfOwner(event)) this.#owners.take(event, epochMs);
    else if (event.type === 'AccountRetired') this.#retired.set(event.account, event.isLegacy === true);
    else return;
    this.#notePending(event.account);
  }

  #notePending(account: AccountOrdinal): void {
    const owner = this.#owners.of(account);
    if (owner === undefined) return;
    const { party, consent, setup } = owner;
    const isSubmitted = party.status === 'allocating' || consent.state === 'submitted';
    if (isSubmitted || (setup === 'waiting_for_package' && !this.#retired.has(account))) this.#pendingParties.add(account);
    else this.#pendingParties.delete(account);
  }
}

function isOfOwner(event: VenueEvent): event is OwnerEvent {
  return event.type in OWNER_EVENTS;
}
