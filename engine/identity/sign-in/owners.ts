/**
 * What sign-in needs of the venue: owners as the durable state has them now, and commands that change them. A command resolves when it
 * is durable, and rejects with `Refused` if the venue refuses it.
 */
import type { OwnerCredential, PasskeyUse } from '#identity/approvals.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

/** A passkey or setup key that is about to be registered. */
export interface NewCredential extends OwnerCredential {
  readonly name: string;
  /** The origin of the page that made it. */
  readonly origin: string;
}

export interface StoredCredential extends NewCredential {
  readonly createdAtEpochMs: EpochMs;
}

/** How far an account's setup is: its party, its signing wallet and its consent. */
export type SetupState = 'not_started' | 'pending' | 'waiting_for_package' | 'complete';

export interface OwnerConsent {
  readonly state: 'absent' | 'submitted' | 'present' | 'revoked';
  /** Empty if there was none yet. */
  readonly consentId: string;
}

/** Whether the consent that is due, or submitted, replaces a revoked one: that is no part of the setup any more. */
export function isReplacement({ state, consentId }: OwnerConsent): boolean {
  return state !== 'present' && consentId !== '';
}

export interface Owner {
  readonly account: AccountOrdinal;
  readonly provider: string;
  readonly identityDigest: string;
  /** The active ones. */
  readonly passkeys: readonly StoredCredential[];
  readonly consent: OwnerConsent;
  readonly setup: SetupState;
  /** Retired as a legacy account: the owner cannot sign in. */
  readonly isLegacy: boolean;
}

export interface Owners {
  accountOfIdentity(identityDigest: string): AccountOrdinal | undefined;
  /** An active one. */
  passkey(credentialId: string): { readonly account: AccountOrdinal; readonly passkey: StoredCredential } | undefined;
  /** Also a removed one. */
  isCredentialUsed(credentialId: string): boolean;
  /** `undefined` for the account of no owner. */
  owner(account: AccountOrdinal): Owner | undefined;
}

export interface NewOwner {
  readonly identityDigest: string;
  readonly provider: string;
  /** Empty for none. */
  readonly referralCode: string;
  readonly passkey: NewCredential;
}

export interface OwnerCommands {
  register(owner: NewOwner): Promise<AccountOrdinal>;
  addPasskey(account: AccountOrdinal, passkey: NewCredential): Promise<void>;
  /** Refused if no other passkey remains at the site. */
  removePasskey(account: AccountOrdinal, credentialId: string, relyingPartyId: string): Promise<void>;
  recordPasskeyUse(use: PasskeyUse): Promise<'recorded' | 'refused'>;
}
