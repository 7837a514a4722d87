/** Checks an order before matching: its account, then its market, size and price. The first failed check refuses it. */
import { ONE_X } from '#units/leverage.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import { plus } from '#units/money.ts';
import { type Account, retirementOf } from '#venue/account/account.ts';
import type { Market } from '#venue/market/market.ts';
import type { OrderTerms, PlaceOrder, Side } from '#venue/order/order-terms.ts';
import { MAX_OPEN_POSITIONS } from '#venue/position/open-positions.ts';
import { closableBy } from '#venue/position/position.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_PRICE } from './book.ts';
import { checkExpiry, inForceOf } from './time-in-force.ts';

/** The maximum number of open orders of an account in one market. */
export const MAX_OPEN_ORDERS = 500;
/** The maximum number of them that are reduce-only. All of these are cancelled in one turn when the position closes. */
export const MAX_REDUCE_ONLY_ORDERS = 20;

export function checkOrder(turn: Turn, command: PlaceOrder): Refusal | undefined {
  const refusal = checkSender(turn, command);
  if (refusal !== undefined) return refusal;
  const market = turn.state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  return checkInMarket(turn, turn.state.account(command.account)!, market, command) ?? checkTerms(turn, market, command);
}

/** Checks the account, what the venue permits, and the client order id. An amended order keeps its own. */
export function checkSender({ state, now, plan }: Turn, command: PlaceOrder): Refusal | undefined {
  const account = state.account(command.account);
  if (account === undefined) return { code: 'account_not_found' };
  if (account.isRetired) return retirementOf(account);
  if (account.partyId === '') return { code: 'account_not_enabled' };
  const stopped = checkIntake(state.switches, command.reduceOnly ? 'reduce' : 'open_risk', 'trading');
  if (stopped !== undefined) return stopped;
  const earlier = plan.replaced.isBlank ? state.clientOrderIds.orderOf(account, command.clientOrderId, now) : undefined;
  return earlier === undefined ? undefined : { code: 'duplicate_client_order_id', order: earlier };
}

/** Checks what the market permits, and the account's position and open orders in it. */
export function checkInMarket({ now, plan }: Turn, account: Account, market: Market, command: PlaceOrder): Refusal | undefined {
  if (market.markPriceAtoms === NO_PRICE) return { code: 'mark_price_unavailable' };
  if (!market.permits(command.reduceOnly ? 'reduce' : 'open_risk', now)) return checkMarketActivity(market, now);
  const { maxLeverageX } = market.specification;
  if (command.leverageHundredths > maxLeverageX * ONE_X) return { code: 'leverage_too_high', bound: maxLeverageX };
  const position = account.positions[market.ordinal];
  if (position === undefined || position.signedBaseAtoms === 0) {
    if (market.positions.count >= MAX_OPEN_POSITIONS) return { code: 'too_many_positions', bound: MAX_OPEN_POSITIONS };
  }
  if (command.reduceOnly && (position === undefined || closableBy(command.side, position) === 0)) {
    return { code: 'reduce_only_would_increase' };
  }
  if (plan.replaced.isBlank && mayRest(command.terms) && position !== undefined) {
    if (position.openOrders >= MAX_OPEN_ORDERS) return { code: 'too_many_open_orders', bound: MAX_OPEN_ORDERS };
    const isFull = command.reduceOnly && position.reduceOnlyOrders >= MAX_REDUCE_ONLY_ORDERS;
    if (isFull) return { code: 'too_many_open_orders', bound: MAX_REDUCE_ONLY_ORDERS };
  }
  return undefined;
}

function mayRest(terms: OrderTerms): boolean {
  const { timeInForce } = inForceOf(terms);
  return terms.kind !== 'market' && terms.kind !== 'market_notional' && timeInForce !== 'IOC' && timeInForce !== 'FOK';
}

/** A refusal of an order that the market does not permit now. */
export interface ActivityRefusal extends Refusal {
  readonly code: 'market_not_open' | 'index_not_current' | 'market_reduce_only';
}

/** The refusal of an order that the market does not permit now, because of its status, its index price or due liquidations. */
export function checkMarketActivity(market: Market, now: EpochMs): ActivityRefusal {
  const status = market.limitedStatus;
  if (status !== 'open' && status !== 'reduce_only') return { code: 'market_not_open' };
  return {
    code: status === 'open' && market.indexStatusAt(now) !== 'current' ? 'index_not_current' : 'market_reduce_only',
  };
}

/** Checks size, price and expiry. What has filled of an amended order counts toward its quantity. */
export function checkTerms({ now, plan }: Turn, market: Market, { terms, side }: PlaceOrder): Refusal | undefined {
  const { minQuantityAtoms, maxQuantityAtoms } = market.specification;
  const outOfTime = checkExpiry(terms, now);
  if (outOfTime !== undefined) return outOfTime;
  if (terms.kind === 'market_notional' || terms.kind === 'band_notional') {
    const maxNotional = market.notional(market.markPriceAtoms, maxQuantityAtoms);
    if (terms.notionalAtoms < 1)
      return { code: 'notional_too_small', bound: market.notional(market.markPriceAtoms, minQuantityAtoms) };
    return terms.notionalAtoms > maxNotional ? { code: 'quantity_out_of_bounds', bound: maxQuantityAtoms } : undefined;
  }
  return checkQuantity(market, plus(terms.quantityAtoms, plan.replaced.filledAtoms)) ?? checkLimitPrice(market, terms, side);
}

/** Checks the price of a limit order. Other orders have none. */
export function checkLimitPrice(market: Market, terms: OrderTerms, side: Side): Refusal | undefined {
  if (terms.kind !== 'limit') return undefined;
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  if (terms.priceAtoms < minPriceAtoms) return { code: 'price_out_of_bounds', bound: minPriceAtoms };
  if (terms.priceAtoms > maxPriceAtoms) return { code: 'price_out_of_bounds', bound: maxPriceAtoms };
  const bandPrice = market.bandPrice(side);
  const isOutside = side === 'buy' ? terms.priceAtoms > bandPrice : terms.priceAtoms < bandPrice;
  return isOutside ? { code: 'price_out_of_band', bound: bandPrice } : undefined;
}

/** A refusal of a quantity that the market permits no order to have. */
export interface QuantityRefusal extends Refusal {
  readonly code: 'quantity_out_of_bounds';
}

export function checkQuantity({ specification }: Market, quantity: BaseAtoms): QuantityRefusal | undefined {
  const { minQuantityAtoms, maxQuantityAtoms } = specification;
  if (quantity < minQuantityAtoms) return { code: 'quantity_out_of_bounds', bound: minQuantityAtoms };
  return quantity > maxQuantityAtoms ? { code: 'quantity_out_of_bounds', bound: maxQuantityAtoms } : undefined;
}
