/**
 * Handlers for favorites and the leaderboard. A request that changes nothing is answered without a command, so it adds no record
 * to the journal.
 */
import { randomBytes } from 'node:crypto';
import type { favoriteOperations } from '#contract/favorites.ts';
import type { leaderboardOperations } from '#contract/leaderboard.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Principal } from '#identity/directory.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { Command } from '#venue/command.ts';
import { readAccepted } from './accepted-command.ts';
import { marketNamed } from './markets.ts';
import { venueRefusal } from './venue-refusal.ts';

type Operations = typeof favoriteOperations & typeof leaderboardOperations;

export function favoriteHandlers({ submit, directory }: HttpPorts): Pick<Handlers, keyof Operations> {
  const carryOut = async (command: Command): Promise<void> => {
    const refusal = venueRefusal(await submit({ command }));
    if (refusal !== undefined) throw refusal;
  };
  const setFavorite = async ({ params, principal, reads }: FavoriteCall, favorite: boolean) => {
    const { accountId, marketId } = params;
    const account = ownAccount(principal, accountId);
    const market = marketNamed(directory, marketId);
    const before = await reads.favorite(account, market, marketId);
    if (parseRendered(before).favorite === favorite) return { body: before };
    await carryOut({ type: 'SetFavorite', account, market, favorite });
    return { body: await readAccepted(reads.favorite(account, market, marketId)) };
  };
  return {
    addFavorite: (call) => setFavorite(call, true),

    removeFavorite: (call) => setFavorite(call, false),

    getLeaderboard: async ({ query, reads }) => {
      const scope = cursorScope('getLeaderboard', query);
      const { window, orderBy } = query;
      const { limit, after } = pageQuery(scope, query);
      return { body: await reads.leaderboard(scope, { window, orderBy, limit, ...(after === undefined ? {} : { after }) }) };
    },

    getLeaderboardListing: async ({ params, principal, reads }) => ({
      body: await reads.leaderboardListing(ownAccount(principal, params.accountId)),
    }),

    setLeaderboardListing: async ({ params, body: { shown, displayName = '' }, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const before = await reads.leaderboardListing(account);
      const listing = parseRendered(before);
      if (listing.shown === shown && (listing.displayName ?? '') === displayName) return { body: before };
      // If it is listed already, it keeps its handle.
      await carryOut({ type: 'SetLeaderboardListing', account, shown, displayName, handle: shown ? newHandle() : '' });
      return { body: await readAccepted(reads.leaderboardListing(account)) };
    },
  };
}

interface FavoriteCall {
  readonly params: { readonly accountId: string; readonly marketId: string };
  readonly principal: Principal;
  readonly reads: RenderedReads;
}

/** Random, so that it does not reveal the account. */
function newHandle(): string {
  return `trader-${randomBytes(8).toString('hex')}`;
}
