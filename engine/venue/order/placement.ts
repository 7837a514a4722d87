/**
 * Places orders. `planPlacement` refuses the order or plans its fills and remainder; `commitPlacement` carries the plan out.
 * The margin check uses the planned fills, not an estimate.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import { isWholeLeverage } from '#units/leverage.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, plus, smallerOf, ZERO_BASE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { CancelReason } from '#venue/event.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { AcceptedTerms, LimitTerms, OrderTerms, PlaceOrder, Side } from '#venue/order/order-terms.ts';
import { closableBy } from '#venue/position/position.ts';
import type { ImmediateCancelReason } from '#venue/preview.ts';
import type { ByteWriter, Cursor } from '#venue/record/cursor.ts';
import { SIDES, termsLayout, writeTerms } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
import { acceptLegs, endEntry } from '#venue/trigger/legs.ts';
import { checkAttached, commitTrigger, isTriggerPlacement, planTrigger } from '#venue/trigger/placing.ts';
import { conditionsLayout, hasConditions } from '#venue/trigger/trigger-layouts.ts';
import type { Turn } from '#venue/turn.ts';
import { checkLeverage, checkMargin } from './affordability.ts';
import { NO_PRICE } from './book.ts';
import { FILL } from './match-plan.ts';
import { cancelMatched } from './matched-orders.ts';
import { planMatches } from './matching.ts';
import { checkOrder } from './order-rules.ts';
import { endReasonOf, type PlacementPlan } from './placement-plan.ts';
import { cutChangedReduceOnly, cutReduceOnly, reducibleBeside } from './reduce-only.ts';
import { restOrder } from './resting.ts';
import { settleMatch } from './settlement.ts';
import { expiryOf } from './time-in-force.ts';

export type PlacementCommand = PlaceOrder;

export const PLACEMENT_COMMANDS: CommandRules<PlacementCommand> = {
  PlaceOrder: {
    plan: planPlacement,
    commit: commitPlacement,
    layout: {
      tag: 8,
      fields: (io, it) => placementLayout(io, it, 'wholeLeverage'),
      write: writePlacement,
      extended: [
        {
          tag: 81,
          applies: (it) => hasConditions(it) || !isWholeLeverage(it.leverageHundredths),
          fields: (io, it) => ({ ...placementLayout(io, it, 'leverage'), ...conditionsLayout(io, it) }),
        },
      ],
    },
  },
};

function placementLayout(io: Cursor, it: PlaceOrder, leverage: 'leverage' | 'wholeLeverage'): PlaceOrder {
  return {
    type: 'PlaceOrder',
    account: io.int(it.account),
    market: io.int(it.market),
    clientOrderId: io.text(it.clientOrderId),
    side: io.oneOf(SIDES, it.side),
    terms: io.part(it.terms, termsLayout),
    reduceOnly: io.flag(it.reduceOnly),
    leverageHundredths: io[leverage](it.leverageHundredths),
    idempotencyKey: io.text(it.idempotencyKey),
  };
}

function writePlacement(bytes: ByteWriter, it: PlaceOrder): void {
  bytes.int(it.account);
  bytes.int(it.market);
  bytes.text(it.clientOrderId);
  bytes.oneOf(SIDES, it.side);
  writeTerms(bytes, it.terms);
  bytes.flag(it.reduceOnly);
  bytes.wholeLeverage(it.leverageHundredths);
  bytes.text(it.idempotencyKey);
}

/** Fills the turn's plan, or returns the refusal. Changes nothing. */
export function planPlacement(turn: Turn, command: PlaceOrder): Refusal | undefined {
  if (isTriggerPlacement(command)) return planTrigger(turn, command);
  const refusal = checkOrder(turn, command);
  if (refusal !== undefined) return refusal;
  return checkAttachedTo(turn, command) ?? planChecked(turn, command);
}

function checkAttachedTo(turn: Turn, command: PlaceOrder): Refusal | undefined {
  const { state } = turn;
  return checkAttached(turn, state.account(command.account)!, state.market(command.market)!, command);
}

/** Plans an order that account and market permit. */
export function planChecked(turn: Turn, command: PlaceOrder): Refusal | undefined {
  const { state, now, plan, incoming } = turn;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const { terms, side } = command;
  const leverageRefusal = checkLeverage(turn, account, market, command);
  if (leverageRefusal !== undefined) return leverageRefusal;
  const notional = notionalOf(terms);
  const requestedQuantity = 'quantityAtoms' in terms ? terms.quantityAtoms : market.specification.maxQuantityAtoms;
  const closable = closableBy(side, account.holdingIn(market.ordinal));
  const quantity = command.reduceOnly && closable < requestedQuantity ? closable : requestedQuantity;
  planLimitPrice(turn, account, market, command, closable);
  incoming.account = command.account;
  incoming.side = side;
  incoming.limitPrice = plan.limitPriceAtoms;
  incoming.quantity = quantity;
  incoming.notional = notional;
  // `checkInMarket` has already checked this for orders that may open.
  incoming.mayOpen = !command.reduceOnly || market.permits('open_risk', now);
  planMatches(turn, market, incoming, plan.matches);
  if (terms.kind === 'limit' && terms.postOnly && plan.matches.isCrossing) {
    return { code: 'post_only_would_cross', bound: market.book.bestAgainst(side) };
  }
  plan.terms = acceptedTerms(market, command, quantity, plan);
  if (notional !== undefined && isTooSmall(market, plan, quantity)) {
    return { code: 'notional_too_small', bound: smallestNotional(market, command) };
  }
  if (isKilled(plan)) return planKill(plan);
  planRemainder(turn, account, command, quantity, closable);
  return checkMargin(turn, account, market, command);
}

