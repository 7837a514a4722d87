import { expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { SetFavorite, SetLeaderboardListing } from '#venue/command.ts';

const account = 1 as AccountOrdinal;
const favorite: SetFavorite = { type: 'SetFavorite', account, market: BTC, favorite: true };
const listing: SetLeaderboardListing = {
  type: 'SetLeaderboardListing',
  account,
  shown: true,
  displayName: 'Zoë',
  handle: 'trader-1',
};

test('what an account chooses is told and leaves the state as it was', () => {
  const scenario = Scenario.withAccounts(1);
  const before = scenario.venue.snapshot();
  const { type: _, ...marked } = favorite;
  const { type: __, ...shown } = listing;
  expect(scenario.run(favorite)).toEqual([{ type: 'FavoriteSet', ...marked }]);
  expect(scenario.run({ ...favorite, favorite: false })).toEqual([{ type: 'FavoriteSet', ...marked, favorite: false }]);
  expect(scenario.run(listing)).toEqual([{ type: 'LeaderboardListingSet', ...shown }]);
  expect(scenario.venue.snapshot()).toEqual(before);
});

test('there has to be such an account, not retired, and such a market', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.run({ type: 'RetireAccount', account: 2 as AccountOrdinal });
  for (const [who, code] of [
    [3, 'account_not_found'],
    [0, 'account_not_found'],
    [2, 'account_retired'],
  ] as const) {
    const unknownAccount = who as AccountOrdinal;
    expect(scenario.run({ ...favorite, account: unknownAccount })).toMatchObject([{ code }]);
    expect(scenario.run({ ...listing, account: unknownAccount })).toMatchObject([{ code }]);
  }
  for (const market of [0, 2, -1] as MarketOrdinal[])
    expect(scenario.run({ ...favorite, market })).toMatchObject([{ code: 'market_not_found' }]);
});
