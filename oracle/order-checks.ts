/** What refuses an order before it is matched. The first rule that it breaks decides. */
import type { OrderRequest, Side, Terms } from './command.ts';
import { closableBy } from './equity.ts';
import { maxLeverageAt, notionalOf, ONE_X, restingOf } from './margin.ts';
import { bandPriceOf } from './mark.ts';
import { initialMarginIn, openInterestOf } from './open-interest.ts';
import { Refused, refuseIf } from './refused.ts';
import { indexStatusOf, permits } from './status.ts';
import type { Market, World } from './world.ts';
import { accountOf, marketOf, ordersOf, positionOf } from './world.ts';

const CLIENT_ORDER_ID_MS = 86_400_000n;
const MIN_EXPIRY_MS = 1_000n;
const MAX_EXPIRY_MS = 90n * 86_400_000n;
const MAX_OPEN_POSITIONS = 50_000;
const MAX_OPEN_ORDERS = 500;
const MAX_REDUCE_ONLY_ORDERS = 20;

/** Returns the market of an order that may be matched if its legs and its leverage are right. */
export function checkOrder(world: World, account: number, request: OrderRequest): Market {
  const market = checkSender(world, account, request);
  checkInMarket(world, market, account, request);
  checkCounts(world, market, account, request);
  checkTerms(world, market, request, 0n);
  return market;
}

/** Checks the account and the name of an order. Returns its market. */
export function checkSender(world: World, account: number, request: OrderRequest): Market {
  const owner = accountOf(world, account);
  refuseIf(owner === undefined, 'account_not_found');
  refuseIf(owner!.partyId === '', 'account_not_enabled');
  const earlier = orderNamed(world, account, request.clientOrderId);
  if (earlier !== undefined) throw new Refused('duplicate_client_order_id', 0n, earlier);
  const market = marketOf(world, request.market);
  if (market === undefined) throw new Refused('market_not_found');
  return market;
}

/** The order of an account that has taken a client order id within a day. */
export function orderNamed(world: World, account: number, clientOrderId: string): number | undefined {
  return world.clientOrderIds.find(
    (used) => used.account === account && used.id === clientOrderId && used.takenAt + CLIENT_ORDER_ID_MS > world.now,
  )?.order;
}

/** Checks an order whose price is reached. The size of one that reduces follows from fills or from the position: it may be any. */
export function checkTriggered(world: World, market: Market, account: number, request: OrderRequest): void {
  checkInMarket(world, market, account, request);
  checkCounts(world, market, account, request);
  if (!request.reduceOnly) checkTerms(world, market, request, 0n);
  else if (request.terms.kind === 'limit') checkPrice(market, request.side, request.terms.priceAtoms);
  checkLeverage(world, market, account, request);
}

/** Checks the order that an amendment places again. What it has filled counts toward its quantity. */
export function checkAmended(world: World, market: Market, account: number, request: OrderRequest, filled: bigint): void {
  refuseIf(accountOf(world, account)!.partyId === '', 'account_not_enabled');
  checkInMarket(world, market, account, request);
  checkTerms(world, market, request, filled);
  checkLeverage(world, market, account, request);
}

function checkInMarket(world: World, market: Market, account: number, request: OrderRequest): void {
  refuseIf(market.mark === 0n, 'mark_price_unavailable');
  checkActivity(world, market, request.reduceOnly);
  const { maxLeverageX } = market.specification;
  refuseIf(BigInt(request.leverageHundredths) > BigInt(maxLeverageX) * ONE_X, 'leverage_too_high', BigInt(maxLeverageX));
  const position = positionOf(market, account);
  const isFull = position === undefined && market.positions.length >= MAX_OPEN_POSITIONS;
  refuseIf(isFull, 'too_many_positions', BigInt(MAX_OPEN_POSITIONS));
  refuseIf(request.reduceOnly && closableBy(request.side, position) === 0n, 'reduce_only_would_increase');
}

export function checkActivity(world: World, market: Market, reduceOnly: boolean): void {
  if (permits(world, market, reduceOnly ? 'reduce' : 'open_risk')) return;
  refuseIf(market.status !== 'open' && market.status !== 'reduce_only', 'market_not_open');
  refuseIf(market.status === 'open' && indexStatusOf(world, market) !== 'current', 'index_not_current');
  throw new Refused('market_reduce_only');
}

