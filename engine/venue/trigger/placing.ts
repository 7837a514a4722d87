/** Places an order that waits for a price. It is accepted without margin; `triggering.ts` checks everything else when its price is reached. */

import type { OrderOrdinal } from '#units/ids.ts';
import { ONE_X } from '#units/leverage.ts';
import { largerOf, type PriceAtoms, smallerOf } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { checkMarketActivity, checkQuantity, checkSender } from '#venue/order/order-rules.ts';
import type { PlaceOrder, Side } from '#venue/order/order-terms.ts';
import { closableBy } from '#venue/position/position.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { directionOf, opposite } from './direction.ts';
import { emitAccepted } from './legs.ts';
import { follow, MAX_TRAILING_STOPS } from './market-triggers.ts';
import type { LegTerms, TriggerDirection, TriggerSource, TriggerTerms } from './trigger-terms.ts';
import { MAX_WAITING_TRIGGERS } from './triggers.ts';
import { addWaiting } from './waiting.ts';
import { WaitingTrigger } from './waiting-trigger.ts';

type TriggerPlacement = PlaceOrder & { readonly trigger: TriggerTerms };

export function isTriggerPlacement(command: PlaceOrder): command is TriggerPlacement {
  return command.trigger !== undefined;
}

export function planTrigger(turn: Turn, command: TriggerPlacement): Refusal | undefined {
  const { state } = turn;
  const refusal = checkSender(turn, command);
  if (refusal !== undefined) return refusal;
  const account = state.account(command.account)!;
  const market = state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  if (market.markPriceAtoms === NO_PRICE) return { code: 'mark_price_unavailable' };
  return (
    checkMarket(turn, market, command) ??
    checkForm(command) ??
    checkCount(turn, account, market, 1) ??
    checkPrices(market, command) ??
    checkReduced(account, command) ??
    checkLinked(turn, account, command)
  );
}

export function commitTrigger(turn: Turn, command: TriggerPlacement): void {
  const { state } = turn;
  const { trigger: terms } = command;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const trigger = new WaitingTrigger();
  trigger.order = state.nextOrder();
  state.clientOrderIds.take(account, command.clientOrderId, trigger.order, turn.now);
  trigger.account = account.ordinal;
  trigger.market = market.ordinal;
  trigger.side = command.side;
  trigger.kind = terms.kind;
  trigger.source = terms.source;
  trigger.direction = directionIn(market, command);
  trigger.triggerPriceAtoms = terms.priceAtoms;
  trigger.trailingAtoms = terms.trailingAtoms;
  trigger.trailingBps = terms.trailingBps;
  if (trigger.isTrailing) follow(trigger, priceOf(market, terms.source), market.specification.maxPriceAtoms);
  if (command.terms.kind === 'limit') trigger.priceAtoms = command.terms.priceAtoms;
  if ('quantityAtoms' in command.terms) trigger.quantityAtoms = command.terms.quantityAtoms;
  trigger.reduceOnly = command.reduceOnly;
  trigger.leverageHundredths = command.leverageHundredths;
  trigger.closePosition = terms.closePosition;
  if (command.reduceOnly) trigger.position = account.positionIn(market.ordinal).ordinal;
  link(turn, account, trigger, terms.linkedClientOrderId);
  trigger.liveNumber = state.triggers.nextLive();
  addWaiting(state, trigger);
  emitAccepted(turn, trigger, command.clientOrderId, command.idempotencyKey);
}

/**
 * Checks the legs of an order that is placed now. A leg must be on its side of the price at which the entry fills: its limit price, maybe
 * much later, or the current price if that is better for the entry, or if it has no limit price.
 */
