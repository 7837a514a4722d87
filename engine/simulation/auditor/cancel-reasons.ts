/** Checks the reason of every cancellation against the book and the turn. */
import type { Command } from '#venue/command.ts';
import type { CancelReason, OrderAccepted, OrderCancelled } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { BookView } from './book-view.ts';
import type { IncomingOrder } from './incoming-order.ts';
import type { OpenOrder } from './order-books.ts';
import { isWithinBand } from './order-rules.ts';

/** The orders of the current turn, up to the current event. */
export interface TurnOrders {
  command: Command;
  epochMs: number;
  readonly incoming: Map<number, IncomingOrder>;
  /** The liquidations of the turn by `account/market`: whether the order of each was accepted. */
  readonly liquidating: Map<string, boolean>;
  /** The resting orders that the last accepted order visited: it filled with them, or they were cancelled. */
  visitedMakers: number;
  /** Resting reduce-only orders that were cancelled since the last accepted order: its fills left their positions too small. */
  readonly reduced: OpenOrder[];
  /** Amended orders that lost their place, as they were. */
  readonly replaced: Map<number, OpenOrder>;
}

/** Reasons that end an incoming order. */
const INCOMING_REASONS: readonly CancelReason[] = [
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'bankruptcy_price',
  'liquidation',
  'immediate_or_cancel',
  'fill_or_kill',
];

/** Limit of the resting orders that one order visits. */
const MAX_VISITED_MAKERS = 1_000;

/** `resting`: the order in the book that ended; `undefined` for an incoming one. */
export function checkCancelReason(event: OrderCancelled, resting: OpenOrder | undefined, turn: TurnOrders, book: BookView): void {
  if (resting === undefined) {
    checkIncoming(event, turn.incoming.get(event.order)!.accepted, turn, book);
    return;
  }
  if (!isReasonOfResting(event, resting, turn, book))
    fail('order', `order ${event.order} was cancelled for ${event.reason}, which does not apply`);
}

function checkIncoming(event: OrderCancelled, accepted: OrderAccepted, turn: TurnOrders, book: BookView): void {
  const { order, reason, market, side } = event;
  const { markPriceAtoms, reduceOnly, origin } = accepted;
  const isPossible = INCOMING_REASONS.includes(reason) && (reason === 'liquidation') === (origin !== 'client');
  if (!isPossible || (reason === 'reduce_only' && !reduceOnly))
    fail('order', `order ${order} ended for ${reason}, which is impossible for it`);
  if (reason === 'reduce_only' && accepted.terms.kind === 'limit' && book.roomFor(event) > 0)
    fail('order', `order ${order} ended for ${reason}, but it may reduce ${book.roomFor(event)}`);
  // An order stops at the limit only after it has visited resting orders.
  if (reason === 'fill_limit' && (turn.visitedMakers === 0 || turn.visitedMakers > MAX_VISITED_MAKERS))
    fail('order', `order ${order} ended for ${reason} after visiting ${turn.visitedMakers} orders`);
  if (reason === 'immediate_or_cancel' || reason === 'fill_or_kill') checkTimedEnd(event, accepted, book);
  if (reason !== 'no_liquidity' && reason !== 'price_band') return;
  const isBeyondBand = (it: OpenOrder) =>
    it.market === market && it.side !== side && !isWithinBand(side, it.priceAtoms, markPriceAtoms, book.listingOf(market));
  const best = book.bestAgainst(side, market);
  if (reason === 'no_liquidity') {
    // In a market that permits no opening, resting orders without a position to reduce cannot fill.
    if (best !== undefined && book.mayRestingOpen(market) === 'yes')
      fail('order', `order ${order} ended for ${reason}, but order ${best.order} is there`);
  } else if (![...(best === undefined ? turn.reduced : [best])].some(isBeyondBand))
    fail('order', `order ${order} ended for ${reason}, but order ${best?.order} is within the band`);
}

/** An IOC order ends when nothing within its limit is left, a FOK order only if that is less than its quantity. */
function checkTimedEnd({ order, reason, market, side }: OrderCancelled, { terms, account }: OrderAccepted, book: BookView): void {
  const time = reason === 'fill_or_kill' ? 'FOK' : 'IOC';
  if (terms.kind !== 'limit' || terms.timeInForce !== time)
    fail('order', `order ${order} ended for ${reason}, and is not ${time}`);
  if (time === 'FOK' && book.sureQuantityAgainst(side, market, terms.priceAtoms, account) >= terms.quantityAtoms)
    fail('order', `order ${order} ended for ${reason}, but the book has its quantity`);
  const best = book.bestAgainst(side, market);
  const isWithin =
    best !== undefined && (side === 'buy' ? best.priceAtoms <= terms.priceAtoms : best.priceAtoms >= terms.priceAtoms);
  if (time === 'IOC' && isWithin && book.mayRestingOpen(market) === 'yes')
    fail('order', `order ${order} ended for ${reason}, but order ${best.order} is within its limit`);
}

function isReasonOfResting(
  { order, reason, account, market, side }: OrderCancelled,
  resting: OpenOrder,
  { command, epochMs, incoming, liquidating }: TurnOrders,
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
      return resting.reduceOnly && (book.hasNothingToReduce(resting) || book.isExcessive(resting));
    case 'liquidation':
      return liquidating.has(`${account}/${market}`);
    case 'expired':
      return resting.expiresAtEpochMs > 0 && resting.expiresAtEpochMs <= epochMs;
    case 'cancel_all_after':
      return command.type === 'EndDueOrders' && book.wasFired(resting);
    case 'linked_order':
      return book.cancelsEntry(order, market);
    case 'no_liquidity':
    case 'price_band':
    case 'fill_limit':
    case 'bankruptcy_price':
    case 'immediate_or_cancel':
    case 'fill_or_kill':
    case 'trigger_refused':
    case 'position_ended':
    case 'entry_ended':
      return false;
    default: {
      const unknown: never = reason;
      return fail('order', `an unknown cancel reason: ${unknown}`);
    }
  }
}
