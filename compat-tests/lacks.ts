/** Data that a running venue may lack, so that a method cannot be checked. A venue that the suite boots has all data. */
import type { Row, VenueAccount } from './venue-account.ts';

/** The checks do not wait for a market that settles less often than this. */
export const FUNDING_TIMEOUT_MS = 10_000;

/** The reasons why methods cannot be checked, by method. */
export async function lacksOf(account: VenueAccount, funded: string): Promise<Readonly<Record<string, string>>> {
  const isEmpty = async (read: Promise<Row>, key: string) => ((await read)[key] as readonly unknown[]).length === 0;
  const lacks: Record<string, string> = {};
  if (await isEmpty(account.read('/transfers', { kind: 'withdrawal' }), 'transfers'))
    lacks.fetchWithdrawals = 'the account has no withdrawals, and an API key cannot request one';
  if (await isEmpty(account.readMarket(funded, '/funding'), 'rates'))
    lacks.fetchFundingRateHistory = 'no funding was settled yet';
  if (fundingPeriodOf(account, funded) > FUNDING_TIMEOUT_MS && (await isEmpty(account.read('/funding'), 'payments')))
    lacks.fetchFundingHistory = `the account was paid no funding, and no market settles within ${FUNDING_TIMEOUT_MS / 1_000} s`;
  return lacks;
}

export function fundingPeriodOf(account: VenueAccount, symbol: string): number {
  return Number(account.market(symbol).fundingPeriodMs);
}
