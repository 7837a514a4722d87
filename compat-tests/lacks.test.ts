/** Missing data of an account, on a new venue and on one with activity. */
import { expect, test } from 'vitest';
import { lacksOf } from './lacks.ts';
import type { VenueAccount } from './venue-account.ts';

const HOUR_MS = 3_600_000;

function accountWith(entries: readonly object[], fundingPeriodMs: number): VenueAccount {
  const read = async () => ({ transfers: entries, rates: entries, payments: entries });
  return { market: () => ({ fundingPeriodMs }), read, readMarket: read } as unknown as VenueAccount;
}

test.each([
  ['everything', [{}], HOUR_MS, []],
  ['nothing', [], HOUR_MS, ['fetchFundingHistory', 'fetchFundingRateHistory', 'fetchWithdrawals']],
  // The check waits for a payment of a market that settles this soon.
  ['nothing yet', [], 2_000, ['fetchFundingRateHistory', 'fetchWithdrawals']],
] as const)('%s to check', async (_, entries, periodMs, lacking) => {
  expect(Object.keys(await lacksOf(accountWith(entries, periodMs), 'X')).sort()).toEqual(lacking);
});
