/** Handlers for the API keys of an account, by its owner. */
import type { apiKeyOperations } from '#contract/api-keys.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { venueRefusal } from './venue-refusal.ts';

export function apiKeyHandlers({ submit, directory }: HttpPorts): Pick<Handlers, keyof typeof apiKeyOperations> {
  return {
    listApiKeys: async ({ params, principal, reads }) => ({
      body: await reads.apiKeyList(ownAccount(principal, params.accountId)),
    }),

    revokeApiKey: async ({ params: { accountId, keyId }, principal }) => {
      const account = ownAccount(principal, accountId);
      const found = directory.apiKey(keyId);
      if (found?.account !== account) throw new Refused('api_key_not_found');
      if (found.isRevoked) return { body: undefined };
      const refusal = venueRefusal(await submit({ command: { type: 'RevokeApiKey', account, keyId } }));
      // Another request, or its expiry, has revoked it meanwhile.
      if (refusal !== undefined && directory.apiKey(keyId)?.isRevoked !== true) throw refusal;
      return { body: undefined };
    },
  };
}
