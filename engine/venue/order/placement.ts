/**
 * Placing an order: `planPlacement` reads and refuses or says what will happen, `commitPlacement` makes it happen.
 * What an order may spend is decided on the fills that it will really have, not on an estimate.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { AcceptedTerms, LimitTerms, OrderTerms, PlaceOrder, Side } from '#venue/command.ts';
import type { CancelReason } from '#venue/event.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import { blankHolding, closableBy } from '#venue/position/position.ts';
import type { ImmediateCancelReason } from '#venue/preview.ts';
import type { Draft, EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
import type { VenueState } from '#venue/state.ts';
import { refusalOfLeverage, refusalOfMargin } from './affordability.ts';
import { NO_PRICE } from './book.ts';
import { FILL, Incoming, MatchPlan, planMatches } from './matching.ts';
import { cancelMet } from './met-orders.ts';
import { refusalOfOrder } from './order-rules.ts';
import { RestingOrder } from './order-table.ts';
import { endIdleReduceOnly } from './reduce-only.ts';
import { restOrder } from './resting.ts';
import { settleMatch, Taker } from './settlement.ts';

/** What placing an order will do. One plan is reused for every turn: it is valid until the next is made. */
export class PlacementPlan {
  readonly matches = new MatchPlan();
  /** The rate at which it reserves where no leverage is asked for. */
  initialMarginBps = 0 as Bps;
  /** What the order is accepted with. */
  terms: AcceptedTerms = { kind: 'market', quantityAtoms: ZERO_BASE };
  /** The worst price that it may fill at, and whether that is for the sake of the position that it closes. */
  limitPriceAtoms: PriceAtoms = NO_PRICE;
  isBoundByBankruptcy = false;
  /** What goes into the book. */
  restsAtoms: BaseAtoms = ZERO_BASE;
  /** Why what neither fills nor rests is cancelled; `undefined` where nothing is left. */
  cancels: ImmediateCancelReason | undefined;
}

/** What goes into the book, with what its account holds then: the event tells of both. */
class RestedOrder extends RestingOrder {
  accountReservedAtoms = ZERO_QUOTE;
}

const holding = blankHolding();
/** What a turn tells and asks with, filled in anew for each order. */
const incoming = new Incoming();
const taker = new Taker();
const accepted: Draft<'OrderAccepted'> = {
  order: 0 as OrderOrdinal,
  account: 0 as AccountOrdinal,
  market: 0 as MarketOrdinal,
  clientOrderId: '',
  idempotencyKey: '',
  side: 'buy',
  terms: { kind: 'market', quantityAtoms: ZERO_BASE },
  reduceOnly: false,
  leverageX: 0,
  initialMarginBps: 0 as Bps,
  origin: 'client',
  markPriceAtoms: NO_PRICE,
};
const rested = new RestedOrder();

/** Fills `plan`, or answers why not. Changes nothing. */
export function planPlacement(state: VenueState, command: PlaceOrder, now: EpochMs, plan: PlacementPlan): Refusal | undefined {
  const refusal = refusalOfOrder(state, command, now);
  if (refusal !== undefined) return refusal;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const { terms, side } = command;
  const refusalOfRate = refusalOfLeverage(account, market, command, plan);
  if (refusalOfRate !== undefined) return refusalOfRate;
  const notional = notionalOf(terms);
  const asked = 'quantityAtoms' in terms ? terms.quantityAtoms : market.specification.maxQuantityAtoms;
  const closable = closableBy(side, account.holdingIn(market.ordinal));
  const quantity = command.reduceOnly && closable < asked ? closable : asked;
  planLimitPrice(account, market, command, closable, plan);
  incoming.account = command.account;
  incoming.side = side;
  incoming.limitPrice = plan.limitPriceAtoms;
  incoming.quantity = quantity;
  incoming.notional = notional;
  // Whoever may open here was asked that already.
  incoming.mayOpen = !command.reduceOnly || market.permits('open_risk', now);
  planMatches(state, market, incoming, plan.matches);
  if (terms.kind === 'limit' && terms.postOnly && plan.matches.isCrossing) {
    return { code: 'post_only_would_cross', bound: market.book.bestAgainst(side) };
  }
  plan.terms = acceptedTerms(market, command, quantity, plan);
  if (notional !== undefined && isTooSmall(market, plan, quantity)) {
    return { code: 'notional_too_small', bound: smallestNotional(market, command) };
  }
  planRemainder(command, quantity, plan);
  return refusalOfMargin(state, account, market, command, plan);
}

