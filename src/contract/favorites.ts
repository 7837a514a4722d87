/** Favorites: the markets that an account has marked. They change nothing but how markets are shown to it. */
import * as z from 'zod';
import { accountId, idInput, marketId } from './fields.ts';
import type { Operation } from './operation.ts';

export const marketFavorite = z
  .strictObject({ version: z.literal('external-market-favorite/v1'), accountId, marketId, favorite: z.boolean() })
  .meta({ id: 'MarketFavorite' });
export type MarketFavorite = z.infer<typeof marketFavorite>;

const favoriteParams = z.strictObject({ accountId: idInput, marketId: idInput });

/** A key that may only read changes nothing, not even this. */
const favoriteChange = {
  group: 'Accounts',
  path: '/v1/accounts/{accountId}/favorites/{marketId}',
  access: 'bearer:trade',
  limit: 'settings',
  params: favoriteParams,
  success: { status: 200, schema: marketFavorite, description: 'As it is from now on.' },
  refusals: ['account_forbidden', 'account_retired', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const;

export const addFavorite = {
  ...favoriteChange,
  id: 'addFavorite',
  method: 'PUT',
  summary: 'Mark a market as a favorite',
  description:
    'Needs no body. Repeating it is a no-op. It shows in `favorite` of the market for keys of the account with the scope read or trade. Such ' +
    'changes are limited on their own: 429 says in Retry-After how many seconds to wait.',
} as const satisfies Operation;

export const removeFavorite = {
  ...favoriteChange,
  id: 'removeFavorite',
  method: 'DELETE',
  summary: 'Remove a favorite',
  description: 'Needs no body. Repeating it is a no-op. Limited as marking one is.',
} as const satisfies Operation;

export const favoriteOperations = { addFavorite, removeFavorite };
