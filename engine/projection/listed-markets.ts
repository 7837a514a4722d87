/** The listed markets. Each specification is parsed once. */
import type { MarketOrdinal } from '#units/ids.ts';
import { type MarketScales, scalesOf } from './market-scales.ts';
import type { PastCandles } from './past-candles.ts';
import type { ProjectionStore } from './store.ts';

interface ParsedMarket {
  /** The JSON that it was parsed from: an update replaces it. */
  readonly specification: string;
  readonly scales: MarketScales;
}

export class ListedMarkets {
  readonly #store: ProjectionStore;
  readonly #byOrdinal = new Map<MarketOrdinal, ParsedMarket>();

  constructor(store: ProjectionStore) {
    this.#store = store;
  }

  /** Throws if the market is not listed, because callers have the number from a row or an event. */
  get(market: MarketOrdinal): MarketScales {
    const row = this.#store.markets.find(market);
    if (row === undefined) throw new Error(`market ${market} is not listed`);
    let parsed = this.#byOrdinal.get(market);
    if (parsed?.specification !== row.specification) {
      parsed = { specification: row.specification, scales: scalesOf(row) };
      this.#byOrdinal.set(market, parsed);
    }
    return parsed.scales;
  }

  /** `undefined` if the market has no synthetic past or is not listed. */
  pastOf(market: MarketOrdinal): PastCandles | undefined {
    return this.#store.markets.find(market) === undefined ? undefined : this.get(market).past;
  }

  byId(marketId: string): MarketScales | undefined {
    const row = this.#store.statement('SELECT market FROM markets WHERE marketId = ?').get(marketId);
    return row === undefined ? undefined : this.get(row.market as MarketOrdinal);
  }

  all(): readonly MarketScales[] {
    return this.#store
      .statement('SELECT market FROM markets ORDER BY market')
      .all()
      .map((row) => this.get(row.market as MarketOrdinal));
  }
}