export function commitPlacement(turn: Turn, command: PlaceOrder): void {
  if (isTriggerPlacement(command)) {
    commitTrigger(turn, command);
    return;
  }
  const { state, plan } = turn;
  const { orderAccepted: accepted } = turn.drafts;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const order = state.nextOrder();
  state.clientOrderIds.take(account, command.clientOrderId, order, turn.now);
  const { clientOrderId, idempotencyKey, side, reduceOnly } = command;
  const { terms } = plan;
  accepted.order = order;
  accepted.account = account.ordinal;
  accepted.market = market.ordinal;
  accepted.clientOrderId = clientOrderId;
  accepted.idempotencyKey = idempotencyKey;
  accepted.side = side;
  accepted.terms = terms;
  accepted.reduceOnly = reduceOnly;
  accepted.leverageHundredths = plan.leverageHundredths;
  accepted.initialMarginBps = plan.initialMarginBps;
  accepted.markPriceAtoms = market.markPriceAtoms;
  turn.events.orderAccepted(accepted);
  acceptLegs(turn, order, command);
  carryOut(turn, market, account, order, command);
}

/** Carries out the plan of an order that was accepted, amended or triggered. */
export function carryOut(turn: Turn, market: Market, account: Account, order: OrderOrdinal, command: PlaceOrder): void {
  const { plan } = turn;
  const { terms } = plan;
  let remaining = terms.kind === 'market_notional' ? ZERO_BASE : terms.quantityAtoms;
  if (plan.matches.count > 0) remaining = commitMatches(turn, market, account, order, command);
  if (plan.restsAtoms > 0) rest(turn, market, account, order, command);
  if (plan.cancels !== undefined) emitRemainder(turn, market, account, order, command.side, plan.cancels, remaining);
}

/** Returns the order's remaining quantity. */
function commitMatches(turn: Turn, market: Market, account: Account, order: OrderOrdinal, { side }: PlaceOrder): BaseAtoms {
  const { plan, taker } = turn;
  const { matches, terms } = plan;
  taker.account = account;
  taker.order = order;
  taker.side = side;
  taker.leverageHundredths = plan.leverageHundredths;
  taker.initialMarginBps = plan.initialMarginBps;
  let remaining = terms.kind === 'market_notional' ? ZERO_BASE : terms.quantityAtoms;
  // Cancels come first, so that the reservations of the account's own orders are available for the fills.
  cancelMatched(turn, matches);
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const quantity = matches.quantityAt(step);
    if (terms.kind !== 'market_notional') remaining = minus(remaining, quantity);
    const isComplete = step === matches.lastFill && plan.restsAtoms === 0 && plan.cancels === undefined;
    settleMatch(turn, market, matches, step, remaining, isComplete);
  }
  cutChangedReduceOnly(turn);
  return remaining;
}

function rest(turn: Turn, market: Market, account: Account, order: OrderOrdinal, { side, reduceOnly }: PlaceOrder): void {
  const { plan, rested } = turn;
  const { matches, terms, restsAtoms: remainingAtoms, leverageHundredths, initialMarginBps } = plan;
  const { priceAtoms, postOnly } = terms as LimitTerms;
  if (plan.cutAtoms > 0) emitCut(turn, market, account, order, side, priceAtoms);
  rested.order = order;
  rested.account = account.ordinal;
  rested.market = market.ordinal;
  rested.side = side;
  rested.priceAtoms = priceAtoms;
  rested.remainingAtoms = remainingAtoms;
  rested.reduceOnly = reduceOnly;
  rested.leverageHundredths = leverageHundredths;
  rested.markPriceAtoms = market.markPriceAtoms;
  rested.initialMarginBps = initialMarginBps;
  rested.filledAtoms = plus(plan.replaced.filledAtoms, matches.filledBase);
  rested.postOnly = postOnly;
  rested.expiresAtEpochMs = plan.replaced.isBlank ? expiryOf(terms) : plan.replaced.expiresAtEpochMs;
  restOrder(turn.state, market, account, rested);
  rested.accountReservedAtoms = account.reservedAtoms;
  turn.events.orderRested(rested);
  // Orders at worse prices make room for it.
  if (reduceOnly) cutReduceOnly(turn, account.positionIn(market.ordinal));
}

function emitCut(turn: Turn, market: Market, account: Account, order: OrderOrdinal, side: Side, priceAtoms: PriceAtoms): void {
  const { cutAtoms, restsAtoms: remainingAtoms } = turn.plan;
  turn.events.emit({
    type: 'OrderReduced',
    order,
    account: account.ordinal,
    market: market.ordinal,
    side,
    wasResting: false,
    priceAtoms,
    cutAtoms,
    remainingAtoms,
  });
}

