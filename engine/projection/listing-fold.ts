/** Rows of the public leaderboard: accounts that are shown, and those that are hidden again. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { LeaderboardListingSet } from '#venue/event.ts';
import type { LeaderboardListingRow } from './account-rows.ts';
import { dayOf } from './result-fold.ts';
import type { Moment } from './rows.ts';

/** A shown account keeps its handle. The handle in the event is for an account that was hidden. */
export function visibleListing(
  before: LeaderboardListingRow | undefined,
  { account, displayName, handle }: LeaderboardListingSet,
  at: Moment,
): LeaderboardListingRow {
  if (before?.isShown === 1) return { ...before, displayName };
  return { account, isShown: 1, displayName, handle, shownDayEpochMs: dayOf(at.epochMs) };
}

export function hidden(account: AccountOrdinal): LeaderboardListingRow {
  return { account, isShown: 0, displayName: '', handle: '', shownDayEpochMs: 0 as EpochMs };
}
