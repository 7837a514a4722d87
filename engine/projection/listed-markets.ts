/** The listed markets. Each specification is parsed once, because it does not change while a market is listed. */
import type { MarketOrdinal } from '#units/ids.ts';
import { type MarketScales, scalesOf } from './market-scales.ts';
import type { PastCandles } from './past-candles.ts';
import type { ProjectionStore } from './store.ts';

export class ListedMarkets {
  readonly #store: ProjectionStore;
  readonly #byOrdinal = new Map<MarketOrdinal, MarketScales>();

  constructor(store: ProjectionStore) {
    this.#store = store;
  }

  /** Throws if the market is not listed, because callers have the number from a row or an event. */
  get(market: MarketOrdinal): MarketScales {
    let scales = this.#byOrdinal.get(market);
    if (scales === undefined) {
      const row = this.#store.markets.find(market);
      if (row === undefined) throw new Error(`market ${market} is not listed`);
      scales = scalesOf(row);
      this.#byOrdinal.set(market, scales);
    }
    return scales;
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
