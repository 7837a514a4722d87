/** Places an order: matches it, carries its fills out, and lets its rest stay in the book or ends it. */
import type { PlaceOrder, Terms } from './command.ts';
import { closableBy } from './equity.ts';
import { executeTrade, feeOf, fillMaker, settleSide, takerMargin } from './fill.ts';
import { notionalOf, reservedOf, restingOf } from './margin.ts';
import { filledBaseOf } from './matching.ts';
import { checkLeverage, checkOrder } from './order-checks.ts';
import { type Accepted, type Placement, planOf } from './order-plan.ts';
import { refuseIf } from './refused.ts';
import { cancelOrder, cutChanged, cutReduceOnly, noteCut } from './resting.ts';
import { acceptLegs, checkAttached, placeTrigger } from './trigger-placement.ts';
import { endEntry } from './waiting.ts';
import type { Market, Order, World } from './world.ts';
import { accountOf, note, positionOf } from './world.ts';

const MAX_EXPOSURE = 2n ** 49n;
const MAX_POSITION_ORDERS = 8n;

/** The open order that an amendment takes out of the book and places again. */
export interface Replaced {
  readonly order: number;
  readonly filled: bigint;
  readonly expiresAt: bigint;
}

export function placeOrder(world: World, command: PlaceOrder): void {
  if (command.trigger !== undefined) {
    placeTrigger(world, command, command.trigger);
    return;
  }
  const market = checkOrder(world, command.account, command);
  checkAttached(world, market, command.account, command);
  checkLeverage(world, market, command.account, command);
  const placement = planOf(world, market, command.account, command);
  const order = accept(world, market, placement, command);
  acceptLegs(world, market, order, command);
  const expiresAt = command.terms.timeInForce === 'GTD' ? BigInt(command.terms.expiresAtEpochMs!) : 0n;
  carryOut(world, market, placement, { order, filled: 0n, expiresAt });
}

/** Carries out the plan of an order that was accepted, amended or triggered. */
export function carryOut(world: World, market: Market, placement: Placement, it: Replaced): void {
  const { account, request } = placement;
  const resting = restingOf(world, market, account);
  const opened = fill(world, market, placement, it.order);
  const rests = endOrRest(world, market, placement, it);
  if (opened || (rests > 0n && !request.reduceOnly)) checkLimits(world, market, placement, resting, rests);
}

function accept(
  world: World,
  market: Market,
  { account, accepted, leverageHundredths, initialMarginBps }: Placement,
  command: PlaceOrder,
): number {
  world.lastOrder += 1;
  const order = world.lastOrder;
  world.clientOrderIds.push({ account, id: command.clientOrderId, order, takenAt: world.now });
  note(world, {
    type: 'OrderAccepted',
    order,
    account,
    market: market.ordinal,
    clientOrderId: command.clientOrderId,
    idempotencyKey: command.idempotencyKey,
    side: command.side,
    terms: termsFact(command.terms, accepted),
    reduceOnly: command.reduceOnly,
    leverageHundredths,
    initialMarginBps,
    origin: 'client',
    markPriceAtoms: market.mark,
  });
  return order;
}

export function termsFact(terms: Terms, { price, quantity }: Accepted): Terms | Record<string, unknown> {
  if (terms.kind !== 'band_limit' && terms.kind !== 'band_notional') return terms;
  const { timeInForce, expiresAtEpochMs } = terms;
  const limit = { kind: 'limit', priceAtoms: price, quantityAtoms: quantity, postOnly: false, timeInForce, expiresAtEpochMs };
  return 'notionalAtoms' in terms ? { ...limit, notionalAtoms: terms.notionalAtoms } : limit;
}

