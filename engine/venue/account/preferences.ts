/**
 * What an account chooses that no rule of trading depends on: its favorites, and whether it is shown on the leaderboard. The core
 * checks that there is such an account and market, and keeps nothing: the journal does, and whoever reads it.
 */
import type { SetFavorite, SetLeaderboardListing } from '#venue/command.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { refusalOfAccount } from './administration.ts';

export function planFavorite(turn: Turn, { account, market }: SetFavorite): Refusal | undefined {
  const refusal = refusalOfAccount(turn, account);
  if (refusal !== undefined) return refusal;
  return turn.state.market(market) === undefined ? { code: 'market_not_found' } : undefined;
}

export function commitFavorite(turn: Turn, { account, market, favorite }: SetFavorite): void {
  turn.events.favoriteSet({ account, market, favorite });
}

export function planLeaderboardListing(turn: Turn, { account }: SetLeaderboardListing): Refusal | undefined {
  return refusalOfAccount(turn, account);
}

export function commitLeaderboardListing(turn: Turn, command: SetLeaderboardListing): void {
  const { account, shown, displayName, handle } = command;
  turn.events.leaderboardListingSet({ account, shown, displayName, handle });
}