export function checkAttached(turn: Turn, account: Account, market: Market, command: PlaceOrder): Refusal | undefined {
  const { attached, reduceOnly, side, terms } = command;
  if (attached === undefined) return undefined;
  const { stopLoss, takeProfit } = attached;
  const count = (stopLoss === undefined ? 0 : 1) + (takeProfit === undefined ? 0 : 1);
  if (count === 0 || reduceOnly) return { code: 'trigger_invalid' };
  const entry = { side, limitPriceAtoms: terms.kind === 'limit' ? terms.priceAtoms : undefined };
  return (
    checkCount(turn, account, market, count) ??
    (stopLoss && checkLeg(market, directionOf('stop_loss', opposite(side)), stopLoss, entry)) ??
    (takeProfit && checkLeg(market, directionOf('take_profit', opposite(side)), takeProfit, entry))
  );
}

/** Checks the legs of an open entry order that gets another limit price. */
export function checkLegsAt({ state }: Turn, entry: OrderOrdinal, limitPriceAtoms: PriceAtoms): Refusal | undefined {
  for (const leg of state.triggers.legsOf(entry)) {
    const fillsAt = entryPriceOf(state.market(leg.market)!, leg.source, { side: opposite(leg.side), limitPriceAtoms });
    const refusal = checkNotReached(leg.direction, leg.triggerPriceAtoms, fillsAt);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkLeg(
  market: Market,
  direction: TriggerDirection,
  { source, triggerPriceAtoms, priceAtoms }: LegTerms,
  entry: EntryTerms,
): Refusal | undefined {
  const refusal =
    checkBounds(market, triggerPriceAtoms) ?? (priceAtoms === NO_PRICE ? undefined : checkBounds(market, priceAtoms));
  return refusal ?? checkNotReached(direction, triggerPriceAtoms, entryPriceOf(market, source, entry));
}

interface EntryTerms {
  readonly side: Side;
  /** `undefined` for a market order. */
  readonly limitPriceAtoms: PriceAtoms | undefined;
}

/** Where an entry order would fill: at its limit price, or at the current price of the leg's source if that is better. */
function entryPriceOf(market: Market, source: TriggerSource, { side, limitPriceAtoms }: EntryTerms): PriceAtoms {
  const price = priceOf(market, source);
  if (limitPriceAtoms === undefined) return price;
  return side === 'buy' ? smallerOf(price, limitPriceAtoms) : largerOf(price, limitPriceAtoms);
}

/** The order may be placed while the index is not current: it waits. */
function checkMarket({ now }: Turn, market: Market, { reduceOnly }: PlaceOrder): Refusal | undefined {
  const status = market.limitedStatus;
  const isPermitted = status === 'open' || (status === 'reduce_only' && reduceOnly);
  return isPermitted ? undefined : checkMarketActivity(market, now);
}

/** The edge sends only valid forms; these are the rules for all other senders. */
function checkForm({ terms, trigger, reduceOnly, attached }: TriggerPlacement): Refusal | undefined {
  const { kind, direction, priceAtoms, trailingAtoms, trailingBps, closePosition, source } = trigger;
  const isTrailing = kind === 'trailing_stop';
  const distances = (trailingAtoms === 0 ? 0 : 1) + (trailingBps === 0 ? 0 : 1);
  const isValid =
    (terms.kind === 'market' ||
      (terms.kind === 'limit' && !terms.postOnly && !closePosition && terms.notionalAtoms === undefined)) &&
    distances === (isTrailing ? 1 : 0) &&
    (!isTrailing || (priceAtoms === 0 && source !== 'last')) &&
    trailingAtoms >= 0 &&
    trailingBps >= 0 &&
    trailingBps < 10_000 &&
    (direction === 'derived' || kind === 'trigger') &&
    (!closePosition || (reduceOnly && terms.kind === 'market' && terms.quantityAtoms === 0)) &&
    attached === undefined;
  return isValid ? undefined : { code: 'trigger_invalid' };
}

function checkCount({ state }: Turn, account: Account, market: Market, count: number): Refusal | undefined {
  const waiting = state.triggers.of(account.ordinal, market.ordinal).length;
  return waiting + count > MAX_WAITING_TRIGGERS ? { code: 'too_many_open_orders', bound: MAX_WAITING_TRIGGERS } : undefined;
}

function checkPrices(market: Market, command: TriggerPlacement): Refusal | undefined {
  const { terms, trigger, leverageHundredths } = command;
  const { maxLeverageX, maxPriceAtoms } = market.specification;
  if (leverageHundredths > maxLeverageX * ONE_X) return { code: 'leverage_too_high', bound: maxLeverageX };
  const limit = terms.kind === 'limit' ? checkBounds(market, terms.priceAtoms) : undefined;
  const quantity = trigger.closePosition || !('quantityAtoms' in terms) ? undefined : checkQuantity(market, terms.quantityAtoms);
  if (limit !== undefined || quantity !== undefined) return limit ?? quantity;
  if (trigger.kind !== 'trailing_stop') {
    const refusal = checkBounds(market, trigger.priceAtoms);
    return refusal ?? checkNotReached(directionIn(market, command), trigger.priceAtoms, priceOf(market, trigger.source));
  }
  if (market.triggers.trailingCount >= MAX_TRAILING_STOPS) return { code: 'too_many_open_orders', bound: MAX_TRAILING_STOPS };
  const isBelow = directionIn(market, command) === 'below';
  const price = priceOf(market, trigger.source);
  const isOutside = isBelow ? trigger.trailingAtoms >= price : price + trigger.trailingAtoms > maxPriceAtoms;
  return isOutside ? { code: 'price_out_of_bounds', bound: isBelow ? price : maxPriceAtoms } : undefined;
}

function checkBounds({ specification }: Market, price: PriceAtoms): Refusal | undefined {
  const { minPriceAtoms, maxPriceAtoms } = specification;
  if (price < minPriceAtoms) return { code: 'price_out_of_bounds', bound: minPriceAtoms };
  return price > maxPriceAtoms ? { code: 'price_out_of_bounds', bound: maxPriceAtoms } : undefined;
}

function checkNotReached(direction: TriggerDirection, triggerPriceAtoms: PriceAtoms, price: PriceAtoms): Refusal | undefined {
  const isReached = direction === 'below' ? price <= triggerPriceAtoms : price >= triggerPriceAtoms;
  return isReached ? { code: 'trigger_reached', bound: price } : undefined;
}

/** An order that only reduces belongs to the position that it reduces. */
function checkReduced(account: Account, { side, market, reduceOnly }: PlaceOrder): Refusal | undefined {
  if (!reduceOnly || closableBy(side, account.holdingIn(market)) > 0) return undefined;
  return { code: 'reduce_only_would_increase' };
}

function checkLinked({ state, now }: Turn, account: Account, { market, trigger }: TriggerPlacement): Refusal | undefined {
  if (trigger.linkedClientOrderId === '') return undefined;
  const order = state.clientOrderIds.orderOf(account, trigger.linkedClientOrderId, now);
  const linked = order === undefined ? undefined : state.triggers.find(order);
  const isFree = linked?.account === account.ordinal && linked.market === market && linked.linked === 0 && linked.entry === 0;
  return isFree ? undefined : { code: 'linked_order_not_waiting' };
}

function link({ state, now }: Turn, account: Account, trigger: WaitingTrigger, clientOrderId: string): void {
  if (clientOrderId === '') return;
  const linked = state.triggers.find(state.clientOrderIds.orderOf(account, clientOrderId, now)!)!;
  linked.linked = trigger.order;
  trigger.linked = linked.order;
}

function directionIn(market: Market, { trigger, side }: TriggerPlacement): TriggerDirection {
  if (trigger.direction !== 'derived') return trigger.direction;
  if (trigger.kind !== 'trigger') return directionOf(trigger.kind, side);
  return trigger.priceAtoms < priceOf(market, trigger.source) ? 'below' : 'above';
}

/** The current price of a source. Before the first trade the mark stands for the last price. */
export function priceOf(market: Market, source: TriggerSource): PriceAtoms {
  if (source === 'index') return market.indexPriceAtoms;
  return source === 'mark' || market.lastPriceAtoms === NO_PRICE ? market.markPriceAtoms : market.lastPriceAtoms;
}
