/** Places orders that wait for a price, alone or as the legs of an entry order. Nothing is reserved for them. */
import { larger, smaller } from './arithmetic.ts';
import { otherSide } from './book.ts';
import type { OrderRequest, PlaceOrder, Side, TriggerDirection, TriggerSource, TriggerTerms } from './command.ts';
import { closableBy } from './equity.ts';
import { ONE_X } from './margin.ts';
import { checkActivity, checkQuantity, checkSender, orderNamed } from './order-checks.ts';
import { Refused, refuseIf } from './refused.ts';
import { directionOf, isReached, priceOf, trailingPriceOf } from './trigger-price.ts';
import { startWaiting, waitingOf } from './waiting.ts';
import type { Market, WaitingOrder, World } from './world.ts';
import { note, positionOf } from './world.ts';

const MAX_WAITING = 20;
const MAX_TRAILING_STOPS = 10_000;

export function placeTrigger(world: World, command: PlaceOrder, trigger: TriggerTerms): void {
  const { account, side, terms, reduceOnly } = command;
  const market = checkSender(world, account, command);
  refuseIf(market.mark === 0n, 'mark_price_unavailable');
  checkStatus(world, market, reduceOnly);
  checkForm(command, trigger);
  checkCount(world, market, account, 1);
  const direction = directionIn(market, command, trigger);
  checkPrices(world, market, command, trigger, direction);
  const position = positionOf(market, account);
  refuseIf(reduceOnly && closableBy(side, position) === 0n, 'reduce_only_would_increase');
  const linked = trigger.linkedClientOrderId === '' ? undefined : linkedOf(world, account, command, trigger);
  world.lastOrder += 1;
  world.clientOrderIds.push({ account, id: command.clientOrderId, order: world.lastOrder, takenAt: world.now });
  const waiting: WaitingOrder = {
    ...blank(world.lastOrder, account, market, trigger.source),
    side,
    kind: trigger.kind,
    direction,
    triggerPrice: BigInt(trigger.priceAtoms),
    trailing: BigInt(trigger.trailingAtoms),
    trailingBps: BigInt(trigger.trailingBps),
    price: terms.kind === 'limit' ? BigInt(terms.priceAtoms) : 0n,
    quantity: 'quantityAtoms' in terms ? BigInt(terms.quantityAtoms) : 0n,
    reduceOnly,
    leverageHundredths: command.leverageHundredths,
    closePosition: trigger.closePosition,
    linked: linked?.order ?? 0,
    position: reduceOnly ? position!.episode : 0,
  };
  if (trigger.kind === 'trailing_stop') {
    waiting.best = priceOf(market, trigger.source);
    waiting.triggerPrice = trailingPriceOf(market, waiting, waiting.best);
  }
  if (linked !== undefined) linked.linked = waiting.order;
  startWaiting(world, waiting);
  world.waiting.push(waiting);
  noteAccepted(world, waiting, command.clientOrderId, command.idempotencyKey);
}

/** Checks the stop-loss and the take-profit of an order that is placed now. */
export function checkAttached(world: World, market: Market, account: number, request: OrderRequest): void {
  const { side, terms, reduceOnly, attached } = request;
  if (attached === undefined) return;
  const { stopLoss, takeProfit } = attached;
  const count = [stopLoss, takeProfit].filter((leg) => leg !== undefined).length;
  refuseIf(count === 0 || reduceOnly, 'trigger_invalid');
  checkCount(world, market, account, count);
  for (const [kind, leg] of [['stop_loss', stopLoss] as const, ['take_profit', takeProfit] as const]) {
    if (leg === undefined) continue;
    checkBounds(market, leg.triggerPriceAtoms);
    if (leg.priceAtoms !== 0) checkBounds(market, leg.priceAtoms);
    const limit = terms.kind === 'limit' ? BigInt(terms.priceAtoms) : undefined;
    const reference = limit === undefined ? priceOf(market, leg.source) : entryPriceOf(market, leg.source, side, limit);
    checkNotReached(directionOf(kind, otherSide(side)), BigInt(leg.triggerPriceAtoms), reference);
  }
}

