/**
 * All owners, found by account, identity or credential. Changed only by events, so that every copy that takes the same events at
 * the same times is equal.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { OwnerEvent } from '#venue/event/owner-events.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { Owner, ownerLayout } from './owner.ts';

export class Owners {
  /** In the order of registration. */
  readonly byAccount = new Map<AccountOrdinal, Owner>();
  readonly byIdentity = new Map<string, AccountOrdinal>();
  /** Also by the credentials of removed passkeys. */
  readonly byCredential = new Map<string, AccountOrdinal>();

  of(account: AccountOrdinal): Owner | undefined {
    return this.byAccount.get(account);
  }

  add(owner: Owner): void {
    this.byAccount.set(owner.account, owner);
    this.byIdentity.set(owner.identityDigest, owner.account);
    for (const credentialId of owner.passkeys.keys()) this.byCredential.set(credentialId, owner.account);
    for (const credentialId of owner.removedCredentials) this.byCredential.set(credentialId, owner.account);
  }

  /** `at` is the time of the event's record. */
  take(event: OwnerEvent, at: EpochMs): void {
    switch (event.type) {
      case 'OwnerRegistered':
        this.add(new Owner(event.account, event.identityDigest, event.provider, event.referralCode));
        return;
      case 'PasskeyAdded':
        this.#known(event.account).passkeys.set(event.passkey.credentialId, { ...event.passkey, createdAtEpochMs: at });
        this.byCredential.set(event.passkey.credentialId, event.account);
        return;
      case 'PasskeyUsed': {
        const { passkeys } = this.#known(event.account);
        const { credentialId, signatureCount } = event;
        passkeys.set(credentialId, { ...passkeys.get(credentialId)!, signatureCount });
        return;
      }
      case 'PasskeyRemoved': {
        const owner = this.#known(event.account);
        owner.passkeys.delete(event.credentialId);
        owner.removedCredentials.add(event.credentialId);
        return;
      }
      case 'PartyChanged': {
        const { status, partyId, ledgerKey } = event;
        this.#known(event.account).party = { status, partyId, ledgerKey };
        return;
      }
      case 'SigningWalletCreated':
        this.#known(event.account).walletId = event.walletId;
        return;
      case 'PartyConsentChanged': {
        const { consent: state, consentId, ledgerKey, reason } = event;
        this.#known(event.account).consent = { state, consentId, ledgerKey, reason };
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** A copy that later events do not change. */
  copy(): Owners {
    const copy = new Owners();
    for (const owner of this.byAccount.values()) copy.add(copyOf(owner));
    return copy;
  }

  #known(account: AccountOrdinal): Owner {
    const owner = this.byAccount.get(account);
    if (owner === undefined) throw new Error(`an event names account ${account}, which has no owner`);
    return owner;
  }
}

function copyOf(it: Owner): Owner {
  const owner = new Owner(it.account, it.identityDigest, it.provider, it.referralCode);
  for (const [credentialId, passkey] of it.passkeys) owner.passkeys.set(credentialId, passkey);
  for (const credentialId of it.removedCredentials) owner.removedCredentials.add(credentialId);
  owner.party = it.party;
  owner.walletId = it.walletId;
  owner.consent = it.consent;
  return owner;
}

/** The layout in a snapshot: any number of owners. Reading adds them to `it`. */
export function ownersLayout(io: Cursor, it: Owners): void {
  const known = [...it.byAccount.values()];
  const count = io.u32(known.length);
  for (let index = 0; index < count; index += 1) {
    const owner = known[index];
    const stored = ownerLayout(io, owner ?? new Owner(0 as AccountOrdinal, '', '', ''));
    if (owner === undefined) it.add(stored);
  }
}