export function commitPlacement(
  state: VenueState,
  command: PlaceOrder,
  now: EpochMs,
  plan: PlacementPlan,
  events: EventWriter,
): void {
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const order = state.nextOrder();
  state.clientOrderIds.take(account, command.clientOrderId, order, now);
  const { clientOrderId, idempotencyKey, side, reduceOnly, leverageX } = command;
  const { terms } = plan;
  accepted.order = order;
  accepted.account = account.ordinal;
  accepted.market = market.ordinal;
  accepted.clientOrderId = clientOrderId;
  accepted.idempotencyKey = idempotencyKey;
  accepted.side = side;
  accepted.terms = terms;
  accepted.reduceOnly = reduceOnly;
  accepted.leverageX = leverageX;
  accepted.initialMarginBps = plan.initialMarginBps;
  accepted.markPriceAtoms = market.markPriceAtoms;
  events.orderAccepted(accepted);
  let remaining = terms.kind === 'market_notional' ? ZERO_BASE : terms.quantityAtoms;
  if (plan.matches.count > 0) remaining = commitMatches(state, market, account, order, command, plan, events);
  if (plan.restsAtoms > 0) rest(state, market, account, order, command, plan, events);
  if (plan.cancels !== undefined) tellOfRemainder(market, account, order, command.side, plan, plan.cancels, remaining, events);
}

/** Answers what remains of the order's quantity. */
function commitMatches(
  state: VenueState,
  market: Market,
  account: Account,
  order: OrderOrdinal,
  { side, leverageX }: PlaceOrder,
  plan: PlacementPlan,
  events: EventWriter,
): BaseAtoms {
  const { matches, terms } = plan;
  taker.account = account;
  taker.order = order;
  taker.side = side;
  taker.leverageX = leverageX;
  taker.initialMarginBps = plan.initialMarginBps;
  let remaining = terms.kind === 'market_notional' ? ZERO_BASE : terms.quantityAtoms;
  // Who leaves does so first, so that what own orders held is there for the fills.
  cancelMet(state, matches, events);
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const quantity = matches.quantityAt(step);
    if (terms.kind !== 'market_notional') remaining = minus(remaining, quantity);
    const isComplete = step === matches.lastFill && plan.restsAtoms === 0 && plan.cancels === undefined;
    settleMatch(state, market, matches.slotAt(step), quantity, taker, remaining, isComplete, events);
  }
  endIdleReduceOnly(state, events);
  return remaining;
}

function rest(
  state: VenueState,
  market: Market,
  account: Account,
  order: OrderOrdinal,
  { side, reduceOnly, leverageX }: PlaceOrder,
  { terms, restsAtoms: remainingAtoms, initialMarginBps }: PlacementPlan,
  events: EventWriter,
): void {
  const { priceAtoms } = terms as LimitTerms;
  rested.order = order;
  rested.account = account.ordinal;
  rested.market = market.ordinal;
  rested.side = side;
  rested.priceAtoms = priceAtoms;
  rested.remainingAtoms = remainingAtoms;
  rested.reduceOnly = reduceOnly;
  rested.leverageX = leverageX;
  rested.markPriceAtoms = market.markPriceAtoms;
  rested.initialMarginBps = initialMarginBps;
  restOrder(state, market, account, rested);
  rested.accountReservedAtoms = account.reservedAtoms;
  events.orderRested(rested);
}

function tellOfRemainder(
  market: Market,
  account: Account,
  order: OrderOrdinal,
  side: Side,
  { terms }: PlacementPlan,
  reason: CancelReason,
  remainingAtoms: BaseAtoms,
  events: EventWriter,
): void {
  events.orderCancelled({
    order,
    account: account.ordinal,
    market: market.ordinal,
    side,
    reason,
    wasResting: false,
    priceAtoms: terms.kind === 'limit' ? terms.priceAtoms : NO_PRICE,
    remainingAtoms,
    accountReservedAtoms: account.reservedAtoms,
  });
}

