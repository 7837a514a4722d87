/** Handlers for the leverage of an account in a market. A request that changes nothing is answered without a command. */
import type { leverageOperations } from '#contract/leverage.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { leverageHundredths } from '#units/leverage.ts';
import { readAccepted } from './accepted-command.ts';
import { marketNamed } from './markets.ts';
import { venueRefusal } from './venue-refusal.ts';

export function leverageHandlers({ submit, directory }: HttpPorts): Pick<Handlers, keyof typeof leverageOperations> {
  return {
    getLeverages: async ({ params, principal, reads }) => ({
      body: await reads.leverageList(ownAccount(principal, params.accountId)),
    }),

    setLeverage: async ({ params, body: { leverageX }, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const market = marketNamed(directory, params.marketId);
      const before = await reads.marketLeverage(account, market);
      const chosen = parseRendered(before);
      if (chosen.leverageX === leverageX && !chosen.isDefault) return { body: before };
      const record = await submit({
        command: { type: 'SetLeverage', account, market, leverageHundredths: leverageHundredths(leverageX) },
      });
      const { specification } = directory.listedMarket(params.marketId)!;
      const refusal = venueRefusal(record, { specification, body: { leverageX } });
      if (refusal !== undefined) throw refusal;
      return { body: await readAccepted(reads.marketLeverage(account, market)) };
    },
  };
}
