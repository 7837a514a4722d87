/** A market with the scales of its prices and quantities, and its synthetic past. */
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

export class MarketScales implements ListedMarket {
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
  /** The money atoms of one tick of one lot. */
  readonly tickLotAtoms: number;
  /** `undefined` if the market has no synthetic past. */
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

  /** `null` without a price. */
  priceOrNull(atoms: PriceAtoms | null | undefined): string | null {
    return atoms === null || atoms === undefined ? null : this.price(atoms);
  }

  quantity(atoms: BaseAtoms | bigint): string {
    return renderDecimal(atoms, this.specification.quantityScale);
  }

  /** `null` without a quantity. */
  quantityOrNull(atoms: BaseAtoms | null | undefined): string | null {
    return atoms === null || atoms === undefined ? null : this.quantity(atoms);
  }
}

/** Parses the market of a row. */
export function scalesOf({ market, specification, history }: MarketRow): MarketScales {
  return new MarketScales(market, JSON.parse(specification), history === null ? undefined : JSON.parse(history));
}

/** Renders an amount of the settlement asset. */
export function renderMoney(atoms: QuoteAtoms | bigint): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}
