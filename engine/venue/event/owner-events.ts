/** Events of owners: their registration, passkeys, parties and consents. */
import type { AccountOrdinal } from '#units/ids.ts';
import { CONSENT_STATES, type ConsentState, PARTY_STATUSES, type PartyStatus } from '#venue/owner/party.ts';
import { type PasskeyRecord, passkeyLayout } from '#venue/owner/passkey.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/** A person registered as the owner of a new account. */
export interface OwnerRegistered {
  readonly type: 'OwnerRegistered';
  readonly account: AccountOrdinal;
  /** SHA-256 of the identity at the provider, in hex. */
  readonly identityDigest: string;
  readonly provider: string;
  /** Empty without one. */
  readonly referralCode: string;
}

export interface PasskeyAdded {
  readonly type: 'PasskeyAdded';
  readonly account: AccountOrdinal;
  readonly passkey: PasskeyRecord;
}

/** `signatureCount` is the counter after the use. */
export interface PasskeyUsed {
  readonly type: 'PasskeyUsed';
  readonly account: AccountOrdinal;
  readonly credentialId: string;
  readonly signatureCount: number;
}

export interface PasskeyRemoved {
  readonly type: 'PasskeyRemoved';
  readonly account: AccountOrdinal;
  readonly credentialId: string;
}

export interface PartyChanged {
  readonly type: 'PartyChanged';
  readonly account: AccountOrdinal;
  readonly status: PartyStatus;
  readonly partyId: string;
  readonly ledgerKey: string;
}

export interface SigningWalletCreated {
  readonly type: 'SigningWalletCreated';
  readonly account: AccountOrdinal;
  readonly walletId: string;
}

export interface PartyConsentChanged {
  readonly type: 'PartyConsentChanged';
  readonly account: AccountOrdinal;
  readonly consent: ConsentState;
  readonly consentId: string;
  readonly ledgerKey: string;
  readonly reason: string;
}

export type OwnerEvent =
  | OwnerRegistered
  | PasskeyAdded
  | PasskeyUsed
  | PasskeyRemoved
  | PartyChanged
  | SigningWalletCreated
  | PartyConsentChanged;

export const OWNER_EVENTS: EventLayouts<OwnerEvent> = {
  OwnerRegistered: {
    tag: 33,
    fields: (io, it) => ({
      type: 'OwnerRegistered',
      account: io.u32(it.account),
      identityDigest: io.text(it.identityDigest),
      provider: io.text(it.provider),
      referralCode: io.text(it.referralCode),
    }),
  },
  PasskeyAdded: {
    tag: 34,
    fields: (io, it) => ({
      type: 'PasskeyAdded',
      account: io.u32(it.account),
      passkey: io.part(it.passkey, passkeyLayout),
    }),
  },
  PasskeyUsed: {
    tag: 35,
    fields: (io, it) => ({
      type: 'PasskeyUsed',
      account: io.u32(it.account),
      credentialId: io.text(it.credentialId),
      signatureCount: io.u32(it.signatureCount),
    }),
  },
  PasskeyRemoved: {
    tag: 36,
    fields: (io, it) => ({ type: 'PasskeyRemoved', account: io.u32(it.account), credentialId: io.text(it.credentialId) }),
  },
  PartyChanged: {
    tag: 37,
    fields: (io, it) => ({
      type: 'PartyChanged',
      account: io.u32(it.account),
      status: io.oneOf(PARTY_STATUSES, it.status),
      partyId: io.text(it.partyId),
      ledgerKey: io.text(it.ledgerKey),
    }),
  },
  SigningWalletCreated: {
    tag: 38,
    fields: (io, it) => ({ type: 'SigningWalletCreated', account: io.u32(it.account), walletId: io.text(it.walletId) }),
  },
  PartyConsentChanged: {
    tag: 39,
    fields: (io, it) => ({
      type: 'PartyConsentChanged',
      account: io.u32(it.account),
      consent: io.oneOf(CONSENT_STATES, it.consent),
      consentId: io.text(it.consentId),
      ledgerKey: io.text(it.ledgerKey),
      reason: io.text(it.reason),
    }),
  },
};
