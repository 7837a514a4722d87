/** Handlers for KYC: the status, and skipping it once. */
import type { kycOperations } from '#contract/kyc.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { readAccepted } from './accepted-command.ts';
import { venueRefusal } from './venue-refusal.ts';

export function kycHandlers({ submit }: HttpPorts): Pick<Handlers, keyof typeof kycOperations> {
  return {
    getKyc: async ({ params, principal, reads }) => ({ body: await reads.kyc(ownAccount(principal, params.accountId)) }),

    skipKyc: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const before = await reads.kyc(account);
      if (parseRendered(before).state.status === 'skipped') return { body: before };
      const refusal = venueRefusal(await submit({ command: { type: 'SkipKyc', account } }));
      // Another request was first.
      if (refusal !== undefined && refusal.code !== 'kyc_skipped') throw refusal;
      return { body: await readAccepted(reads.kyc(account)) };
    },
  };
}
