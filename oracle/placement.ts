/** Places an order: matches it, carries its fills out, and lets its rest stay in the book or ends it. */
import { floorDiv, larger, smaller } from './arithmetic.ts';
import { bestAgainst } from './book.ts';
import type { OrderRequest, PlaceOrder, Terms } from './command.ts';
import { closableBy, worstClosingPrice } from './equity.ts';
import { executeTrade, feeOf, fillMaker, settleSide, takerMargin } from './fill.ts';
import { fundedHolding } from './funding-payment.ts';
import { initialMarginBpsAt, notionalOf, reservedOf, restingOf } from './margin.ts';
import { bandPriceOf } from './mark.ts';
import { filledBaseOf, filledNotionalOf, type Incoming, type Matches, matchesOf } from './matching.ts';
import { checkOrder, exposureOf } from './order-checks.ts';
import { Refused, refuseIf } from './refused.ts';
import { cancelOrder, cutChanged, cutReduceOnly, noteCut, reducibleBeside } from './resting.ts';
import { permits } from './status.ts';
import type { Market, Order, World } from './world.ts';
import { accountOf, note, positionOf } from './world.ts';

const MAX_EXPOSURE = 2n ** 49n;
const MAX_POSITION_ORDERS = 8n;

/** The terms with which an order is accepted: a limit order has a price and a quantity then. */
export interface Accepted {
  readonly kind: 'limit' | 'market' | 'market_notional';
  readonly price: bigint;
  readonly quantity: bigint;
}

interface Placement {
  readonly account: number;
  readonly request: OrderRequest;
  /** What the order closes at most. */
  readonly closable: bigint;
  /** What it may fill. */
  readonly quantity: bigint;
  readonly isBoundByBankruptcy: boolean;
  readonly matches: Matches;
  readonly accepted: Accepted;
  readonly initialMarginBps: bigint;
  readonly rest: Rest;
}

/** What happens to the quantity that does not fill. */
type Rest =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'rests'; readonly quantity: bigint };

export function placeOrder(world: World, command: PlaceOrder): void {
  const market = checkOrder(world, command.account, command);
  const placement = planOf(world, market, command.account, command);
  const resting = restingOf(world, market, command.account);
  const order = accept(world, market, placement, command);
  const opened = fill(world, market, placement, order);
  const rests = endOrRest(world, market, placement, order);
  if (opened || (rests > 0n && !command.reduceOnly)) checkLimits(world, market, placement, resting, rests);
}

function planOf(world: World, market: Market, account: number, request: OrderRequest): Placement {
  const { side, terms, reduceOnly } = request;
  const { minQuantityAtoms, maxQuantityAtoms } = market.specification;
  const position = positionOf(market, account);
  const closable = closableBy(side, position);
  const requested = 'quantityAtoms' in terms ? BigInt(terms.quantityAtoms) : BigInt(maxQuantityAtoms);
  const quantity = reduceOnly ? smaller(requested, closable) : requested;
  const limit = terms.kind === 'limit' ? BigInt(terms.priceAtoms) : bandPriceOf(market, side);
  // What closes a position fills at no price at which the position cannot pay loss and fee.
  const bound = closable > 0n ? worstClosingPrice(market, fundedHolding(market, position!)) : limit;
  const worst = side === 'buy' ? smaller(limit, bound) : larger(limit, bound);
  const incoming: Incoming = {
    account,
    side,
    limit: worst,
    quantity,
    ...('notionalAtoms' in terms && { notional: BigInt(terms.notionalAtoms) }),
    restingMayOpen: permits(world, market, 'open_risk'),
  };
  const matches = matchesOf(world, market, incoming);
  const crosses = matches.leavesCrossing || matches.steps.some(({ kind }) => kind !== 'margin_unbacked');
  refuseIf(terms.kind === 'limit' && terms.postOnly && crosses, 'post_only_would_cross', bestAgainst(world, market, side));
  const accepted = acceptedOf(market, request, quantity, matches);
  if ('notionalAtoms' in terms) checkNotional(world, market, request, matches, accepted, quantity, BigInt(minQuantityAtoms));
  const initialMarginBps = initialMarginBpsAt(exposureOf(world, market, account, request), market.specification);
  const isBoundByBankruptcy = worst !== limit;
  const plan = { account, request, closable, quantity, isBoundByBankruptcy, matches, accepted, initialMarginBps };
  return { ...plan, rest: restOf(world, plan) };
}

/** An order without a price gets the end of the band. By notional, it gets what fills and what the rest of the money buys there. */
function acceptedOf(market: Market, { side, terms, reduceOnly }: OrderRequest, quantity: bigint, matches: Matches): Accepted {
  if (terms.kind === 'limit') return { kind: 'limit', price: BigInt(terms.priceAtoms), quantity: BigInt(terms.quantityAtoms) };
  if (terms.kind === 'market') return { kind: 'market', price: 0n, quantity: BigInt(terms.quantityAtoms) };
  if (terms.kind === 'market_notional') return { kind: 'market_notional', price: 0n, quantity: 0n };
  const price = bandPriceOf(market, side);
  if (!('notionalAtoms' in terms)) return { kind: 'limit', price, quantity: BigInt(terms.quantityAtoms) };
  const filled = filledBaseOf(matches);
  const hasReducedAll = reduceOnly && filled === quantity;
  const unspent = BigInt(terms.notionalAtoms) - filledNotionalOf(market, matches);
  const buys = matches.end === 'filled' && !hasReducedAll ? 0n : floorDiv(unspent, notionalOf(market, price, 1n));
  return { kind: 'limit', price, quantity: smaller(filled + buys, BigInt(market.specification.maxQuantityAtoms)) };
}

