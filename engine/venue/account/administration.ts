/** The operator's commands for accounts: open, credit and retire them, issue and revoke API keys. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { plus } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { NEVER, scopeLayout } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { checkDepositAmount } from '#venue/transfer/deposit-bound.ts';
import { checkMoneyId, useMoneyId } from '#venue/transfer/money-id.ts';
import type { Turn } from '#venue/turn.ts';
import { Account, retirementOf } from './account.ts';
import { postCash, postLedger } from './cash.ts';
import type { Scope } from './scope.ts';

/** Opens an account. An empty `partyId` leaves it without the active party binding that trading needs. */
export interface OpenAccount {
  readonly type: 'OpenAccount';
  readonly label: string;
  readonly partyId: string;
  /** A random number below 2^32, secret from clients: the seed for digests of the account's client order ids. */
  readonly digestSeed: number;
}

/** Deposits money into an account's cash. `reference` names its source. */
export interface CreditCash {
  readonly type: 'CreditCash';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  /** Refused for good after its first use. */
  readonly moneyId?: string;
}

/** Deposits money into the insurance fund. */
export interface CreditInsurance {
  readonly type: 'CreditInsurance';
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  /** Refused for good after its first use. */
  readonly moneyId?: string;
}

/** `digest` is the SHA-256 of the key in hex. The core never receives the key itself. */
export interface IssueApiKey {
  readonly type: 'IssueApiKey';
  readonly account: AccountOrdinal;
  readonly keyId: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** The key is invalid from this time on; 0 if it never expires. */
  readonly expiresAtEpochMs: EpochMs;
}

export interface RevokeApiKey {
  readonly type: 'RevokeApiKey';
  readonly account: AccountOrdinal;
  readonly keyId: string;
}

export type AccountCommand = OpenAccount | CreditCash | CreditInsurance | IssueApiKey | RevokeApiKey;

export const ACCOUNT_COMMANDS: CommandRules<AccountCommand> = {
  OpenAccount: {
    plan: () => undefined,
    commit: commitOpenAccount,
    layout: {
      tag: 3,
      fields: (io, it) => ({
        type: 'OpenAccount',
        label: io.text(it.label),
        partyId: io.text(it.partyId),
        digestSeed: io.u32(it.digestSeed),
      }),
    },
  },
  CreditCash: {
    plan: planCredit,
    commit: commitCredit,
    layout: {
      tag: 5,
      fields: creditLayout,
      extended: [
        {
          tag: 53,
          applies: ({ moneyId }) => moneyId !== undefined,
          fields: (io, it) => ({ ...creditLayout(io, it), moneyId: io.text(it.moneyId!) }),
        },
      ],
    },
  },
  CreditInsurance: {
    plan: planInsuranceCredit,
    commit: commitInsuranceCredit,
    layout: {
      tag: 13,
      fields: insuranceLayout,
      extended: [
        {
          tag: 54,
          applies: ({ moneyId }) => moneyId !== undefined,
          fields: (io, it) => ({ ...insuranceLayout(io, it), moneyId: io.text(it.moneyId!) }),
        },
      ],
    },
  },
  IssueApiKey: {
    plan: planIssue,
    commit: commitIssue,
    layout: {
      tag: 6,
      fields: keyLayout,
      extended: [
        {
          tag: 20,
          applies: ({ expiresAtEpochMs }) => expiresAtEpochMs !== NEVER,
          fields: (io, it) => ({ ...keyLayout(io, it), expiresAtEpochMs: io.int(it.expiresAtEpochMs) }),
        },
      ],
    },
  },
  RevokeApiKey: {
    plan: planRevocation,
    commit: commitRevocation,
    layout: {
      tag: 7,
      fields: (io, it) => ({
        type: 'RevokeApiKey',
        account: io.int(it.account),
        keyId: io.text(it.keyId),
      }),
    },
  },
};

function creditLayout(io: Cursor, it: CreditCash): CreditCash {
  return {
    type: 'CreditCash',
    account: io.int(it.account),
    amountAtoms: io.int(it.amountAtoms),
    reference: io.text(it.reference),
  };
}

function insuranceLayout(io: Cursor, it: CreditInsurance): CreditInsurance {
  return { type: 'CreditInsurance', amountAtoms: io.int(it.amountAtoms), reference: io.text(it.reference) };
}

function keyLayout(io: Cursor, it: IssueApiKey): IssueApiKey {
  return {
    type: 'IssueApiKey',
    account: io.int(it.account),
    keyId: io.text(it.keyId),
    digest: io.text(it.digest),
    scopes: io.list(it.scopes, scopeLayout),
    label: io.text(it.label),
    expiresAtEpochMs: NEVER,
  };
}

/** The maximum number of unexpired API keys of an account. */
export const MAX_API_KEYS = 100;