function emitRemainder(
  turn: Turn,
  market: Market,
  account: Account,
  order: OrderOrdinal,
  side: Side,
  reason: CancelReason,
  remainingAtoms: BaseAtoms,
): void {
  const { terms } = turn.plan;
  turn.events.orderCancelled({
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
  endEntry(turn, order);
}

/** Limits an order that closes to prices at which the position can pay loss and fee. Worse prices are left to the liquidation. */
function planLimitPrice(turn: Turn, account: Account, market: Market, { side, terms }: PlaceOrder, closable: BaseAtoms): void {
  const { plan, holding } = turn;
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
 * An order without a price gets the end of the band as its limit. The quantity of an order by notional is what fills at once
 * plus what the rest of its notional buys at the limit, rounded down to whole lots.
 */
function acceptedTerms(
  market: Market,
  { side, terms, reduceOnly }: PlaceOrder,
  quantity: BaseAtoms,
  plan: PlacementPlan,
): AcceptedTerms {
  if (terms.kind !== 'band_limit' && terms.kind !== 'band_notional') return terms;
  const priceAtoms = market.bandPrice(side);
  const { timeInForce, expiresAtEpochMs } = terms;
  const inForce = { ...(timeInForce && { timeInForce }), ...(expiresAtEpochMs && { expiresAtEpochMs }) };
  if (terms.kind === 'band_limit')
    return { kind: 'limit', priceAtoms, quantityAtoms: terms.quantityAtoms, postOnly: false, ...inForce };
  const { notionalAtoms } = terms;
  const { filledBase, filledNotional, end } = plan.matches;
  const cannotReduce = reduceOnly && filledBase === quantity;
  const unspent = minus(notionalAtoms, filledNotional);
  const left =
    end === 'filled' && !cannotReduce ? ZERO_BASE : (mulDivDown<number>(unspent, 1, market.lotPrice(priceAtoms)) as BaseAtoms);
  const quantityAtoms = smallerOf(plus(filledBase, left), market.specification.maxQuantityAtoms);
  return { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false, notionalAtoms, ...inForce };
}

/** Whether an order by notional is below the minimum quantity at the price at which it fills or rests. */
function isTooSmall(market: Market, { matches, terms }: PlacementPlan, quantity: BaseAtoms): boolean {
  const { filledBase, end } = matches;
  const isLimit = terms.kind === 'limit';
  const accepted = isLimit ? terms.quantityAtoms : filledBase;
  return accepted < market.specification.minQuantityAtoms && accepted < quantity && (isLimit || end === 'filled');
}

/** The minimum for an order by notional: the minimum quantity at the price at which it fills or rests. */
function smallestNotional(market: Market, { side, terms }: PlaceOrder): QuoteAtoms {
  const best = market.book.bestAgainst(side);
  const limit = market.bandPrice(side);
  const price = terms.kind === 'market_notional' ? best : side === 'buy' ? limit : largerOf(best, limit);
  return market.notional(price, market.specification.minQuantityAtoms);
}

/** Decides how much of the quantity that did not fill rests, and whether the rest is cut or cancelled. */
function planRemainder(turn: Turn, account: Account, command: PlaceOrder, quantity: BaseAtoms, closable: BaseAtoms): void {
  const { plan, rules, state } = turn;
  const { matches, terms } = plan;
  plan.restsAtoms = ZERO_BASE;
  plan.cutAtoms = ZERO_BASE;
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
  else if (terms.kind !== 'limit' || isStopped) plan.cancels = reasonOf(plan);
  else if (terms.timeInForce === 'IOC') plan.cancels = 'immediate_or_cancel';
  else if (!command.reduceOnly || !rules.cutsReduceOnly) plan.restsAtoms = left;
  else {
    const position = account.positions[command.market]!;
    const room = minus(closable, matches.filledBase);
    const reducible = reducibleBeside(state, position, terms.priceAtoms, room, plan.replaced.slot);
    plan.restsAtoms = smallerOf(left, reducible);
    if (reducible === 0) plan.cancels = 'reduce_only';
    else plan.cutAtoms = minus(left, plan.restsAtoms);
  }
}

/** Whether the order must fill whole at once and cannot. */
function isKilled({ terms, matches }: PlacementPlan): boolean {
  return terms.kind === 'limit' && terms.timeInForce === 'FOK' && matches.filledBase < terms.quantityAtoms;
}

/** The order ends without a fill, and changes no other order either. */
function planKill(plan: PlacementPlan): undefined {
  plan.matches.clear();
  plan.restsAtoms = ZERO_BASE;
  plan.cutAtoms = ZERO_BASE;
  plan.cancels = 'fill_or_kill';
}

function reasonOf({ matches, isBoundByBankruptcy }: PlacementPlan): ImmediateCancelReason {
  const reason = endReasonOf(matches);
  return reason === 'price_band' && isBoundByBankruptcy ? 'bankruptcy_price' : reason;
}
