/**
 * Owners and what belongs to them, as of the newest durable record: handlers read it synchronously in the writer's thread. A record
 * is in it before its response is sent.
 */
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { Consent, Party, SetupState } from '#venue/owner/party.ts';
import type { StoredPasskey } from '#venue/owner/passkey.ts';
import type { OwnerMoney } from './owner-money.ts';

export type { Consent, Party, SetupState } from '#venue/owner/party.ts';
export type { StoredPasskey } from '#venue/owner/passkey.ts';

/** A passkey or a setup key, and the account that it signs for. */
export interface FoundPasskey {
  readonly account: AccountOrdinal;
  readonly passkey: StoredPasskey;
}

export interface OwnerView {
  readonly account: AccountOrdinal;
  readonly provider: string;
  /** SHA-256 of the identity at the provider, in hex. */
  readonly identityDigest: string;
  /** Empty without one. */
  readonly referralCode: string;
  /** The active passkeys and the setup key, oldest first. */
  readonly passkeys: readonly StoredPasskey[];
  readonly party: Party;
  /** Empty until there is a signing wallet. */
  readonly walletId: string;
  readonly consent: Consent;
  readonly setup: SetupState;
  readonly isRetired: boolean;
  /** Retired as legacy. */
  readonly isLegacy: boolean;
}

export interface OwnerDirectory extends OwnerMoney {
  /** The newest record in it. */
  sequence(): Sequence;
  /** The account that the identity registered, also if it is retired. */
  accountOfIdentity(identityDigest: string): AccountOrdinal | undefined;
  /** `undefined` for an unknown or removed one. */
  passkey(credentialId: string): FoundPasskey | undefined;
  /** Whether the credential was ever registered, also if it is removed. */
  isCredentialUsed(credentialId: string): boolean;
  /** `undefined` for an account of the operator, and for one that does not exist. */
  owner(account: AccountOrdinal): OwnerView | undefined;
  /** The accounts whose party or consent waits for the external ledger: allocating, submitted, or waiting for the package. */
  pendingParties(): readonly AccountOrdinal[];
}
