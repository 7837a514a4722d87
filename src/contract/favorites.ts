/** Favorites: the markets that an account has marked. They only set `favorite` when the account reads markets. */
import * as z from 'zod';
import { accountId, idInput, marketId } from './fields.ts';
import type { Operation } from './operation.ts';

export const marketFavorite = z
  .strictObject({ version: z.literal('external-market-favorite/v1'), accountId, marketId, favorite: z.boolean() })
  .meta({ id: 'MarketFavorite' });
export type MarketFavorite = z.infer<typeof marketFavorite>;

const favoriteParams = z.strictObject({ accountId: idInput, marketId: idInput });

/** A key with only the scope read changes nothing, so favorites need the scope trade. */
const favoriteChange = {
  group: 'Accounts',
  path: '/v1/accounts/{accountId}/favorites/{marketId}',
  access: 'bearer:trade',
  limit: 'settings',
  params: favoriteParams,
  success: { status: 200, schema: marketFavorite, description: 'The favorite after the change.' },
  refusals: ['account_forbidden', 'account_retired', 'account_legacy_excluded', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const;

export const addFavorite = {
  ...favoriteChange,
  id: 'addFavorite',
  method: 'PUT',
  summary: 'Mark a market as a favorite',
  description:
    'Needs no body. Repeating it is a no-op. Keys of the account with the scope read or trade see it as `favorite` of the market. Such ' +
    'changes have a rate limit of their own (settings): 429 gives the seconds to wait in Retry-After.',
} as const satisfies Operation;

export const removeFavorite = {
  ...favoriteChange,
  id: 'removeFavorite',
  method: 'DELETE',
  summary: 'Remove a favorite',
  description: 'Needs no body. Repeating it is a no-op. Has the same rate limit as adding a favorite.',
} as const satisfies Operation;

export const favoriteOperations = { addFavorite, removeFavorite };
