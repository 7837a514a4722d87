/** What a venue that is up may have nothing of, so that there is nothing to check a method by. One that the suite boots has it all. */
import type { Row, VenueAccount } from './venue-account.ts';

/** A market that settles less often than this is not waited for. */
export const FUNDING_PATIENCE_MS = 10_000;

/** By method: why it cannot be checked. */
export async function lacksOf(account: VenueAccount, funded: string): Promise<Readonly<Record<string, string>>> {
  const isEmpty = async (read: Promise<Row>, key: string) => ((await read)[key] as readonly unknown[]).length === 0;
  const lacks: Record<string, string> = {};
  if (await isEmpty(account.read('/transfers', { kind: 'withdrawal' }), 'transfers'))
    lacks.fetchWithdrawals = 'the account has withdrawn nothing, and nothing that it may ask for does';
  if (await isEmpty(account.readMarket(funded, '/funding'), 'rates'))
    lacks.fetchFundingRateHistory = 'no funding was settled yet';
  if (fundingPeriodOf(account, funded) > FUNDING_PATIENCE_MS && (await isEmpty(account.read('/funding'), 'payments')))
    lacks.fetchFundingHistory = `the account was paid no funding, and no market settles within ${FUNDING_PATIENCE_MS / 1_000} s`;
  return lacks;
}

export function fundingPeriodOf(account: VenueAccount, symbol: string): number {
  return Number(account.market(symbol).fundingPeriodMs);
}
