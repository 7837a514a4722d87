/**
 * Placing an order: `planPlacement` reads and refuses or says what will happen, `commitPlacement` makes it happen.
 * What an order may spend is decided on the fills that it will really have, not on an estimate.
 */
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { coverShortfall } from '#venue/account/cash.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { CancelReason, EmitEvent } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import { MAX_EXPOSURE_ATOMS } from '#venue/market/specification.ts';
import type { Holding, Position } from '#venue/position/position.ts';
import { applyFillEffect, blankFillEffect, closableBy, fillEffect } from '#venue/position/position.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { NO_PRICE } from './book.ts';
import { MatchPlan, planMatches } from './matching.ts';
import { refusalOfOrder } from './order-rules.ts';
import type { Slot } from './order-table.ts';
import type { OpeningTerms } from './reservation.ts';
import { fillFee, openingMargin, reservationOf } from './reservation.ts';
import { cancelReduceOnly, cancelResting, heldBy, restOrder } from './resting.ts';
import { settleMatch } from './settlement.ts';

/** What placing an order will do. One plan is reused for every turn: it is valid until the next is made. */
export class PlacementPlan {
  readonly matches = new MatchPlan();
  /** What goes into the book. */
  restsAtoms: BaseAtoms = ZERO_BASE;
  /** Why what neither fills nor rests is cancelled; `undefined` where nothing is left. */
  cancels: CancelReason | undefined;
}

/** Fills `plan`, or answers why not. Changes nothing. */
export function planPlacement(state: VenueState, command: PlaceOrder, now: EpochMs, plan: PlacementPlan): Refusal | undefined {
  const refusal = refusalOfOrder(state, command, now);
  if (refusal !== undefined) return refusal;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const { terms, side } = command;
  const limitPrice = terms.kind === 'limit' ? terms.priceAtoms : market.bandPrice(side);
  const asked = terms.kind === 'market_notional' ? market.specification.maxQuantityAtoms : terms.quantityAtoms;
  const closable = closableBy(side, account.holdingIn(market.ordinal));
  const quantity = command.reduceOnly && closable < asked ? closable : asked;
  const notional = terms.kind === 'market_notional' ? terms.notionalAtoms : undefined;
  planMatches(state, market, { account: command.account, side, limitPrice, quantity, notional }, plan.matches);
  if (terms.kind === 'limit' && terms.postOnly && plan.matches.count > 0) {
    return { code: 'post_only_would_cross', bound: market.book.bestAgainst(side) };
  }
  if (notional !== undefined && isTooSmall(market, plan.matches, quantity)) {
    return {
      code: 'notional_too_small',
      bound: market.notional(market.book.bestAgainst(side), market.specification.minQuantityAtoms),
    };
  }
  planRemainder(command, quantity, plan);
  return refusalOfMargin(state, account, market, command, plan);
}

export function commitPlacement(
  state: VenueState,
  command: PlaceOrder,
  now: EpochMs,
  plan: PlacementPlan,
  emit: EmitEvent,
): void {
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const order = state.nextOrder();
  const { side, terms, clientOrderId, idempotencyKey, reduceOnly, leverageX } = command;
  account.clientOrderIds.take(clientOrderId, order, now);
  emit({
    type: 'OrderAccepted',
    order,
    account: command.account,
    market: command.market,
    clientOrderId,
    idempotencyKey,
    side,
    terms,
    reduceOnly,
    leverageX,
    markPriceAtoms: market.markPriceAtoms,
  });
  const { matches } = plan;
  // Own orders leave first, so that what they held is there for the fills.
  const touched = [account];
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.quantityAt(step) === 0) cancelResting(state, matches.slotAt(step), 'self_trade', emit);
  }
  let remaining = terms.kind === 'market_notional' ? ZERO_BASE : terms.quantityAtoms;
  for (let step = 0; step < matches.count; step += 1) {
    const quantity = matches.quantityAt(step);
    if (quantity === 0) continue;
    const slot = matches.slotAt(step);
    touched.push(state.account(state.orders.accountOf(slot))!);
    if (terms.kind !== 'market_notional') remaining = minus(remaining, quantity);
    const isComplete = step === matches.lastFill && plan.restsAtoms === 0 && plan.cancels === undefined;
    settleMatch(state, market, slot, quantity, { account, order, side, leverageX }, remaining, isComplete, emit);
  }
  for (const touchedAccount of touched) settleTurn(state, market, touchedAccount, emit);
  if (plan.restsAtoms > 0) {
    const priceAtoms = (terms as Extract<typeof terms, { kind: 'limit' }>).priceAtoms;
    const resting = {
      order,
      account: account.ordinal,
      market: market.ordinal,
      side,
      priceAtoms,
      remainingAtoms: plan.restsAtoms,
    };
    restOrder(state, market, account, { ...resting, reduceOnly, leverageX, markPriceAtoms: market.markPriceAtoms });
    emit({ type: 'OrderRested', ...resting, accountReservedAtoms: account.reservedAtoms });
  }
  if (plan.cancels !== undefined) {
    emit({
      type: 'OrderCancelled',
      order,
      account: account.ordinal,
      market: market.ordinal,
      side,
      reason: plan.cancels,
      wasResting: false,
      priceAtoms: terms.kind === 'limit' ? terms.priceAtoms : NO_PRICE,
      remainingAtoms: remaining,
      accountReservedAtoms: account.reservedAtoms,
    });
  }
}

