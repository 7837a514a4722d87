/** Markets as reads need them: the specification parsed once (it is fixed while a market is listed), the status as it is. */
import type { ListedMarket } from '#reads/reads.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { quoteAtomsPerTickLot } from '#venue/market/specification.ts';
import { PastCandles } from './past-candles.ts';
import type { MarketRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

/** A market with the scales that its amounts are written at. */
export class MarketScales implements ListedMarket {
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
  /** The money atoms of one tick of one lot. */
  readonly tickLotAtoms: number;
  /** Its synthetic past; `undefined` if it has none. */
  readonly past: PastCandles | undefined;

  constructor(market: MarketOrdinal, specification: MarketSpecification, history?: MarketHistory) {
    this.market = market;
    this.specification = specification;
    this.past = history && new PastCandles(market, history, specification);
    this.tickLotAtoms = quoteAtomsPerTickLot(specification);
  }

  get marketId(): string {
    return this.specification.marketId;
  }

  price(atoms: PriceAtoms): string {
    return renderDecimal(atoms, this.specification.priceScale);
  }

  /** `null` where there is no price. */
  priceOrNull(atoms: PriceAtoms | null | undefined): string | null {
    return atoms === null || atoms === undefined ? null : this.price(atoms);
  }

  quantity(atoms: BaseAtoms | bigint): string {
    return renderDecimal(atoms, this.specification.quantityScale);
  }

  /** `null` where there is no quantity. */
  quantityOrNull(atoms: BaseAtoms | null | undefined): string | null {
    return atoms === null || atoms === undefined ? null : this.quantity(atoms);
  }
}

/** The market of a row. */
export function scalesOf({ market, specification, history }: MarketRow): MarketScales {
  return new MarketScales(market, JSON.parse(specification), history === null ? undefined : JSON.parse(history));
}

/** An amount of the settlement asset. */
export function renderMoney(atoms: QuoteAtoms | bigint): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}

export class ListedMarkets {
  readonly #store: ProjectionStore;
  readonly #byOrdinal = new Map<MarketOrdinal, MarketScales>();

  constructor(store: ProjectionStore) {
    this.#store = store;
  }

  /** Throws for a market that is not listed: whoever asks has its number from a row or an event. */
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
