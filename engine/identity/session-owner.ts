/**
 * Whether a session still belongs to the owner of its account. It names the account by a number, and a store of sessions may outlive the
 * journal: after a backup is restored, the next owner to register gets that number.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Session } from './sessions.ts';

/** Owners as the durable state has them now. */
export interface SessionOwners {
  /** An active one. */
  passkey(credentialId: string): { readonly account: AccountOrdinal } | undefined;
  accountOfIdentity(identityDigest: string): AccountOrdinal | undefined;
  owner(account: AccountOrdinal): { readonly isLegacy: boolean } | undefined;
}

/**
 * The passkey that signed in is an active one of the account, or the identity is the account's. The owner of a retired account may
 * withdraw its cash; a legacy account is excluded.
 */
export function isOfOwner({ account, signIn }: Session, owners: SessionOwners): boolean {
  const holder =
    signIn.by === 'passkey' ? owners.passkey(signIn.credentialId)?.account : owners.accountOfIdentity(signIn.identityDigest);
  return holder === account && owners.owner(account)?.isLegacy !== true;
}
