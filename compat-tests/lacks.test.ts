/** What there is nothing to check by, of an account on a venue where nothing has happened yet, and of one where it has. */
import type { Exchange } from 'ccxt';
import { expect, test } from 'vitest';
import { lacksOf } from './lacks.ts';

const HOUR_MS = 3_600_000;

function exchangeWith(entries: readonly object[], fundingPeriodMs: number): Exchange {
  const list = async () => entries;
  const markets = { X: { info: { fundingPeriodMs: String(fundingPeriodMs) } } };
  return { markets, fetchWithdrawals: list, fetchFundingRateHistory: list, fetchFundingHistory: list } as unknown as Exchange;
}

test.each([
  ['everything', [{}], HOUR_MS, []],
  ['nothing', [], HOUR_MS, ['fetchFundingHistory', 'fetchFundingRateHistory', 'fetchWithdrawals']],
  // A payment of a market that settles so soon is waited for.
  ['nothing yet', [], 2_000, ['fetchFundingRateHistory', 'fetchWithdrawals']],
] as const)('%s to be seen', async (_, entries, periodMs, lacking) => {
  expect(Object.keys(await lacksOf(exchangeWith(entries, periodMs), 'X')).sort()).toEqual(lacking);
});
