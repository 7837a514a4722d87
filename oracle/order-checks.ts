/** What refuses an order before it is matched. The first rule that it breaks decides. */
import type { OrderRequest } from './command.ts';
import { closableBy } from './equity.ts';
import { maxLeverageAt, notionalOf, restingOf } from './margin.ts';
import { bandPriceOf } from './mark.ts';
import { Refused, refuseIf } from './refused.ts';
import { indexStatusOf, permits } from './status.ts';
import type { Market, World } from './world.ts';
import { accountOf, marketOf, ordersOf, positionOf } from './world.ts';

const CLIENT_ORDER_ID_MS = 86_400_000n;
const MAX_OPEN_POSITIONS = 50_000;
const MAX_OPEN_ORDERS = 500;
const MAX_REDUCE_ONLY_ORDERS = 20;

/** Returns the market of an order that may be matched. */
export function checkOrder(world: World, account: number, request: OrderRequest): Market {
  const owner = accountOf(world, account);
  refuseIf(owner === undefined, 'account_not_found');
  refuseIf(owner!.partyId === '', 'account_not_enabled');
  const earlier = world.clientOrderIds.find(
    (used) => used.account === account && used.id === request.clientOrderId && used.takenAt + CLIENT_ORDER_ID_MS > world.now,
  );
  if (earlier !== undefined) throw new Refused('duplicate_client_order_id', 0n, earlier.order);
  const market = marketOf(world, request.market);
  if (market === undefined) throw new Refused('market_not_found');
  refuseIf(market.mark === 0n, 'mark_price_unavailable');
  checkActivity(world, market, request.reduceOnly);
  const { maxLeverageX } = market.specification;
  refuseIf(request.leverageX > maxLeverageX, 'leverage_too_high', BigInt(maxLeverageX));
  const position = positionOf(market, account);
  const isFull = position === undefined && market.positions.length >= MAX_OPEN_POSITIONS;
  refuseIf(isFull, 'too_many_positions', BigInt(MAX_OPEN_POSITIONS));
  refuseIf(request.reduceOnly && closableBy(request.side, position) === 0n, 'reduce_only_would_increase');
  checkCounts(world, market, account, request);
  checkTerms(market, request);
  checkLeverage(market, request, exposureOf(world, market, account, request));
  return market;
}

function checkActivity(world: World, market: Market, reduceOnly: boolean): void {
  if (permits(world, market, reduceOnly ? 'reduce' : 'open_risk')) return;
  refuseIf(market.status !== 'open' && market.status !== 'reduce_only', 'market_not_open');
  refuseIf(market.status === 'open' && indexStatusOf(world, market) !== 'current', 'index_not_current');
  throw new Refused('market_reduce_only');
}

/** Orders that may rest are limited in number. */
function checkCounts(world: World, market: Market, account: number, { terms, reduceOnly }: OrderRequest): void {
  if (terms.kind === 'market' || terms.kind === 'market_notional') return;
  const own = ordersOf(world, market, account);
  refuseIf(own.length >= MAX_OPEN_ORDERS, 'too_many_open_orders', BigInt(MAX_OPEN_ORDERS));
  const isFull = reduceOnly && own.filter((order) => order.reduceOnly).length >= MAX_REDUCE_ONLY_ORDERS;
  refuseIf(isFull, 'too_many_open_orders', BigInt(MAX_REDUCE_ONLY_ORDERS));
}

function checkTerms(market: Market, { terms, side }: OrderRequest): void {
  const { minPriceAtoms, maxPriceAtoms, minQuantityAtoms, maxQuantityAtoms } = market.specification;
  const [least, most] = [BigInt(minQuantityAtoms), BigInt(maxQuantityAtoms)];
  if ('notionalAtoms' in terms) {
    refuseIf(terms.notionalAtoms < 1, 'notional_too_small', notionalOf(market, market.mark, least));
    refuseIf(BigInt(terms.notionalAtoms) > notionalOf(market, market.mark, most), 'quantity_out_of_bounds', most);
    return;
  }
  refuseIf(terms.quantityAtoms < minQuantityAtoms, 'quantity_out_of_bounds', least);
  refuseIf(terms.quantityAtoms > maxQuantityAtoms, 'quantity_out_of_bounds', most);
  if (terms.kind !== 'limit') return;
  refuseIf(terms.priceAtoms < minPriceAtoms, 'price_out_of_bounds', BigInt(minPriceAtoms));
  refuseIf(terms.priceAtoms > maxPriceAtoms, 'price_out_of_bounds', BigInt(maxPriceAtoms));
  const band = bandPriceOf(market, side);
  const price = BigInt(terms.priceAtoms);
  refuseIf(side === 'buy' ? price > band : price < band, 'price_out_of_band', band);
}

/** The notional of the order, of the resting orders of its account, and of the position unless the order is against it. */
export function exposureOf(world: World, market: Market, account: number, { terms, side }: OrderRequest): bigint {
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

function checkLeverage(market: Market, { leverageX }: OrderRequest, exposure: bigint): void {
  const highest = maxLeverageAt(exposure, market.specification);
  refuseIf(BigInt(leverageX) > highest, 'leverage_too_high', highest);
}
