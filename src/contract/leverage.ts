/** The leverage that an account has chosen in each market. Orders that set no leverageX use it. */
import * as z from 'zod';
import { accountId, accountParams, idInput, leverage, leverageInput, marketId } from './fields.ts';
import type { Operation } from './operation.ts';

const leverageFields = {
  marketId,
  leverageX: leverage.meta({
    description:
      "The leverage of the account's orders that set no leverageX. Where the exposure permits less, such an order reserves the initial " +
      'margin of the exposure.',
  }),
  isDefault: z.boolean().meta({ description: 'Whether the account has chosen none, so that the default applies.' }),
  maxLeverageX: z.int().min(1).meta({ description: 'The highest leverage that the market permits.' }),
};

export const marketLeverage = z
  .strictObject({ version: z.literal('market-leverage/v1'), accountId, ...leverageFields })
  .meta({ id: 'MarketLeverage', 'x-openperp-ours': true });
export type MarketLeverage = z.infer<typeof marketLeverage>;

export const leverageList = z
  .strictObject({
    version: z.literal('leverage-list/v1'),
    accountId,
    leverages: z.array(z.strictObject(leverageFields)).meta({ description: 'Every market, in the order of the catalogue.' }),
  })
  .meta({ id: 'LeverageList', 'x-openperp-ours': true });
export type LeverageList = z.infer<typeof leverageList>;
export type LeverageSetting = LeverageList['leverages'][number];

export const leverageChoice = z
  .strictObject({
    leverageX: leverageInput.meta({ description: 'In steps of 0.01, at most maxLeverageX of the market.' }),
  })
  .meta({ id: 'LeverageChoice', 'x-openperp-ours': true });

const GROUP = 'Accounts';

export const getLeverages = {
  id: 'getLeverages',
  isOurs: true,
  group: GROUP,
  method: 'GET',
  path: '/v1/accounts/{accountId}/leverage',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: leverageList, description: 'The leverages of the account.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
  summary: 'Read the leverage in every market',
  description:
    'An account that has chosen none in a market uses 10, or the highest leverage of the market if that is lower. An order with a leverageX ' +
    'of its own uses that one.',
} as const satisfies Operation;

export const setLeverage = {
  id: 'setLeverage',
  isOurs: true,
  group: GROUP,
  method: 'PUT',
  path: '/v1/accounts/{accountId}/leverage/{marketId}',
  access: 'bearer:trade',
  limit: 'settings',
  params: z.strictObject({ accountId: idInput, marketId: idInput }),
  body: leverageChoice,
  success: { status: 200, schema: marketLeverage, description: 'The leverage after the change.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'account_legacy_excluded',
    'market_not_found',
    'leverage_too_high',
    'venue_busy',
    'venue_halted',
  ],
  summary: 'Choose the leverage in a market',
  description:
    'Applies to orders that are placed later and set no leverageX. Open orders and positions keep their margin. Repeating it is a no-op. ' +
    'Has the same rate limit as changes of favorites.',
} as const satisfies Operation;

export const leverageOperations = { getLeverages, setLeverage };
