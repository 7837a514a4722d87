/** A listed market: its specification, book, prices and positions, and the price band around the mark. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, mulDivDown, mulDivUp, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import { FundingState, fundingLayout } from '#venue/funding/funding-state.ts';
import type { BookImpact } from '#venue/funding/premium.ts';
import { impactPriceDown, impactPriceUp } from '#venue/funding/premium.ts';
import { Book, NO_PRICE } from '#venue/order/book.ts';
import type { OrderTable } from '#venue/order/order-table.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { OpenPositions } from '#venue/position/open-positions.ts';
import type { Position } from '#venue/position/position.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { MARKET_STATUSES, specificationLayout } from '#venue/record/parts.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import type { Switches } from '#venue/switches/switches.ts';
import { MarketTriggers } from '#venue/trigger/market-triggers.ts';
import type { IndexMemory } from './index-guard.ts';
import { indexLayout, indexStatusAt, NO_INDEX } from './index-guard.ts';
import { MarkAverages } from './mark-averages.ts';
import { averagedMarkOf, bookPriceOf, momentaryMarkOf } from './mark-price.ts';
import type { MarketActivity } from './market-status.ts';
import { isPermitted, limitedStatus } from './market-status.ts';
import type { IndexStatus, MarketSpecification, MarketStatus } from './specification.ts';
import { quoteAtomsPerTickLot } from './specification.ts';

/** The parts of the venue's state that all markets share. */
export interface MarketSurroundings {
  readonly orders: OrderTable;
  readonly switches: Pick<Switches, 'marketLimit'>;
}

export class Market {
  readonly ordinal: MarketOrdinal;
  /** `UpdateMarket` replaces it; reading a snapshot completes it. */
  specification: MarketSpecification;
  readonly book: Book;
  readonly #switches: Pick<Switches, 'marketLimit'>;
  /** The money atoms of one tick of one lot. */
  readonly tickLotAtoms: number;
  readonly positions = new OpenPositions();
  readonly funding = new FundingState();
  readonly triggers: MarketTriggers;
  status: MarketStatus;
  /** The state of the index guard. The accepted price is `NO_PRICE` before the first one. */
  index: IndexMemory = NO_INDEX;
  markPriceAtoms: PriceAtoms = NO_PRICE;
  readonly averages = new MarkAverages();
  /** Whether liquidations wait for the index. Only tests turn it off. */
  #confirmsByIndex = true;
  lastPriceAtoms: PriceAtoms = NO_PRICE;
  lastTradedAtEpochMs = 0 as EpochMs;
  /** Whether reduce-only orders of a state of earlier rules may offer more than their positions. Derived when the state is read. */
  hasInheritedExcess = false;
  /**
   * What the insurance fund paid for the market on the last UTC day with a payment; days count from the epoch. `balanceAtoms` is what the
   * market's positions have brought the fund, less what it has paid for them.
   */
  readonly fundUse = { day: 0, spentAtoms: ZERO_QUOTE, balanceAtoms: ZERO_QUOTE };

  constructor(
    ordinal: MarketOrdinal,
    specification: MarketSpecification,
    status: MarketStatus,
    { orders, switches }: MarketSurroundings,
  ) {
    this.ordinal = ordinal;
    this.specification = specification;
    this.status = status;
    this.tickLotAtoms = quoteAtomsPerTickLot(specification);
    this.#switches = switches;
    this.book = new Book(orders, specification.maxPriceAtoms);
    this.triggers = new MarketTriggers(specification.maxPriceAtoms);
  }

