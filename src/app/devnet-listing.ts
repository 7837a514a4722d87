/** Lists the missing markets of the devnet with commands. */
import { DEVNET_MARKETS, type DevnetMarket } from '#devnet/markets.ts';
import type { PricedMarket } from '#prices/market-feed.ts';
import type { Directory } from '#reads/reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Environment } from '#venue/command.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { Submit } from '#writer/port/submit.ts';
import { hasTestFunds } from './environment.ts';

/** The initial insurance fund of a new devnet: 1,000,000 USD.E. */
const INSURANCE = quoteAtoms(1_000_000_000_000);

/**
 * Returns all markets by id. A market that is already listed keeps its specification and its history. Where there are test funds, a
 * new venue gets an insurance fund.
 */
export async function listDevnetMarkets(
  environment: Environment,
  submit: Submit,
  directory: Directory,
  reads: RenderedReads,
  historyOf: (market: DevnetMarket) => MarketHistory | undefined,
): Promise<ReadonlyMap<string, PricedMarket>> {
  const markets = new Map<string, PricedMarket>();
  const isNew = DEVNET_MARKETS.every(({ specification }) => directory.listedMarket(specification.marketId) === undefined);
  // A first start that was killed in between has already credited it.
  if (hasTestFunds(environment) && isNew && parseRendered(await reads.ledgers()).insurance === '0')
    await submit({ command: { type: 'CreditInsurance', amountAtoms: INSURANCE, reference: 'devnet' } });
  for (const market of DEVNET_MARKETS) {
    const { specification } = market;
    const { marketId } = specification;
    if (directory.listedMarket(marketId) === undefined) {
      const history = historyOf(market);
      await submit({ command: { type: 'ListMarket', specification, status: 'open', ...(history && { history }) } });
    }
    const listed = directory.listedMarket(marketId);
    if (listed === undefined) throw new Error(`the venue did not list ${marketId}`);
    markets.set(marketId, { market: listed.market, priceScale: listed.specification.priceScale });
  }
  return markets;
}