/** Checks the legs of an open order whose limit price changes. */
export function checkLegsAt(world: World, market: Market, entry: number, price: bigint): void {
  const legs = world.waiting.filter((it) => it.entry === entry);
  for (const { side, source, direction, triggerPrice } of legs)
    checkNotReached(direction, triggerPrice, entryPriceOf(market, source, otherSide(side), price));
}

/** Where an order with a limit price would fill: there, or at the current price if that is better for it. */
function entryPriceOf(market: Market, source: TriggerSource, side: Side, limit: bigint): bigint {
  const price = priceOf(market, source);
  return side === 'buy' ? smaller(price, limit) : larger(price, limit);
}

/** Accepts the legs of an order that was accepted just now. They wait for what it opens. */
export function acceptLegs(world: World, market: Market, entry: number, command: PlaceOrder): void {
  const { stopLoss, takeProfit } = command.attached ?? {};
  const legs: WaitingOrder[] = [];
  for (const [kind, terms] of [['stop_loss', stopLoss] as const, ['take_profit', takeProfit] as const]) {
    if (terms === undefined) continue;
    world.lastOrder += 1;
    const side = otherSide(command.side);
    legs.push({
      ...blank(world.lastOrder, command.account, market, terms.source),
      side,
      kind,
      direction: directionOf(kind, side),
      triggerPrice: BigInt(terms.triggerPriceAtoms),
      price: BigInt(terms.priceAtoms),
      entry,
    });
  }
  const [one, other] = legs;
  if (one !== undefined && other !== undefined) {
    one.linked = other.order;
    other.linked = one.order;
  }
  for (const leg of legs) {
    world.waiting.push(leg);
    noteAccepted(world, leg, '', command.idempotencyKey);
  }
}

function blank(order: number, account: number, { ordinal }: Market, source: TriggerSource): WaitingOrder {
  return {
    order,
    account,
    market: ordinal,
    side: 'sell',
    kind: 'stop_loss',
    source,
    direction: 'below',
    triggerPrice: 0n,
    trailing: 0n,
    trailingBps: 0n,
    best: 0n,
    price: 0n,
    quantity: 0n,
    reduceOnly: true,
    leverageHundredths: 0,
    closePosition: false,
    entry: 0,
    linked: 0,
    position: 0,
    waitsSince: 0,
    dueSince: 0,
  };
}

/** The order may also be placed while the index is not current. */
function checkStatus(world: World, market: Market, reduceOnly: boolean): void {
  if (market.status === 'open' || (market.status === 'reduce_only' && reduceOnly)) return;
  checkActivity(world, market, reduceOnly);
}

function checkForm({ terms, reduceOnly, attached }: PlaceOrder, trigger: TriggerTerms): void {
  const { kind, source, direction, priceAtoms, trailingAtoms, trailingBps, closePosition } = trigger;
  const isMarket = terms.kind === 'market';
  const isLimit = terms.kind === 'limit' && !terms.postOnly && !closePosition;
  refuseIf(!isMarket && !isLimit, 'trigger_invalid');
  refuseIf(direction !== 'derived' && kind !== 'trigger', 'trigger_invalid');
  refuseIf(attached !== undefined, 'trigger_invalid');
  refuseIf(closePosition && !(reduceOnly && isMarket && terms.quantityAtoms === 0), 'trigger_invalid');
  refuseIf(trailingAtoms < 0 || trailingBps < 0 || trailingBps > 9_999, 'trigger_invalid');
  if (kind !== 'trailing_stop') {
    refuseIf(trailingAtoms > 0 || trailingBps > 0, 'trigger_invalid');
    return;
  }
  refuseIf(priceAtoms > 0 || source === 'last', 'trigger_invalid');
  refuseIf(trailingAtoms > 0 === trailingBps > 0, 'trigger_invalid');
}

