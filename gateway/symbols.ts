/**
 * Unified symbols and the markets that they are of. What is kept of a market never changes once it is listed, so it is read again only
 * where a symbol, or a market, is asked for that was not there yet: nothing here grows old, and a restart changes nothing.
 */
import type { MarketResource } from '#contract/markets.ts';
import { Refused } from '#contract/refused.ts';
import type { Venue } from './port.ts';

/** What is for good about a market. */
export interface ListedMarket
  extends Pick<MarketResource, 'marketId' | 'priceScale' | 'fundingInterestRate' | 'fundingPeriodMs' | 'settlementAsset'> {
  readonly symbol: string;
}

export class Symbols {
  readonly #anyone: Venue;
  readonly #bySymbol = new Map<string, ListedMarket>();
  readonly #byMarketId = new Map<string, ListedMarket>();

  /** Markets are read as anyone may read them. */
  constructor(anyone: Venue) {
    this.#anyone = anyone;
  }

  async named(symbol: string): Promise<ListedMarket | undefined> {
    if (!this.#bySymbol.has(symbol)) await this.#read();
    return this.#bySymbol.get(symbol);
  }

  /** Of a resource's market, which there always is. */
  async of(marketId: string): Promise<ListedMarket> {
    if (!this.#byMarketId.has(marketId)) await this.#read();
    const market = this.#byMarketId.get(marketId);
    if (market === undefined) throw new Error(`the venue names a market ${marketId} and does not list it`);
    return market;
  }

  /** Of a path or a query. Throws {@link Refused} `market_not_found`. */
  async inAddress(symbol: string): Promise<ListedMarket> {
    return (await this.named(symbol)) ?? refuse('market_not_found', symbol);
  }

  /** Of a body. Throws {@link Refused} `unknown_market`. */
  async inBody(symbol: string): Promise<ListedMarket> {
    return (await this.named(symbol)) ?? refuse('unknown_market', symbol);
  }

  async #read(): Promise<void> {
    const { markets } = await this.#anyone.call('listMarkets', {});
    for (const { marketId, priceScale, fundingInterestRate, fundingPeriodMs, settlementAsset, ...market } of markets) {
      const symbol = symbolOf({ ...market, settlementAsset });
      const listed = { marketId, symbol, priceScale, fundingInterestRate, fundingPeriodMs, settlementAsset };
      this.#byMarketId.set(marketId, listed);
      // Of two markets with one symbol it stays that of the first, whatever is listed later.
      if (!this.#bySymbol.has(symbol)) this.#bySymbol.set(symbol, listed);
    }
  }
}

export function symbolOf(market: Pick<MarketResource, 'baseAsset' | 'quoteAsset' | 'settlementAsset'>): string {
  return `${market.baseAsset}/${market.quoteAsset}:${market.settlementAsset}`;
}

/** Whether a text could be a symbol. No marketId is of this form. */
export function isSymbol(text: string): boolean {
  return /^[^/:]+\/[^/:]+:[^/:]+$/.test(text);
}

function refuse(code: 'market_not_found' | 'unknown_market', symbol: string): never {
  throw new Refused(
    code,
    `There is no market with the symbol ${JSON.stringify(symbol)}. Use a symbol of GET /v2/markets, such as BTC/USD.E:USD.E.`,
  );
}