/** Ends the orders that may not trade, then fills. Returns whether the order opened anything. */
function fill(world: World, market: Market, placement: Placement, order: number): boolean {
  const { account, request, matches, accepted, leverageHundredths, initialMarginBps, rest } = placement;
  const { side } = request;
  for (const { order: met, kind } of matches.steps) if (kind !== 'fill') cancelOrder(world, met, kind);
  const fills = matches.steps.filter(({ kind }) => kind === 'fill');
  let filled = 0n;
  let hasOpened = false;
  for (const [index, step] of fills.entries()) {
    const { order: met, quantity } = step;
    filled += quantity;
    if (closableBy(side, positionOf(market, account)) < quantity) hasOpened = true;
    const trade = executeTrade(world, market, 'client', side, met.price, quantity);
    const fee = feeOf(trade.notional, market.specification.takerFeeBps);
    fillMaker(world, market, step, trade, fee);
    const terms = { side, placedAtMark: market.mark, leverageHundredths, initialMarginBps };
    settleSide(world, market, trade, {
      account,
      order,
      side,
      liquidity: 'taker',
      cause: 'client',
      fee,
      remaining: accepted.kind === 'market_notional' ? 0n : accepted.quantity - filled,
      isComplete: rest.kind === 'nothing' && index === fills.length - 1,
      lockedFor: takerMargin(market, terms, met.price),
    });
  }
  return hasOpened;
}

/** Returns the quantity that rests. */
function endOrRest(world: World, market: Market, placement: Placement, it: Replaced): bigint {
  const { account, request, accepted, matches, leverageHundredths, initialMarginBps, rest } = placement;
  const { order, expiresAt } = it;
  const { side, reduceOnly, terms } = request;
  const left = accepted.kind === 'market_notional' ? 0n : accepted.quantity - filledBaseOf(matches);
  cutChanged(world, market);
  if (rest.kind === 'rests') {
    world.lastArrival += 1;
    const resting: Order = {
      order,
      account,
      market: market.ordinal,
      side,
      price: accepted.price,
      remaining: rest.quantity,
      reduceOnly,
      leverageHundredths,
      initialMarginBps,
      placedAtMark: market.mark,
      filled: it.filled + filledBaseOf(matches),
      postOnly: terms.kind === 'limit' && terms.postOnly,
      expiresAt,
      arrival: world.lastArrival,
    };
    if (rest.quantity < left) noteCut(world, resting, left - rest.quantity, false);
    world.orders.push(resting);
    noteRested(world, resting);
    if (reduceOnly) cutReduceOnly(world, market, account);
    return rest.quantity;
  }
  if (rest.kind === 'cancelled') {
    note(world, {
      type: 'OrderCancelled',
      order,
      account,
      market: market.ordinal,
      side,
      reason: rest.reason,
      wasResting: false,
      priceAtoms: accepted.price,
      remainingAtoms: left,
      accountReservedAtoms: reservedOf(world, account),
    });
    endEntry(world, order);
  }
  return 0n;
}

function noteRested(world: World, order: Order): void {
  note(world, {
    type: 'OrderRested',
    order: order.order,
    account: order.account,
    market: order.market,
    side: order.side,
    priceAtoms: order.price,
    remainingAtoms: order.remaining,
    accountReservedAtoms: reservedOf(world, order.account),
  });
}

/** An account that opens stays within the largest exposure and position, and pays from its own cash. */
function checkLimits(
  world: World,
  market: Market,
  { account, accepted }: Placement,
  resting: { readonly base: bigint; readonly notional: bigint },
  rests: bigint,
): void {
  const position = positionOf(market, account);
  const exposure = (position?.entry ?? 0n) + resting.notional + notionalOf(market, accepted.price, rests);
  refuseIf(exposure > MAX_EXPOSURE, 'exposure_limit', MAX_EXPOSURE);
  const base = position?.base ?? 0n;
  const size = (base < 0n ? -base : base) + resting.base + rests;
  const maxSize = BigInt(market.specification.maxQuantityAtoms) * MAX_POSITION_ORDERS;
  refuseIf(size > maxSize, 'position_limit', maxSize);
  const available = accountOf(world, account)!.cash - reservedOf(world, account);
  refuseIf(available < 0n, 'insufficient_margin', -available);
}
