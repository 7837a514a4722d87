/**
 * Handlers for the affiliate program. A request that changes nothing is answered without a command. The program may be switched off while
 * a request is in progress: then the core refuses it, and it is answered as hidden too.
 */
import { randomBytes } from 'node:crypto';
import type { affiliateOperations } from '#contract/affiliates.ts';
import { ownAccount } from '#http/access/access.ts';
import { hidden, policyHeaders } from '#http/access/hidden-operations.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { AFFILIATE_SHARE_BPS } from '#venue/command.ts';
import { readAccepted } from './accepted-command.ts';
import { venueRefusal } from './venue-refusal.ts';

export function affiliateHandlers({ submit, directory }: HttpPorts): Pick<Handlers, keyof typeof affiliateOperations> {
  const register = async (account: AccountOrdinal): Promise<void> => {
    const refusal = venueRefusal(await submit({ command: { type: 'RegisterAffiliate', account, referralCode: newCode() } }));
    // Another request was first: the account has its code.
    if (refusal === undefined || refusal.code === 'affiliate_registered') return;
    throw refusal.code === 'capability_unavailable' ? hidden(directory.switches()) : refusal;
  };
  return {
    getAffiliateAvailability: () => ({
      body: {
        version: 'external-affiliate-availability/v1',
        available: directory.switches().capabilities.affiliate === true,
        shareBps: AFFILIATE_SHARE_BPS,
      },
    }),

    getAffiliateProfile: async ({ params, principal, reads }) => {
      const headers = policyHeaders(directory.switches());
      return { body: await reads.affiliateProfile(ownAccount(principal, params.accountId)), headers };
    },

    registerAffiliate: async ({ params, principal, reads }) => {
      const headers = policyHeaders(directory.switches());
      const account = ownAccount(principal, params.accountId);
      const before = await reads.affiliateProfile(account);
      if (parseRendered(before).registered) return { body: before, headers };
      await register(account);
      return { body: await readAccepted(reads.affiliateProfile(account)), headers };
    },

    getAffiliateEarnings: async ({ params, query, principal, reads }) => {
      const headers = policyHeaders(directory.switches());
      const account = ownAccount(principal, params.accountId);
      const scope = cursorScope('getAffiliateEarnings', { ...params, ...query });
      return { body: await reads.affiliateEarnings(scope, { account, ...pageQuery(scope, query) }), headers };
    },
  };
}

/** 64 random bits: it does not identify the account, and cannot be guessed. */
function newCode(): string {
  return randomBytes(8).toString('hex');
}
