/** Owners of sessions in tests: none, or one for each passkey that is named. */
import type { SessionOwners } from '#identity/session-owner.ts';
import type { AccountOrdinal } from '#units/ids.ts';

export function sessionOwners(accounts: ReadonlyMap<string, AccountOrdinal>): SessionOwners {
  return {
    passkey: (credentialId) => {
      const account = accounts.get(credentialId);
      return account === undefined ? undefined : { account };
    },
    accountOfIdentity: (identityDigest) => accounts.get(identityDigest),
  };
}

export const NO_OWNERS = sessionOwners(new Map());
