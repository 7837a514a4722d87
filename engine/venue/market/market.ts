/** A listed market: its specification, its book, its prices, and how far orders may reach from the mark. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, mulDivDown, mulDivUp, smallerOf, WHOLE_BPS } from '#units/money.ts';
import { FundingState, fundingLayout } from '#venue/funding/funding-state.ts';
import type { BookImpact } from '#venue/funding/premium.ts';
import { impactPriceDown, impactPriceUp } from '#venue/funding/premium.ts';
import { Book, NO_PRICE } from '#venue/order/book.ts';
import type { OrderTable } from '#venue/order/order-table.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { OpenPositions } from '#venue/position/open-positions.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { MARKET_STATUSES, specificationLayout } from '#venue/record/parts.ts';
import type { IndexMemory } from './index-guard.ts';
import { indexLayout, indexStatusAt, NO_INDEX } from './index-guard.ts';
import { markPriceOf } from './mark-price.ts';
import type { MarketActivity } from './market-status.ts';
import { isPermitted } from './market-status.ts';
import type { IndexStatus, MarketSpecification, MarketStatus } from './specification.ts';
import { quoteAtomsPerTickLot } from './specification.ts';

export class Market {
  readonly ordinal: MarketOrdinal;
  readonly specification: MarketSpecification;
  readonly book: Book;
  /** The money atoms of one tick of one lot. */
  readonly tickLotAtoms: number;
  readonly positions = new OpenPositions();
  readonly funding = new FundingState();
  status: MarketStatus;
  /** What is known of the index: the price that holds is its `acceptedPriceAtoms`, `NO_PRICE` until there is one. */
  index: IndexMemory = NO_INDEX;
  markPriceAtoms: PriceAtoms = NO_PRICE;
  lastPriceAtoms: PriceAtoms = NO_PRICE;
  lastTradedAtEpochMs = 0 as EpochMs;

  constructor(ordinal: MarketOrdinal, specification: MarketSpecification, status: MarketStatus, orders: OrderTable) {
    this.ordinal = ordinal;
    this.specification = specification;
    this.status = status;
    this.tickLotAtoms = quoteAtomsPerTickLot(specification);
    this.book = new Book(orders, specification.maxPriceAtoms);
  }

  /** The index price that holds, or `NO_PRICE`. */
  get indexPriceAtoms(): PriceAtoms {
    return this.index.acceptedPriceAtoms;
  }

  traded(priceAtoms: PriceAtoms, now: EpochMs): void {
    this.lastPriceAtoms = priceAtoms;
    this.lastTradedAtEpochMs = now;
  }

  /** Moves the mark to where index, book and last trade put it now. */
  mark({ bids, asks }: BookImpact, now: EpochMs): void {
    const { lastPriceAtoms, lastTradedAtEpochMs, specification, tickLotAtoms } = this;
    const inputs = {
      indexPriceAtoms: this.index.acceptedPriceAtoms,
      impactBidAtoms: bids === undefined ? NO_PRICE : impactPriceDown(bids, tickLotAtoms),
      impactAskAtoms: asks === undefined ? NO_PRICE : impactPriceUp(asks, tickLotAtoms),
      lastPriceAtoms,
      lastTradedAtEpochMs,
    };
    this.markPriceAtoms = markPriceOf(inputs, now, specification);
  }

  /** Whether the index can be relied on. */
  indexStatusAt(now: EpochMs): IndexStatus {
    return indexStatusAt(this.index, now, this.specification);
  }

  /** Whether a position is to be liquidated at the mark. Those that wait for another price are not. */
  get hasLiquidationDue(): boolean {
    return this.positions.nextDistressed(this.markPriceAtoms) !== undefined;
  }

  /** Whether something may go on here now. */
  permits(activity: MarketActivity, now: EpochMs): boolean {
    const indexStatus = this.indexStatusAt(now);
    const isDue = this.hasLiquidationDue;
    // What is asked with every order, and nearly always so.
    if (this.status === 'open' && indexStatus === 'current' && !isDue) return true;
    return isPermitted(activity, this.status, indexStatus, isDue);
  }

  /** Whether what rests may open, met by an order of the venue: what is due is closed by it, and no reason against it. */
  allowsRestingToOpen(now: EpochMs): boolean {
    return isPermitted('open_risk', this.status, this.indexStatusAt(now), false);
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

/** A market in a snapshot; a reader passes `BLANK`. Its book and positions come back with the orders and accounts. */
export function marketLayout(io: Cursor, it: Market, ordinal: MarketOrdinal, orders: OrderTable): Market {
  const specification = io.part(it.specification, specificationLayout);
  const status = io.oneOf(MARKET_STATUSES, it.status);
  const market = it.specification === undefined ? new Market(ordinal, specification, status, orders) : it;
  market.index = io.part(it.index, indexLayout);
  market.markPriceAtoms = io.int(it.markPriceAtoms);
  market.lastPriceAtoms = io.int(it.lastPriceAtoms);
  market.lastTradedAtEpochMs = io.int(it.lastTradedAtEpochMs);
  fundingLayout(io, market.funding);
  return market;
}
