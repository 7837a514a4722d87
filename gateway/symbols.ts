/**
 * Unified symbols and the markets that they are of. What is kept of a market never changes once it is listed, so markets are read again only
 * where a symbol, or a market, is asked for that was not there yet. Symbols are whatever clients make up: for those a read that succeeded
 * is good for a second.
 */
import type { MarketResource } from '#contract/markets.ts';
import { Refused } from '#contract/refused.ts';
import type { SteadyClock } from '#time/clock.ts';
import { Contradiction } from './contradiction.ts';
import type { Venue } from './port.ts';
import { SharedRead } from './shared-read.ts';

/** What is for good about a market. */
export interface ListedMarket
  extends Pick<MarketResource, 'marketId' | 'priceScale' | 'fundingInterestRate' | 'fundingPeriodMs' | 'settlementAsset'> {
  readonly symbol: string;
}

export class Symbols {
  readonly #bySymbol = new Map<string, ListedMarket>();
  readonly #byMarketId = new Map<string, ListedMarket>();
  readonly #markets: SharedRead<void>;

  /** Markets are read as anyone may read them. */
  constructor(anyone: Venue, steadyClock: SteadyClock) {
    this.#markets = new SharedRead(() => this.#read(anyone), steadyClock);
  }

  async named(symbol: string): Promise<ListedMarket | undefined> {
    return (await this.each([symbol]))[0];
  }

  /** Of each, as they were asked for. */
  async each(symbols: readonly string[]): Promise<readonly (ListedMarket | undefined)[]> {
    if (symbols.some((symbol) => isSymbol(symbol) && !this.#bySymbol.has(symbol))) await this.#markets.recent();
    return symbols.map((symbol) => this.#bySymbol.get(symbol));
  }

  /** Of a resource's market, which there always is. */
  async of(marketId: string): Promise<ListedMarket> {
    // A read that is under way may have begun before the market was listed: the one after it has not.
    for (let reads = 0; reads < 2 && !this.#byMarketId.has(marketId); reads += 1) await this.#markets.next();
    const market = this.#byMarketId.get(marketId);
    if (market === undefined) throw new Contradiction(`it names a market ${marketId} and does not list it`);
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

  async #read(anyone: Venue): Promise<void> {
    const { markets } = await anyone.call('listMarkets', {});
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