/** An order that closes goes no further than the position can pay: what is worse is for the liquidation to settle. */
function planLimitPrice(
  account: Account,
  market: Market,
  { side, terms }: PlaceOrder,
  closable: BaseAtoms,
  plan: PlacementPlan,
): void {
  const limit = terms.kind === 'limit' ? terms.priceAtoms : market.bandPrice(side);
  plan.limitPriceAtoms = limit;
  plan.isBoundByBankruptcy = false;
  if (closable === 0) return;
  fundedHolding(market, account.positionIn(market.ordinal), holding);
  const bound = closingPriceBoundOf(holding, market.tickLotAtoms, market.specification.takerFeeBps);
  plan.limitPriceAtoms = side === 'buy' ? smallerOf(limit, bound) : largerOf(limit, bound);
  plan.isBoundByBankruptcy = plan.limitPriceAtoms !== limit;
}

function notionalOf(terms: OrderTerms): QuoteAtoms | undefined {
  return terms.kind === 'market_notional' || terms.kind === 'band_notional' ? terms.notionalAtoms : undefined;
}

/**
 * Without a price the band is the limit. The quantity of an order by notional is what fills at once, and what the rest of its
 * notional pays for at the limit, in whole lots, rounded down.
 */
function acceptedTerms(
  market: Market,
  { side, terms, reduceOnly }: PlaceOrder,
  quantity: BaseAtoms,
  plan: PlacementPlan,
): AcceptedTerms {
  if (terms.kind !== 'band_limit' && terms.kind !== 'band_notional') return terms;
  const priceAtoms = market.bandPrice(side);
  if (terms.kind === 'band_limit') return { kind: 'limit', priceAtoms, quantityAtoms: terms.quantityAtoms, postOnly: false };
  const { notionalAtoms } = terms;
  const { filledBase, filledNotional, end } = plan.matches;
  const hasNothingToReduce = reduceOnly && filledBase === quantity;
  const unspent = minus(notionalAtoms, filledNotional);
  const left =
    end === 'filled' && !hasNothingToReduce
      ? ZERO_BASE
      : (mulDivDown<number>(unspent, 1, market.lotPrice(priceAtoms)) as BaseAtoms);
  const quantityAtoms = smallerOf(plus(filledBase, left), market.specification.maxQuantityAtoms);
  return { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false, notionalAtoms };
}

/** An order by notional that does not come to the smallest quantity, at the price that it meets or rests at. */
function isTooSmall(market: Market, { matches, terms }: PlacementPlan, quantity: BaseAtoms): boolean {
  const { filledBase, end } = matches;
  const isLimit = terms.kind === 'limit';
  const comesTo = isLimit ? terms.quantityAtoms : filledBase;
  return comesTo < market.specification.minQuantityAtoms && comesTo < quantity && (isLimit || end === 'filled');
}

/** The notional that an order by notional must have at least: the smallest quantity at the price that it meets or rests at. */
function smallestNotional(market: Market, { side, terms }: PlaceOrder): QuoteAtoms {
  const best = market.book.bestAgainst(side);
  const limit = market.bandPrice(side);
  const price = terms.kind === 'market_notional' ? best : side === 'buy' ? limit : largerOf(best, limit);
  return market.notional(price, market.specification.minQuantityAtoms);
}

/** Decides what becomes of what did not fill. */
function planRemainder(command: PlaceOrder, quantity: BaseAtoms, plan: PlacementPlan): void {
  const { matches, terms } = plan;
  plan.restsAtoms = ZERO_BASE;
  plan.cancels = undefined;
  if (terms.kind === 'market_notional') {
    const isSpent = matches.end === 'filled' && !(command.reduceOnly && matches.filledBase === quantity);
    if (!isSpent) plan.cancels = matches.end === 'filled' ? 'reduce_only' : reasonOf(plan);
    return;
  }
  const left = minus(terms.quantityAtoms, matches.filledBase);
  if (left === 0) return;
  const isStopped = matches.end === 'steps' || matches.leavesCrossing || (matches.end === 'price' && plan.isBoundByBankruptcy);
  if (command.reduceOnly && matches.filledBase === quantity) plan.cancels = 'reduce_only';
  else if (terms.kind === 'limit' && !isStopped) plan.restsAtoms = left;
  else plan.cancels = reasonOf(plan);
}

function reasonOf({ matches, isBoundByBankruptcy }: PlacementPlan): ImmediateCancelReason {
  if (matches.end === 'steps') return 'fill_limit';
  if (matches.end !== 'price' || matches.leavesCrossing) return 'no_liquidity';
  return isBoundByBankruptcy ? 'bankruptcy_price' : 'price_band';
}
