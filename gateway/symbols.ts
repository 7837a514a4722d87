/**
 * Unified symbols and their markets. The cached facts of a market never change once it is listed, so markets are read again only
 * for an unknown symbol or market. Clients can make up symbols: for those, a successful read is valid for a second.
 */
import type { MarketResource } from '#contract/markets.ts';
import { Refused } from '#contract/refused.ts';
import type { SteadyClock } from '#time/clock.ts';
import { Contradiction } from './contradiction.ts';
import type { Venue } from './port.ts';
import { SharedRead } from './shared-read.ts';

/** The immutable facts of a market. */
export interface ListedMarket
  extends Pick<MarketResource, 'marketId' | 'priceScale' | 'fundingInterestRate' | 'fundingPeriodMs' | 'settlementAsset'> {
  readonly symbol: string;
}

export class Symbols {
  readonly #bySymbol = new Map<string, ListedMarket>();
  readonly #byMarketId = new Map<string, ListedMarket>();
  readonly #markets: SharedRead<void>;

  /** Markets are read as an anonymous caller. */
  constructor(publicVenue: Venue, steadyClock: SteadyClock) {
    this.#markets = new SharedRead(() => this.#read(publicVenue), steadyClock);
  }

  async named(symbol: string): Promise<ListedMarket | undefined> {
    return (await this.each([symbol]))[0];
  }

  /** The markets of the symbols, in order; undefined for an unknown symbol. */
  async each(symbols: readonly string[]): Promise<readonly (ListedMarket | undefined)[]> {
    if (symbols.some((symbol) => isSymbol(symbol) && !this.#bySymbol.has(symbol))) await this.#markets.recent();
    return symbols.map((symbol) => this.#bySymbol.get(symbol));
  }

  /** The market of a resource, which always exists. */
  async of(marketId: string): Promise<ListedMarket> {
    // A read under way may have started before the market was listed, so up to two reads are needed.
    for (let reads = 0; reads < 2 && !this.#byMarketId.has(marketId); reads += 1) await this.#markets.next();
    const market = this.#byMarketId.get(marketId);
    if (market === undefined) throw new Contradiction(`it names a market ${marketId} and does not list it`);
    return market;
  }

  /** For a symbol in a path or a query. Throws {@link Refused} `market_not_found`. */
  async inAddress(symbol: string): Promise<ListedMarket> {
    return (await this.named(symbol)) ?? refuse('market_not_found', symbol);
  }

  /** For a symbol in a body. Throws {@link Refused} `unknown_market`. */
  async inBody(symbol: string): Promise<ListedMarket> {
    return (await this.named(symbol)) ?? refuse('unknown_market', symbol);
  }

  async #read(publicVenue: Venue): Promise<void> {
    const { markets } = await publicVenue.call('listMarkets', {});
    for (const { marketId, priceScale, fundingInterestRate, fundingPeriodMs, settlementAsset, ...market } of markets) {
      const symbol = symbolOf({ ...market, settlementAsset });
      const listed = { marketId, symbol, priceScale, fundingInterestRate, fundingPeriodMs, settlementAsset };
      this.#byMarketId.set(marketId, listed);
      // If two markets have the same symbol, the first listed market keeps it.
      if (!this.#bySymbol.has(symbol)) this.#bySymbol.set(symbol, listed);
    }
  }
}

export function symbolOf(market: Pick<MarketResource, 'baseAsset' | 'quoteAsset' | 'settlementAsset'>): string {
  return `${market.baseAsset}/${market.quoteAsset}:${market.settlementAsset}`;
}

/** Whether a text has the form of a symbol. No marketId has this form. */
export function isSymbol(text: string): boolean {
  return /^[^/:]+\/[^/:]+:[^/:]+$/.test(text);
}

function refuse(code: 'market_not_found' | 'unknown_market', symbol: string): never {
  throw new Refused(
    code,
    `There is no market with the symbol ${JSON.stringify(symbol)}. Use a symbol of GET /v2/markets, such as BTC/USD.E:USD.E.`,
  );
}
