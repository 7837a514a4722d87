/** What the operator does with accounts: open, credit, retire, and give or take keys. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { plus } from '#units/money.ts';
import type { CreditCash, CreditInsurance, IssueApiKey, OpenAccount, RetireAccount, RevokeApiKey } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { Account } from './account.ts';
import { postCash, postLedger } from './cash.ts';

/** How many API keys an account may have at a time, those that have expired not counted. */
export const MAX_API_KEYS = 100;

/** All deposits together stay below this: half of what exact integers hold, the rest is room for what is won. */
export const MAX_DEPOSITS_ATOMS = (2 ** 52) as QuoteAtoms;

export function commitOpenAccount(state: VenueState, command: OpenAccount, events: EventWriter): void {
  const account = new Account(state.accounts.length as AccountOrdinal, command.label, command.partyId, command.digestSeed);
  state.accounts.push(account);
  events.accountOpened({ account: account.ordinal, label: account.label, partyId: account.partyId });
}

export function planCredit(state: VenueState, command: CreditCash): Refusal | undefined {
  const refusal = refusalOfAccount(state, command.account);
  if (refusal !== undefined) return refusal;
  const room = MAX_DEPOSITS_ATOMS - state.netDepositsAtoms;
  if (command.amountAtoms < 1 || command.amountAtoms > room) return { code: 'amount_out_of_bounds', bound: room };
  return undefined;
}

export function commitCredit(state: VenueState, command: CreditCash, events: EventWriter): void {
  state.netDepositsAtoms = plus(state.netDepositsAtoms, command.amountAtoms);
  postCash(state.account(command.account)!, 'deposit', command.amountAtoms, events);
}

export function planInsuranceCredit(state: VenueState, { amountAtoms }: CreditInsurance): Refusal | undefined {
  const room = MAX_DEPOSITS_ATOMS - state.netDepositsAtoms;
  return amountAtoms < 1 || amountAtoms > room ? { code: 'amount_out_of_bounds', bound: room } : undefined;
}

/** The fund is the venue's, but its money came in like any other. */
export function commitInsuranceCredit(state: VenueState, { amountAtoms }: CreditInsurance, events: EventWriter): void {
  state.netDepositsAtoms = plus(state.netDepositsAtoms, amountAtoms);
  postLedger(state, 'insurance', amountAtoms, events);
}

export function planRetirement(state: VenueState, command: RetireAccount): Refusal | undefined {
  const refusal = refusalOfAccount(state, command.account);
  if (refusal !== undefined) return refusal;
  const account = state.account(command.account)!;
  const isBusy =
    account.openOrders > 0 || account.positions.some((position) => position !== undefined && position.signedBaseAtoms !== 0);
  return isBusy ? { code: 'account_busy' } : undefined;
}

/** A retired account's keys go with it. */
export function commitRetirement(state: VenueState, command: RetireAccount, events: EventWriter): void {
  const account = state.account(command.account)!;
  for (const keyId of [...account.apiKeys.keys()]) revoke(state, account, keyId, events);
  account.isRetired = true;
  events.accountRetired({ account: account.ordinal });
}

export function planIssue(state: VenueState, command: IssueApiKey, now: EpochMs): Refusal | undefined {
  const refusal = refusalOfAccount(state, command.account);
  if (refusal !== undefined) return refusal;
  if (command.scopes.length === 0 || new Set(command.scopes).size !== command.scopes.length) return { code: 'api_key_invalid' };
  const { expiresAtEpochMs } = command;
  if (expiresAtEpochMs !== 0 && expiresAtEpochMs <= now) return { code: 'api_key_invalid' };
  if (state.apiKeyAccounts.has(command.keyId)) return { code: 'api_key_exists' };
  const account = state.account(command.account)!;
  const isFull = account.apiKeys.size - expiredKeys(state, account, now).length >= MAX_API_KEYS;
  return isFull ? { code: 'too_many_api_keys', bound: MAX_API_KEYS } : undefined;
}

/** Keys that have expired make room for it: they end for good. */
export function commitIssue(state: VenueState, command: IssueApiKey, now: EpochMs, events: EventWriter): void {
  const { account: ordinal, keyId, digest, scopes, label, expiresAtEpochMs } = command;
  const account = state.account(ordinal)!;
  for (const expired of expiredKeys(state, account, now)) revoke(state, account, expired, events);
  account.apiKeys.set(keyId, { keyId, digest, scopes, label });
  state.apiKeyAccounts.set(keyId, ordinal);
  if (expiresAtEpochMs !== 0) state.apiKeyExpiries.set(keyId, expiresAtEpochMs);
  events.apiKeyIssued({ account: ordinal, keyId, digest, scopes, label, expiresAtEpochMs });
}

function expiredKeys(state: VenueState, { apiKeys }: Account, now: EpochMs): readonly string[] {
  if (state.apiKeyExpiries.size === 0) return [];
  return [...apiKeys.keys()].filter((keyId) => (state.apiKeyExpiries.get(keyId) ?? Number.POSITIVE_INFINITY) <= now);
}

export function planRevocation(state: VenueState, command: RevokeApiKey): Refusal | undefined {
  return state.apiKeyAccounts.get(command.keyId) === command.account ? undefined : { code: 'api_key_not_found' };
}

export function commitRevocation(state: VenueState, command: RevokeApiKey, events: EventWriter): void {
  revoke(state, state.account(command.account)!, command.keyId, events);
}

function revoke(state: VenueState, account: Account, keyId: string, events: EventWriter): void {
  account.apiKeys.delete(keyId);
  state.apiKeyAccounts.delete(keyId);
  state.apiKeyExpiries.delete(keyId);
  events.apiKeyRevoked({ account: account.ordinal, keyId });
}

/** Why an account can take part in nothing; `undefined` where it can. */
export function refusalOfAccount(state: VenueState, ordinal: AccountOrdinal): Refusal | undefined {
  const account = state.account(ordinal);
  if (account === undefined) return { code: 'account_not_found' };
  return account.isRetired ? { code: 'account_retired' } : undefined;
}
