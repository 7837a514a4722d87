/** Handlers for an account's balances and positions, and for the current API key. */
import type { accountOperations } from '#contract/accounts.ts';
import type { authOperations } from '#contract/auth.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { renderAccountId } from '#units/ids.ts';
import { marketNamed } from './markets.ts';

export function accountHandlers({
  directory,
}: HttpPorts): Pick<Handlers, keyof typeof accountOperations | keyof typeof authOperations> {
  return {
    getAccount: async ({ params, principal, reads }) => ({
      body: await reads.accountSnapshot(ownAccount(principal, params.accountId)),
    }),

    listPositions: async ({ params, query, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const market = query.marketId === undefined ? undefined : marketNamed(directory, query.marketId);
      return { body: await reads.positions(account, market) };
    },

    getParty: async ({ params, principal, reads }) => ({ body: await reads.party(ownAccount(principal, params.accountId)) }),

    getCurrentApiKey: ({ principal }) => {
      if (principal.session !== undefined) throw new Refused('not_an_api_key');
      return {
        body: {
          version: 'external-api-key/v1',
          keyId: principal.keyId,
          accountId: renderAccountId(principal.account),
          scopes: [...principal.scopes],
          label: principal.label,
          status: 'active',
          createdAtEpochMs: principal.issuedAtEpochMs,
          expiresAtEpochMs: principal.expiresAtEpochMs === 0 ? null : principal.expiresAtEpochMs,
        },
      };
    },
  };
}
