/**
 * What an account chooses that no rule of trading depends on: its favorites, and whether it is shown on the leaderboard. The core
 * checks that there is such an account and market, and keeps nothing: the journal does, and whoever reads it.
 */
import type { SetFavorite, SetLeaderboardListing } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { refusalOfAccount } from './administration.ts';

export function planFavorite(state: VenueState, { account, market }: SetFavorite): Refusal | undefined {
  const refusal = refusalOfAccount(state, account);
  if (refusal !== undefined) return refusal;
  return state.market(market) === undefined ? { code: 'market_not_found' } : undefined;
}

export function commitFavorite({ account, market, favorite }: SetFavorite, events: EventWriter): void {
  events.favoriteSet({ account, market, favorite });
}

export function planLeaderboardListing(state: VenueState, { account }: SetLeaderboardListing): Refusal | undefined {
  return refusalOfAccount(state, account);
}

export function commitLeaderboardListing(command: SetLeaderboardListing, events: EventWriter): void {
  const { account, shown, displayName, handle } = command;
  events.leaderboardListingSet({ account, shown, displayName, handle });
}