export function commitOpenAccount(turn: Turn, command: OpenAccount): void {
  openAccount(turn, command);
}

export function openAccount(
  { state, events }: Turn,
  { label, partyId, digestSeed }: Pick<OpenAccount, 'label' | 'partyId' | 'digestSeed'>,
): Account {
  const account = new Account(state.accounts.length as AccountOrdinal, label, partyId, digestSeed);
  state.accounts.push(account);
  if (partyId !== '') state.partyIds.add(partyId);
  events.emit({ type: 'AccountOpened', account: account.ordinal, label, partyId });
  return account;
}

export function planCredit(turn: Turn, command: CreditCash): Refusal | undefined {
  return (
    checkAccount(turn, command.account) ?? checkDepositAmount(turn.state, command.amountAtoms) ?? checkMoneyId(turn, command)
  );
}

export function commitCredit(turn: Turn, command: CreditCash): void {
  turn.state.netDepositsAtoms = plus(turn.state.netDepositsAtoms, command.amountAtoms);
  postCash(turn, turn.state.account(command.account)!, 'deposit', command.amountAtoms);
  useMoneyId(turn, command);
}

export function planInsuranceCredit(turn: Turn, command: CreditInsurance): Refusal | undefined {
  return checkDepositAmount(turn.state, command.amountAtoms) ?? checkMoneyId(turn, command);
}

/** The fund belongs to the venue, but the credit counts as a deposit. */
export function commitInsuranceCredit(turn: Turn, command: CreditInsurance): void {
  turn.state.netDepositsAtoms = plus(turn.state.netDepositsAtoms, command.amountAtoms);
  postLedger(turn, 'insurance', command.amountAtoms);
  useMoneyId(turn, command);
}

export function planIssue(turn: Turn, command: IssueApiKey): Refusal | undefined {
  const refusal = checkAccount(turn, command.account);
  if (refusal !== undefined) return refusal;
  if (command.scopes.length === 0 || new Set(command.scopes).size !== command.scopes.length) return { code: 'api_key_invalid' };
  const { expiresAtEpochMs } = command;
  if (expiresAtEpochMs !== 0 && expiresAtEpochMs <= turn.now) return { code: 'api_key_invalid' };
  if (turn.state.apiKeyAccounts.has(command.keyId)) return { code: 'api_key_exists' };
  const account = turn.state.account(command.account)!;
  const isFull = account.apiKeys.size - expiredKeys(turn.state, account, turn.now).length >= MAX_API_KEYS;
  return isFull ? { code: 'too_many_api_keys', bound: MAX_API_KEYS } : undefined;
}

/** Also revokes the account's expired keys, which makes room for new ones. */
export function commitIssue(turn: Turn, command: IssueApiKey): void {
  const { account: ordinal, keyId, digest, scopes, label, expiresAtEpochMs } = command;
  const account = turn.state.account(ordinal)!;
  for (const expired of expiredKeys(turn.state, account, turn.now)) revoke(turn, account, expired);
  account.apiKeys.set(keyId, { keyId, digest, scopes, label });
  turn.state.apiKeyAccounts.set(keyId, ordinal);
  if (expiresAtEpochMs !== 0) turn.state.apiKeyExpiries.set(keyId, expiresAtEpochMs);
  turn.events.emit({ type: 'ApiKeyIssued', account: ordinal, keyId, digest, scopes, label, expiresAtEpochMs });
}

function expiredKeys(state: VenueState, { apiKeys }: Account, now: EpochMs): readonly string[] {
  if (state.apiKeyExpiries.size === 0) return [];
  return [...apiKeys.keys()].filter((keyId) => (state.apiKeyExpiries.get(keyId) ?? Number.POSITIVE_INFINITY) <= now);
}

export function planRevocation(turn: Turn, command: RevokeApiKey): Refusal | undefined {
  return turn.state.apiKeyAccounts.get(command.keyId) === command.account ? undefined : { code: 'api_key_not_found' };
}

export function commitRevocation(turn: Turn, command: RevokeApiKey): void {
  revoke(turn, turn.state.account(command.account)!, command.keyId);
}

/** Emits the revocation. */
export function revoke(turn: Turn, account: Account, keyId: string): void {
  account.apiKeys.delete(keyId);
  turn.state.apiKeyAccounts.delete(keyId);
  turn.state.apiKeyExpiries.delete(keyId);
  turn.events.emit({ type: 'ApiKeyRevoked', account: account.ordinal, keyId });
}

/** Refuses an unknown or retired account; otherwise returns `undefined`. */
export function checkAccount(turn: Turn, ordinal: AccountOrdinal): Refusal | undefined {
  const account = turn.state.account(ordinal);
  if (account === undefined) return { code: 'account_not_found' };
  return account.isRetired ? retirementOf(account) : undefined;
}