/** What the turn leaves behind for an account that it touched. */
function settleTurn(state: VenueState, market: Market, account: Account, emit: EmitEvent): void {
  const position = account.positionIn(market.ordinal);
  if (position.reduceOnlyOrders > 0 && !hasSomethingToReduce(state, position)) cancelReduceOnly(state, position, emit);
  coverShortfall(state, account, emit);
}

/** All reduce-only orders of a position are on one side: the one that closed it when they were placed. */
function hasSomethingToReduce(state: VenueState, position: Position): boolean {
  let slot = position.firstOwnOrder;
  while (!state.orders.isReduceOnly(slot)) slot = state.orders.ownAfter[slot]! as Slot;
  return closableBy(state.orders.sideOf(slot), position) > 0;
}

/** An order by notional that cannot buy the smallest quantity at the price that it meets. */
function isTooSmall(market: Market, matches: MatchPlan, quantity: BaseAtoms): boolean {
  const { filledBase, end } = matches;
  return filledBase < market.specification.minQuantityAtoms && filledBase < quantity && end === 'filled';
}

/** Decides what becomes of what did not fill. */
function planRemainder(command: PlaceOrder, quantity: BaseAtoms, plan: PlacementPlan): void {
  const { matches } = plan;
  const { terms } = command;
  plan.restsAtoms = ZERO_BASE;
  plan.cancels = undefined;
  if (terms.kind === 'market_notional') {
    const isSpent = matches.end === 'filled' && !(command.reduceOnly && matches.filledBase === quantity);
    if (!isSpent) plan.cancels = matches.end === 'filled' ? 'reduce_only' : reasonOf(matches);
    return;
  }
  const left = minus(terms.quantityAtoms, matches.filledBase);
  if (left === 0) return;
  if (command.reduceOnly && matches.filledBase === quantity) plan.cancels = 'reduce_only';
  else if (terms.kind === 'limit' && matches.end !== 'steps') plan.restsAtoms = left;
  else plan.cancels = reasonOf(matches);
}

function reasonOf(matches: MatchPlan): CancelReason {
  if (matches.end === 'steps') return 'fill_limit';
  return matches.end === 'price' ? 'price_band' : 'no_liquidity';
}

/** Plays the fills on a copy of the position. An order that only closes is always taken: it can only lessen the risk. */
function refusalOfMargin(
  state: VenueState,
  account: Account,
  market: Market,
  command: PlaceOrder,
  plan: PlacementPlan,
): Refusal | undefined {
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = account.holdingIn(market.ordinal);
  const holding: Holding = { signedBaseAtoms, entryNotionalAtoms, marginAtoms };
  const { matches } = plan;
  const effect = blankFillEffect();
  let available = account.availableAtoms;
  let opens = plan.restsAtoms > 0 && !command.reduceOnly;
  for (let step = 0; step < matches.count; step += 1) {
    const slot = matches.slotAt(step);
    const quantity = matches.quantityAt(step);
    const price = state.orders.priceOf(slot);
    if (quantity === 0) {
      available = plus(available, heldBy(state, market, slot, state.orders.remainingOf(slot)));
      continue;
    }
    fillEffect(holding, command.side, quantity, market.lotPrice(price), effect);
    const locked = openingMargin(market, openingTerms(market, command, price), effect.openedBaseAtoms);
    applyFillEffect(holding, command.side, effect, locked);
    const proceeds = effect.releasedMarginAtoms + effect.realizedPnlAtoms + effect.deficitAtoms;
    available = (available + proceeds - locked - fillFee(market, market.notional(price, quantity), 'taker')) as QuoteAtoms;
    if (effect.openedBaseAtoms > 0) opens = true;
  }
  if (!opens) return undefined;
  const resting = account.positions[market.ordinal]?.restingNotionalAtoms ?? ZERO_QUOTE;
  const exposure = holding.entryNotionalAtoms + resting + restingWorth(market, command, plan.restsAtoms);
  if (exposure > MAX_EXPOSURE_ATOMS) return { code: 'exposure_limit', bound: MAX_EXPOSURE_ATOMS };
  const missing = minus(restingNeed(market, command, plan.restsAtoms), available);
  return missing > 0 ? { code: 'insufficient_margin', bound: missing } : undefined;
}

function restingWorth(market: Market, { terms }: PlaceOrder, rests: BaseAtoms): QuoteAtoms {
  return terms.kind === 'limit' ? market.notional(terms.priceAtoms, rests) : ZERO_QUOTE;
}

function restingNeed(market: Market, command: PlaceOrder, rests: BaseAtoms): QuoteAtoms {
  if (command.terms.kind !== 'limit' || rests === 0 || command.reduceOnly) return ZERO_QUOTE;
  return reservationOf(market, openingTerms(market, command, command.terms.priceAtoms), rests);
}

function openingTerms(market: Market, { side, leverageX }: PlaceOrder, priceAtoms: PriceAtoms): OpeningTerms {
  return { side, priceAtoms, markPriceAtoms: market.markPriceAtoms, leverageX };
}