  /** The market's own status within the limit that the venue sets. */
  get limitedStatus(): MarketStatus {
    return limitedStatus(this.status, this.#switches.marketLimit);
  }

  /** The accepted index price, or `NO_PRICE`. */
  get indexPriceAtoms(): PriceAtoms {
    return this.index.acceptedPriceAtoms;
  }

  recordTrade(priceAtoms: PriceAtoms, now: EpochMs): void {
    this.lastPriceAtoms = priceAtoms;
    this.lastTradedAtEpochMs = now;
  }

  /**
   * Updates the mark at an accepted index price.
   * @param previousIndexAtoms the index before, `NO_PRICE` if it was not current
   */
  updateMark(
    { bids, asks }: BookImpact,
    previousIndexAtoms: PriceAtoms,
    now: EpochMs,
    { averagesMark, confirmsByIndex }: Pick<RiskRules, 'averagesMark' | 'confirmsByIndex'>,
  ): void {
    this.#confirmsByIndex = confirmsByIndex;
    const { averages, lastPriceAtoms, lastTradedAtEpochMs, specification, tickLotAtoms } = this;
    const { indexPriceAtoms } = this;
    const book = {
      indexPriceAtoms,
      impactBidAtoms: bids === undefined ? NO_PRICE : impactPriceDown(bids, tickLotAtoms),
      impactAskAtoms: asks === undefined ? NO_PRICE : impactPriceUp(asks, tickLotAtoms),
    };
    if (!averagesMark) {
      this.markPriceAtoms = momentaryMarkOf({ ...book, lastPriceAtoms, lastTradedAtEpochMs }, now, specification);
      return;
    }
    const observation = { indexPriceAtoms, bookPriceAtoms: bookPriceOf(book), previousIndexAtoms };
    averages.observe(observation, now, tickLotAtoms, specification);
    this.markPriceAtoms = averagedMarkOf(indexPriceAtoms, averages, specification);
  }

  /** Whether the index is reliable. */
  indexStatusAt(now: EpochMs): IndexStatus {
    return indexStatusAt(this.index, now, this.specification);
  }

  /**
   * The price that decides whether a position is due for liquidation: of mark and index the one that is better for its owner. So quotes and
   * trades alone liquidate no position.
   */
  duePriceOf(position: Pick<Position, 'signedBaseAtoms'>): PriceAtoms {
    return position.signedBaseAtoms > 0 ? this.#longDuePrice() : this.#shortDuePrice();
  }

  /** The next position to liquidate. Parked positions that wait for another price do not count. */
  get nextDue(): Position | undefined {
    return this.positions.nextDistressed(this.#longDuePrice(), this.#shortDuePrice());
  }

  get hasLiquidationDue(): boolean {
    return this.nextDue !== undefined;
  }

  // Every order asks for both. Measured: with private getters instead of methods, whole turns take 2 % longer.
  #longDuePrice(): PriceAtoms {
    return this.#confirmsByIndex ? largerOf(this.markPriceAtoms, this.indexPriceAtoms) : this.markPriceAtoms;
  }

  #shortDuePrice(): PriceAtoms {
    return this.#confirmsByIndex ? smallerOf(this.markPriceAtoms, this.indexPriceAtoms) : this.markPriceAtoms;
  }

  /** Whether the market permits an activity now. */
  permits(activity: MarketActivity, now: EpochMs): boolean {
    const indexStatus = this.indexStatusAt(now);
    const isDue = this.hasLiquidationDue;
    // Fast path: every order calls this, and nearly always in this state.
    const status = this.limitedStatus;
    if (status === 'open' && indexStatus === 'current' && !isDue) return true;
    return isPermitted(activity, status, indexStatus, isDue);
  }

  /** Whether resting orders may open risk when an order of the venue meets them. Due liquidations do not prevent it: it closes them. */
  allowsRestingToOpen(now: EpochMs): boolean {
    return isPermitted('open_risk', this.limitedStatus, this.indexStatusAt(now), false);
  }

  /** The price of one lot. */
  lotPrice(price: PriceAtoms): QuoteAtoms {
    return (price * this.tickLotAtoms) as QuoteAtoms;
  }

  /** The notional of a quantity at a price. It is exact, because listing bounds the largest order (`specificationFault`). */
  notional(price: PriceAtoms, quantity: BaseAtoms): QuoteAtoms {
    return (price * quantity * this.tickLotAtoms) as QuoteAtoms;
  }

  /** The worst price for an order of this side: `priceBandBps` away from the mark, rounded toward the mark. */
  bandPrice(side: Side): PriceAtoms {
    const { priceBandBps, minPriceAtoms, maxPriceAtoms } = this.specification;
    if (side === 'buy') {
      return smallerOf(maxPriceAtoms, mulDivDown(this.markPriceAtoms, WHOLE_BPS + priceBandBps, WHOLE_BPS));
    }
    return largerOf(minPriceAtoms, mulDivUp(this.markPriceAtoms, WHOLE_BPS - priceBandBps, WHOLE_BPS));
  }
}

/** The layout in a snapshot; a reader passes `BLANK`. Reading orders and accounts restores the book and the positions. */
export function marketLayout(io: Cursor, it: Market, ordinal: MarketOrdinal, shared: MarketSurroundings): Market {
  const specification = io.part(it.specification, specificationLayout);
  const status = io.oneOf(MARKET_STATUSES, it.status);
  const market = it.specification === undefined ? new Market(ordinal, specification, status, shared) : it;
  market.index = io.part(it.index, indexLayout);
  market.markPriceAtoms = io.int(it.markPriceAtoms);
  market.lastPriceAtoms = io.int(it.lastPriceAtoms);
  market.lastTradedAtEpochMs = io.int(it.lastTradedAtEpochMs);
  fundingLayout(io, market.funding);
  return market;
}
