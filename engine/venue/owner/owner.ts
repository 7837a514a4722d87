/** An owner: the person whom an account belongs to, with the passkeys, the party on the external ledger and its consent. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import {
  CONSENT_STATES,
  type Consent,
  NO_CONSENT,
  NO_PARTY,
  PARTY_STATUSES,
  type Party,
  type SetupState,
  setupOf,
} from './party.ts';
import { passkeyLayout, type StoredPasskey } from './passkey.ts';

export class Owner {
  readonly account: AccountOrdinal;
  /** SHA-256 of the identity at the provider, in hex. */
  readonly identityDigest: string;
  readonly provider: string;
  /** Empty without one. */
  readonly referralCode: string;
  /** The active ones by credential id, oldest first. */
  readonly passkeys = new Map<string, StoredPasskey>();
  /** The credential ids of removed passkeys, which are never added again. */
  readonly removedCredentials = new Set<string>();
  party: Party = NO_PARTY;
  /** Empty until there is a signing wallet. */
  walletId = '';
  consent: Consent = NO_CONSENT;

  constructor(account: AccountOrdinal, identityDigest: string, provider: string, referralCode: string) {
    this.account = account;
    this.identityDigest = identityDigest;
    this.provider = provider;
    this.referralCode = referralCode;
  }

  get setup(): SetupState {
    return setupOf({
      partyStatus: this.party.status,
      hasWallet: this.walletId !== '',
      consentState: this.consent.state,
      consentReason: this.consent.reason,
    });
  }

  get hasSetupKey(): boolean {
    return [...this.passkeys.values()].some(({ kind }) => kind === 'setup_key');
  }

  /** Whether a passkey besides this one signs at the site. */
  hasOtherPasskey(credentialId: string, relyingPartyId: string): boolean {
    return [...this.passkeys.values()].some(
      (it) => it.kind === 'passkey' && it.credentialId !== credentialId && it.relyingPartyId === relyingPartyId,
    );
  }
}

/** The layout in a snapshot. */
export function ownerLayout(io: Cursor, it: Owner): Owner {
  const { account, identityDigest, provider, referralCode } = it;
  const owner = new Owner(io.int(account), io.text(identityDigest), io.text(provider), io.text(referralCode));
  const passkeys = io.list([...it.passkeys.values()], storedPasskeyLayout);
  for (const passkey of passkeys) owner.passkeys.set(passkey.credentialId, passkey);
  const removed = io.list([...it.removedCredentials], (cursor, credentialId) => cursor.text(credentialId));
  for (const credentialId of removed) owner.removedCredentials.add(credentialId);
  owner.party = io.part(it.party, partyLayout);
  owner.walletId = io.text(it.walletId);
  owner.consent = io.part(it.consent, consentLayout);
  return owner;
}

function storedPasskeyLayout(io: Cursor, it: StoredPasskey): StoredPasskey {
  return { ...passkeyLayout(io, it), createdAtEpochMs: io.int(it.createdAtEpochMs) };
}

function partyLayout(io: Cursor, it: Party): Party {
  return { status: io.oneOf(PARTY_STATUSES, it.status), partyId: io.text(it.partyId), ledgerKey: io.text(it.ledgerKey) };
}

function consentLayout(io: Cursor, it: Consent): Consent {
  return {
    state: io.oneOf(CONSENT_STATES, it.state),
    consentId: io.text(it.consentId),
    ledgerKey: io.text(it.ledgerKey),
    reason: io.text(it.reason),
  };
}
