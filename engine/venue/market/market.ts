/** A listed market: its specification, its book, its prices, and how far orders may reach from the mark. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, mulDivDown, mulDivUp, smallerOf, WHOLE_BPS } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { Book, NO_PRICE } from '#venue/order/book.ts';
import type { OrderTable } from '#venue/order/order-table.ts';
import type { MarketSpecification, MarketStatus } from './specification.ts';
import { quoteAtomsPerTickLot } from './specification.ts';

export class Market {
  readonly ordinal: MarketOrdinal;
  readonly specification: MarketSpecification;
  readonly book: Book;
  /** The money atoms of one tick of one lot. */
  readonly tickLotAtoms: number;
  status: MarketStatus;
  /** `NO_PRICE` until the first one is published. */
  indexPriceAtoms: PriceAtoms = NO_PRICE;
  indexObservedAtEpochMs = 0 as EpochMs;
  markPriceAtoms: PriceAtoms = NO_PRICE;
  lastPriceAtoms: PriceAtoms = NO_PRICE;

  constructor(ordinal: MarketOrdinal, specification: MarketSpecification, status: MarketStatus, orders: OrderTable) {
    this.ordinal = ordinal;
    this.specification = specification;
    this.status = status;
    this.tickLotAtoms = quoteAtomsPerTickLot(specification);
    this.book = new Book(orders, specification.maxPriceAtoms);
  }

  /** What one lot costs at a price. */
  lotPrice(price: PriceAtoms): QuoteAtoms {
    return (price * this.tickLotAtoms) as QuoteAtoms;
  }

  /** What a quantity costs at a price. Listing made sure that the largest order is exact (`specificationFault`). */
  notional(price: PriceAtoms, quantity: BaseAtoms): QuoteAtoms {
    return (price * quantity * this.tickLotAtoms) as QuoteAtoms;
  }

  /** The worst price that an order of this side may reach: the mark, `priceBandBps` further, rounded toward the mark. */
  bandPrice(side: Side): PriceAtoms {
    const { priceBandBps, minPriceAtoms, maxPriceAtoms } = this.specification;
    if (side === 'buy') {
      return smallerOf(maxPriceAtoms, mulDivDown(this.markPriceAtoms, WHOLE_BPS + priceBandBps, WHOLE_BPS));
    }
    return largerOf(minPriceAtoms, mulDivUp(this.markPriceAtoms, WHOLE_BPS - priceBandBps, WHOLE_BPS));
  }
}