/** Orders that may rest are limited in number. */
function checkCounts(world: World, market: Market, account: number, { terms, reduceOnly }: OrderRequest): void {
  const isImmediate = terms.timeInForce === 'IOC' || terms.timeInForce === 'FOK';
  if (terms.kind === 'market' || terms.kind === 'market_notional' || isImmediate) return;
  const own = ordersOf(world, market, account);
  refuseIf(own.length >= MAX_OPEN_ORDERS, 'too_many_open_orders', BigInt(MAX_OPEN_ORDERS));
  const isFull = reduceOnly && own.filter((order) => order.reduceOnly).length >= MAX_REDUCE_ONLY_ORDERS;
  refuseIf(isFull, 'too_many_open_orders', BigInt(MAX_REDUCE_ONLY_ORDERS));
}

function checkTerms(world: World, market: Market, { terms, side }: OrderRequest, filled: bigint): void {
  checkExpiry(world, terms);
  const { minQuantityAtoms, maxQuantityAtoms } = market.specification;
  const [least, most] = [BigInt(minQuantityAtoms), BigInt(maxQuantityAtoms)];
  if ('notionalAtoms' in terms) {
    refuseIf(terms.notionalAtoms < 1, 'notional_too_small', notionalOf(market, market.mark, least));
    refuseIf(BigInt(terms.notionalAtoms) > notionalOf(market, market.mark, most), 'quantity_out_of_bounds', most);
    return;
  }
  checkQuantity(market, BigInt(terms.quantityAtoms) + filled);
  if (terms.kind === 'limit') checkPrice(market, side, terms.priceAtoms);
}

function checkPrice(market: Market, side: Side, priceAtoms: number): void {
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  refuseIf(priceAtoms < minPriceAtoms, 'price_out_of_bounds', BigInt(minPriceAtoms));
  refuseIf(priceAtoms > maxPriceAtoms, 'price_out_of_bounds', BigInt(maxPriceAtoms));
  const band = bandPriceOf(market, side);
  const price = BigInt(priceAtoms);
  refuseIf(side === 'buy' ? price > band : price < band, 'price_out_of_band', band);
}

export function checkQuantity({ specification }: Market, quantity: bigint): void {
  const [least, most] = [BigInt(specification.minQuantityAtoms), BigInt(specification.maxQuantityAtoms)];
  refuseIf(quantity < least, 'quantity_out_of_bounds', least);
  refuseIf(quantity > most, 'quantity_out_of_bounds', most);
}

/** An expiry is between a second and 90 days ahead. */
function checkExpiry({ now }: World, { timeInForce, expiresAtEpochMs }: Terms): void {
  if (timeInForce !== 'GTD') return;
  const expiresAt = BigInt(expiresAtEpochMs!);
  refuseIf(expiresAt < now + MIN_EXPIRY_MS, 'expiry_out_of_bounds', now + MIN_EXPIRY_MS);
  refuseIf(expiresAt > now + MAX_EXPIRY_MS, 'expiry_out_of_bounds', now + MAX_EXPIRY_MS);
}

/** The notional of the order, of the resting orders of its account, and of the position unless the order is against it. */
function exposureOf(world: World, market: Market, account: number, { terms, side }: OrderRequest): bigint {
  const position = positionOf(market, account);
  const enlarged = position !== undefined && closableBy(side, position) === 0n ? position.entry : 0n;
  return orderNotionalOf(market, { terms, side }) + restingOf(world, market, account).notional + enlarged;
}

function orderNotionalOf(market: Market, { terms, side }: Pick<OrderRequest, 'terms' | 'side'>): bigint {
  if ('notionalAtoms' in terms) return BigInt(terms.notionalAtoms);
  if (terms.kind === 'limit') return notionalOf(market, BigInt(terms.priceAtoms), BigInt(terms.quantityAtoms));
  const price = terms.kind === 'band_limit' ? bandPriceOf(market, side) : market.mark;
  return notionalOf(market, price, BigInt(terms.quantityAtoms));
}

/** The rate of the exposure, at an open interest as if all of the order opened. What only closes needs no more for it. */
export function initialMarginOf(world: World, market: Market, account: number, request: OrderRequest): bigint {
  const { side, terms, reduceOnly } = request;
  const closable = closableBy(side, positionOf(market, account));
  const onlyCloses = reduceOnly || ('quantityAtoms' in terms && BigInt(terms.quantityAtoms) <= closable);
  const openInterest = onlyCloses ? 0n : openInterestOf(market) + orderNotionalOf(market, request);
  return initialMarginIn(market.specification, exposureOf(world, market, account, request), openInterest);
}

export function checkLeverage(world: World, market: Market, account: number, request: OrderRequest): void {
  const highest = maxLeverageAt(initialMarginOf(world, market, account, request), market.specification);
  refuseIf(BigInt(request.leverageHundredths) > highest * ONE_X, 'leverage_too_high', highest);
}
