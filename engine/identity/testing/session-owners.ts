/** Owners of sessions in tests: none, or the accounts that a map names by passkey or identity. */
import type { SessionOwners } from '#identity/session-owner.ts';
import type { AccountOrdinal } from '#units/ids.ts';

export function sessionOwners(
  accounts: ReadonlyMap<string, AccountOrdinal>,
  legacy: ReadonlySet<AccountOrdinal> = new Set(),
): SessionOwners {
  return {
    passkey: (credentialId) => {
      const account = accounts.get(credentialId);
      return account === undefined ? undefined : { account };
    },
    accountOfIdentity: (identityDigest) => accounts.get(identityDigest),
    owner: (account) => ({ isLegacy: legacy.has(account) }),
  };
}

export const NO_OWNERS = sessionOwners(new Map());
