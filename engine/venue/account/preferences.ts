/**
 * Preferences of accounts that no trading rule uses: favorites, and visibility on the leaderboard. The core checks that account and
 * market exist, but stores nothing. The journal and the projection have the values.
 */

import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { checkAccount } from './administration.ts';

/** Adds a market to an account's favorites, or removes it. */
export interface SetFavorite {
  readonly type: 'SetFavorite';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly favorite: boolean;
}

/** Shows an account on the public leaderboard under a name, or hides it. */
export interface SetLeaderboardListing {
  readonly type: 'SetLeaderboardListing';
  readonly account: AccountOrdinal;
  readonly shown: boolean;
  /** Chosen by the owner; may be empty. */
  readonly displayName: string;
  /** The account's public id on the leaderboard, if it was not shown before. It is random, so it does not identify the account. */
  readonly handle: string;
}

export type PreferenceCommand = SetFavorite | SetLeaderboardListing;

export const PREFERENCE_COMMANDS: CommandRules<PreferenceCommand> = {
  SetFavorite: {
    plan: planFavorite,
    commit: commitFavorite,
    layout: {
      tag: 18,
      fields: (io, it) => ({
        type: 'SetFavorite',
        account: io.int(it.account),
        market: io.int(it.market),
        favorite: io.flag(it.favorite),
      }),
    },
  },
  SetLeaderboardListing: {
    plan: planLeaderboardListing,
    commit: commitLeaderboardListing,
    layout: {
      tag: 19,
      fields: (io, it) => ({
        type: 'SetLeaderboardListing',
        account: io.int(it.account),
        shown: io.flag(it.shown),
        displayName: io.text(it.displayName),
        handle: io.text(it.handle),
      }),
    },
  },
};

export function planFavorite(turn: Turn, { account, market }: SetFavorite): Refusal | undefined {
  const refusal = checkAccount(turn, account);
  if (refusal !== undefined) return refusal;
  return turn.state.market(market) === undefined ? { code: 'market_not_found' } : undefined;
}

export function commitFavorite(turn: Turn, { account, market, favorite }: SetFavorite): void {
  turn.events.emit({ type: 'FavoriteSet', account, market, favorite });
}

export function planLeaderboardListing(turn: Turn, { account }: SetLeaderboardListing): Refusal | undefined {
  return checkAccount(turn, account);
}

export function commitLeaderboardListing(turn: Turn, command: SetLeaderboardListing): void {
  const { account, shown, displayName, handle } = command;
  turn.events.emit({ type: 'LeaderboardListingSet', account, shown, displayName, handle });
}