function checkCount(world: World, market: Market, account: number, count: number): void {
  const all = waitingOf(world, market, account).length + count;
  refuseIf(all > MAX_WAITING, 'too_many_open_orders', BigInt(MAX_WAITING));
}

function checkPrices(
  world: World,
  market: Market,
  { terms, leverageHundredths }: PlaceOrder,
  { kind, source, priceAtoms, trailingAtoms, closePosition }: TriggerTerms,
  direction: TriggerDirection,
): void {
  const { maxLeverageX, maxPriceAtoms } = market.specification;
  refuseIf(BigInt(leverageHundredths) > BigInt(maxLeverageX) * ONE_X, 'leverage_too_high', BigInt(maxLeverageX));
  if (terms.kind === 'limit') checkBounds(market, terms.priceAtoms);
  if ('quantityAtoms' in terms && !closePosition) checkQuantity(market, BigInt(terms.quantityAtoms));
  if (kind !== 'trailing_stop') {
    checkBounds(market, priceAtoms);
    checkNotReached(direction, BigInt(priceAtoms), priceOf(market, source));
    return;
  }
  const stops = world.waiting.filter((it) => it.market === market.ordinal && it.kind === 'trailing_stop');
  refuseIf(stops.length >= MAX_TRAILING_STOPS, 'too_many_open_orders', BigInt(MAX_TRAILING_STOPS));
  const price = priceOf(market, source);
  const distance = BigInt(trailingAtoms);
  refuseIf(direction === 'below' && distance >= price, 'price_out_of_bounds', price);
  const highest = BigInt(maxPriceAtoms);
  refuseIf(direction === 'above' && price + distance > highest, 'price_out_of_bounds', highest);
}

function checkBounds({ specification }: Market, price: number): void {
  const { minPriceAtoms, maxPriceAtoms } = specification;
  refuseIf(price < minPriceAtoms, 'price_out_of_bounds', BigInt(minPriceAtoms));
  refuseIf(price > maxPriceAtoms, 'price_out_of_bounds', BigInt(maxPriceAtoms));
}

function checkNotReached(direction: TriggerDirection, triggerPrice: bigint, price: bigint): void {
  refuseIf(isReached(direction, triggerPrice, price), 'trigger_reached', price);
}

/** A plain trigger waits on the side on which the price is not now. */
function directionIn(market: Market, { side }: PlaceOrder, trigger: TriggerTerms): TriggerDirection {
  const { kind, direction, source, priceAtoms } = trigger;
  if (direction !== 'derived') return direction;
  if (kind !== 'trigger') return directionOf(kind, side);
  return BigInt(priceAtoms) < priceOf(market, source) ? 'below' : 'above';
}

/** A waiting order of the account in the market that has no link and is no leg of an open order. */
function linkedOf(world: World, account: number, { market }: PlaceOrder, trigger: TriggerTerms): WaitingOrder {
  const named = orderNamed(world, account, trigger.linkedClientOrderId);
  const linked = world.waiting.find(({ order }) => order === named);
  const isFree = linked !== undefined && linked.market === market && linked.linked === 0 && linked.entry === 0;
  if (!isFree) throw new Refused('linked_order_not_waiting');
  return linked;
}

function noteAccepted(world: World, it: WaitingOrder, clientOrderId: string, idempotencyKey: string): void {
  note(world, {
    type: 'TriggerAccepted',
    order: it.order,
    account: it.account,
    market: it.market,
    clientOrderId,
    idempotencyKey,
    side: it.side,
    kind: it.kind,
    source: it.source,
    direction: it.direction,
    triggerPriceAtoms: it.triggerPrice,
    trailingAtoms: it.trailing,
    trailingBps: it.trailingBps,
    priceAtoms: it.price,
    quantityAtoms: it.quantity,
    reduceOnly: it.reduceOnly,
    leverageHundredths: it.leverageHundredths,
    closePosition: it.closePosition,
    entry: it.entry,
    linked: it.linked,
    position: it.position,
  });
}
