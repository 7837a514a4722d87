/** What a venue that is up may have nothing of, so that there is nothing to check a method by. One that the suite boots has it all. */
import type { Exchange } from 'ccxt';

/** A market that settles less often than this is not waited for. */
export const FUNDING_PATIENCE_MS = 10_000;

/** By method: why it cannot be checked. */
export async function lacksOf(exchange: Exchange, funded: string): Promise<Readonly<Record<string, string>>> {
  const lacks: Record<string, string> = {};
  if ((await exchange.fetchWithdrawals()).length === 0)
    lacks.fetchWithdrawals = 'the account has withdrawn nothing, and nothing that it may ask for does';
  if ((await exchange.fetchFundingRateHistory(funded)).length === 0) lacks.fetchFundingRateHistory = 'no funding was settled yet';
  if (fundingPeriodOf(exchange, funded) > FUNDING_PATIENCE_MS && (await exchange.fetchFundingHistory()).length === 0)
    lacks.fetchFundingHistory = `the account was paid no funding, and no market settles within ${FUNDING_PATIENCE_MS / 1_000} s`;
  return lacks;
}

export function fundingPeriodOf({ markets }: Exchange, symbol: string): number {
  return Number(Object(markets?.[symbol]?.info).fundingPeriodMs);
}
