/** An order that waits for a price. It is in no book, reserves no margin, and offers nothing. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import { ZERO_BASE } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { Link } from './link.ts';
import type { TriggerDirection, TriggerKind, TriggerSource } from './trigger-terms.ts';

const NO_ORDER = 0 as OrderOrdinal;

export class WaitingTrigger extends Link {
  order = NO_ORDER;
  account = 0 as AccountOrdinal;
  market = 0 as MarketOrdinal;
  side: Side = 'sell';
  kind: TriggerKind = 'stop_loss';
  source: TriggerSource = 'mark';
  direction: TriggerDirection = 'below';
  /** For a trailing stop the price that follows from `bestPriceAtoms`. */
  triggerPriceAtoms = NO_PRICE;
  trailingAtoms = NO_PRICE;
  trailingBps = 0 as Bps;
  /** The best price of the source since a trailing stop was placed: the highest for one that sells. */
  bestPriceAtoms = NO_PRICE;
  /** The limit price when triggered; `NO_PRICE` for a market order. */
  priceAtoms: PriceAtoms = NO_PRICE;
  /** 0 for an order that closes the position, and for a leg whose entry has not filled. */
  quantityAtoms: BaseAtoms = ZERO_BASE;
  reduceOnly = true;
  leverageHundredths = 0;
  closePosition = false;
  /** The entry order that the leg belongs to while that order is open, else 0. */
  entry = NO_ORDER;
  /** The waiting order that is cancelled when this one triggers, or 0. */
  linked = NO_ORDER;
  /** The position that the order reduces, and with which it ends; 0 for an order that may open. */
  position = 0 as PositionOrdinal;
  /** Its place among orders of the same price: when it began to wait for the price. 0 for a leg whose entry has not filled. */
  liveNumber = 0;

  /** Whether it waits for a price, not for its entry order. */
  get isLive(): boolean {
    return this.liveNumber > 0;
  }

  get isTrailing(): boolean {
    return this.kind === 'trailing_stop';
  }
}
