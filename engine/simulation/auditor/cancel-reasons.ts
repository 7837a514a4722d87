/** Why an order ended: each reason leaves something in the book or in the turn that shows it. */
import type { Command } from '#venue/command.ts';
import type { CancelReason, OrderAccepted, OrderCancelled } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { IncomingOrder } from './incoming-order.ts';
import type { Listing } from './listing.ts';
import type { OpenOrder } from './order-books.ts';
import { isWithinBand } from './order-rules.ts';

/** The events of a turn that concern orders, as far as they came. */
export interface TurnOrders {
  command: Command;
  epochMs: number;
  readonly incoming: Map<number, IncomingOrder>;
  /** `account/market` of the liquidations of this turn, and whether an order came of each. */
  readonly liquidating: Map<string, boolean>;
  /** How many resting orders the last accepted order met: those that it filled with and those that left for it. */
  met: number;
}

/** What the book shows at the end of an order. */
export interface BookView {
  /** The best order of the side that an order meets. */
  bestAgainst(side: 'buy' | 'sell', market: number): OpenOrder | undefined;
  listingOf(market: number): Listing;
  /** Whether resting orders may open, if a client's order meets them: not while a liquidation is due. */
  mayRestingOpen(market: number): 'yes' | 'no' | 'unless a liquidation is due';
  hasNothingToReduce(order: OpenOrder): boolean;
}

/** Reasons that end an incoming order. */
const INCOMING_REASONS: readonly CancelReason[] = [
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'bankruptcy_price',
  'liquidation',
];

/** How many resting orders one order meets at most. */
const MAX_MET = 1_000;

/** `resting`: the order in the book that ended; `undefined` for an incoming one. */
export function checkCancelReason(event: OrderCancelled, resting: OpenOrder | undefined, turn: TurnOrders, book: BookView): void {
  if (resting === undefined) {
    checkIncoming(event, turn.incoming.get(event.order)!.accepted, turn, book);
    return;
  }
  if (!isReasonOfResting(event, resting, turn, book))
    fail('order', `order ${event.order} was cancelled for ${event.reason}, which is not so`);
}

function checkIncoming(
  { order, reason, market, side }: OrderCancelled,
  accepted: OrderAccepted,
  turn: TurnOrders,
  book: BookView,
): void {
  const { markPriceAtoms, reduceOnly, origin } = accepted;
  const isPossible = INCOMING_REASONS.includes(reason) && (reason === 'liquidation') === (origin !== 'client');
  if (!isPossible || (reason === 'reduce_only' && !reduceOnly))
    fail('order', `order ${order} ended for ${reason}, which cannot be`);
  // The client may send it again: so something must have left its way.
  if (reason === 'fill_limit' && (turn.met === 0 || turn.met > MAX_MET))
    fail('order', `order ${order} ended for ${reason}, and met ${turn.met}`);
  if (reason !== 'no_liquidity' && reason !== 'price_band') return;
  const best = book.bestAgainst(side, market);
  if (reason === 'no_liquidity') {
    // Where nothing may open there may be orders that reduce nothing, and fill for nobody.
    if (best !== undefined && book.mayRestingOpen(market) === 'yes')
      fail('order', `order ${order} ended for ${reason}, but order ${best.order} is there`);
  } else if (best === undefined || isWithinBand(side, best.priceAtoms, markPriceAtoms, book.listingOf(market)))
    fail('order', `order ${order} ended for ${reason}, but order ${best?.order} is within the band`);
}

function isReasonOfResting(
  { order, reason, account, market, side }: OrderCancelled,
  resting: OpenOrder,
  { command, incoming, liquidating }: TurnOrders,
  book: BookView,
): boolean {
  switch (reason) {
    case 'user': {
      const isNamed =
        (command.type === 'CancelOrder' && command.order === order) ||
        (command.type === 'CancelOrders' && command.orders.includes(order));
      return isNamed && command.account === account;
    }
    case 'self_trade':
    case 'margin_unbacked':
      for (const { accepted } of incoming.values()) {
        const isOwn = accepted.account === account;
        if (accepted.market === market && accepted.side !== side && isOwn === (reason === 'self_trade')) return true;
      }
      return false;
    case 'reduce_only':
      return resting.reduceOnly && book.hasNothingToReduce(resting);
    case 'liquidation':
      return liquidating.has(`${account}/${market}`);
    case 'no_liquidity':
    case 'price_band':
    case 'fill_limit':
    case 'bankruptcy_price':
      return false;
    default: {
      const unknown: never = reason;
      return fail('order', `an unknown cancel reason: ${unknown}`);
    }
  }
}
