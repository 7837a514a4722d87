/** A market's scales and bounds from the catalogue, in atoms. Waits until the venue lists it. */
import type { MarketResource } from '#contract/markets.ts';
import { sleep, type Timers } from '#time/timers.ts';
import { parseDecimal } from '#units/decimal.ts';
import type { QuotedMarket } from './ladder.ts';
import type { Report } from './report.ts';
import type { VenueClient } from './venue-client.ts';

const RETRY_MS = 1_000;

export interface QuotedMarketOptions {
  readonly client: VenueClient;
  readonly marketId: string;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly report: Report;
}

export async function readQuotedMarket(options: QuotedMarketOptions): Promise<QuotedMarket> {
  const { client, marketId, timers, signal, report } = options;
  for (;;) {
    const response = await client.market(marketId);
    if ('resource' in response) return quotedMarketOf(response.resource.market);
    report(response.refusal);
    await sleep(timers, RETRY_MS, { signal });
  }
}

function quotedMarketOf({
  priceScale,
  quantityScale,
  minPrice,
  maxPrice,
  minQuantity,
  maxQuantity,
}: MarketResource): QuotedMarket {
  return {
    priceScale,
    quantityScale,
    minPriceAtoms: atomsOf(minPrice, priceScale),
    maxPriceAtoms: atomsOf(maxPrice, priceScale),
    minQuantityAtoms: atomsOf(minQuantity, quantityScale),
    maxQuantityAtoms: atomsOf(maxQuantity, quantityScale),
  };
}

function atomsOf(text: string, scale: number): number {
  const parsed = parseDecimal(text, scale);
  if ('fault' in parsed) throw new Error(`the catalogue has ${text}, which is not an amount at scale ${scale}`);
  return parsed.atoms;
}
