/** Lists the devnet's markets where they are missing, by command like everything else. */
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { Reads } from '#http/reads.ts';
import type { PricedMarket } from '#prices/publisher.ts';
import type { Submit } from '#writer/submit.ts';

/** The markets by their ids, all of them listed. One that is listed already keeps its specification. */
export async function listDevnetMarkets(submit: Submit, reads: Reads): Promise<ReadonlyMap<string, PricedMarket>> {
  const markets = new Map<string, PricedMarket>();
  for (const { specification } of DEVNET_MARKETS) {
    const { marketId } = specification;
    if (reads.listedMarket(marketId) === undefined)
      await submit({ command: { type: 'ListMarket', specification, status: 'open' } });
    const listed = reads.listedMarket(marketId);
    if (listed === undefined) throw new Error(`the venue did not list ${marketId}`);
    markets.set(marketId, { market: listed.market, priceScale: listed.specification.priceScale });
  }
  return markets;
}
