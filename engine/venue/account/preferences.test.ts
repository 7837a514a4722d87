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

test('emits preferences without changing the state', () => {
  const scenario = Scenario.withAccounts(1);
  const before = scenario.venue.snapshot();
  const { type: _, ...marked } = favorite;
  const { type: __, ...shown } = listing;
  expect(scenario.run(favorite)).toEqual([{ type: 'FavoriteSet', ...marked }]);
  expect(scenario.run({ ...favorite, favorite: false })).toEqual([{ type: 'FavoriteSet', ...marked, favorite: false }]);
  expect(scenario.run(listing)).toEqual([{ type: 'LeaderboardListingSet', ...shown }]);
  expect(scenario.venue.snapshot()).toEqual(before);
});

test('refuses unknown or retired accounts and unknown markets', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.run({ type: 'RetireAccount', account: 2 as AccountOrdinal });
  for (const [ordinal, code] of [
    [3, 'account_not_found'],
    [0, 'account_not_found'],
    [2, 'account_retired'],
  ] as const) {
    const unusableAccount = ordinal as AccountOrdinal;
    expect(scenario.run({ ...favorite, account: unusableAccount })).toMatchObject([{ code }]);
    expect(scenario.run({ ...listing, account: unusableAccount })).toMatchObject([{ code }]);
  }
  for (const market of [0, 2, -1] as MarketOrdinal[])
    expect(scenario.run({ ...favorite, market })).toMatchObject([{ code: 'market_not_found' }]);
});