/** An order by notional must buy at least the smallest quantity, unless there is less to reduce or to fill. */
function checkNotional(
  world: World,
  market: Market,
  { side }: OrderRequest,
  matches: Matches,
  accepted: Accepted,
  quantity: bigint,
  least: bigint,
): void {
  const isLimit = accepted.kind === 'limit';
  const buys = isLimit ? accepted.quantity : filledBaseOf(matches);
  if (buys >= least || buys >= quantity || !(isLimit || matches.end === 'filled')) return;
  const best = bestAgainst(world, market, side);
  const band = bandPriceOf(market, side);
  const price = !isLimit ? best : side === 'buy' ? band : larger(best, band);
  throw new Refused('notional_too_small', notionalOf(market, price, least));
}

function accept(world: World, market: Market, { account, accepted, initialMarginBps }: Placement, command: PlaceOrder): number {
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
    leverageX: command.leverageX,
    initialMarginBps,
    origin: 'client',
    markPriceAtoms: market.mark,
  });
  return order;
}

function termsFact(terms: Terms, { price, quantity }: Accepted): Terms | Record<string, unknown> {
  if (terms.kind !== 'band_limit' && terms.kind !== 'band_notional') return terms;
  const limit = { kind: 'limit', priceAtoms: price, quantityAtoms: quantity, postOnly: false };
  return 'notionalAtoms' in terms ? { ...limit, notionalAtoms: terms.notionalAtoms } : limit;
}

/** Ends the orders that may not trade, then fills. Returns whether the order opened anything. */
function fill(world: World, market: Market, placement: Placement, order: number): boolean {
  const { account, request, matches, accepted, initialMarginBps, rest } = placement;
  const { side } = request;
  for (const { order: met, kind } of matches.steps) if (kind !== 'fill') cancelOrder(world, met, kind);
  const fills = matches.steps.filter(({ kind }) => kind === 'fill');
  let filled = 0n;
  let hasOpened = false;
  for (const [index, { order: met, quantity }] of fills.entries()) {
    filled += quantity;
    if (closableBy(side, positionOf(market, account)) < quantity) hasOpened = true;
    const trade = executeTrade(world, market, 'client', side, met.price, quantity);
    const fee = feeOf(trade.notional, market.specification.takerFeeBps);
    fillMaker(world, market, met, trade, fee);
    const terms = { side, placedAtMark: market.mark, leverageX: BigInt(request.leverageX), initialMarginBps };
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

function restOf(
  world: World,
  { account, request, closable, quantity, isBoundByBankruptcy, matches, accepted }: Omit<Placement, 'rest'>,
): Rest {
  const filled = filledBaseOf(matches);
  const hasReducedAll = request.reduceOnly && filled === quantity;
  if (accepted.kind === 'market_notional') {
    if (matches.end !== 'filled') return { kind: 'cancelled', reason: reasonOf(matches, isBoundByBankruptcy) };
    return hasReducedAll ? { kind: 'cancelled', reason: 'reduce_only' } : { kind: 'nothing' };
  }
  const left = accepted.quantity - filled;
  if (left === 0n) return { kind: 'nothing' };
  if (hasReducedAll) return { kind: 'cancelled', reason: 'reduce_only' };
  const isStopped = matches.end === 'met' || matches.leavesCrossing || (matches.end === 'price' && isBoundByBankruptcy);
  if (accepted.kind === 'market' || isStopped) return { kind: 'cancelled', reason: reasonOf(matches, isBoundByBankruptcy) };
  if (!request.reduceOnly) return { kind: 'rests', quantity: left };
  const order = orderOf(Number.MAX_SAFE_INTEGER, account, request, accepted, left, 0n, 0n);
  const reducible = reducibleBeside(world, order, closable - filled);
  return reducible === 0n ? { kind: 'cancelled', reason: 'reduce_only' } : { kind: 'rests', quantity: smaller(left, reducible) };
}

function reasonOf({ end, leavesCrossing }: Matches, isBoundByBankruptcy: boolean): string {
  if (end === 'met') return 'fill_limit';
  if (end !== 'price' || leavesCrossing) return 'no_liquidity';
  return isBoundByBankruptcy ? 'bankruptcy_price' : 'price_band';
}

function orderOf(
  order: number,
  account: number,
  { market, side, reduceOnly, leverageX }: OrderRequest,
  { price }: Accepted,
  remaining: bigint,
  initialMarginBps: bigint,
  placedAtMark: bigint,
): Order {
  return {
    order,
    account,
    market,
    side,
    price,
    remaining,
    reduceOnly,
    leverageX: BigInt(leverageX),
    initialMarginBps,
    placedAtMark,
  };
}

/** Returns the quantity that rests. */
function endOrRest(world: World, market: Market, placement: Placement, order: number): bigint {
  const { account, request, accepted, matches, initialMarginBps, rest } = placement;
  const left = accepted.kind === 'market_notional' ? 0n : accepted.quantity - filledBaseOf(matches);
  cutChanged(world, market);
  if (rest.kind === 'rests') {
    const resting = orderOf(order, account, request, accepted, rest.quantity, initialMarginBps, market.mark);
    if (rest.quantity < left) noteCut(world, resting, left - rest.quantity, false);
    world.orders.push(resting);
    noteRested(world, resting);
    if (request.reduceOnly) cutReduceOnly(world, market, account);
    return rest.quantity;
  }
  if (rest.kind === 'cancelled') {
    note(world, {
      type: 'OrderCancelled',
      order,
      account,
      market: market.ordinal,
      side: request.side,
      reason: rest.reason,
      wasResting: false,
      priceAtoms: accepted.price,
      remainingAtoms: left,
      accountReservedAtoms: reservedOf(world, account),
    });
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
