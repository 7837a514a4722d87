/**
 * Checks whether an account can pay for an order. The check simulates the planned fills on a copy of the position, so it
 * is exact. An order that only closes is always accepted: it reduces risk.
 */

import { ONE_X } from '#units/leverage.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { leverageFor } from '#venue/account/leverage.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import { MAX_EXPOSURE_ATOMS, maxPositionAtomsOf } from '#venue/market/specification.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
import { applyFillEffect, closableBy, copyHolding, FLAT, fillEffect } from '#venue/position/position.ts';
import type { Refusal } from '#venue/refusal.ts';
import { maxLeverageOf } from '#venue/risk/initial-margin.ts';
import { initialMarginIn, openInterestWith } from '#venue/risk/open-interest.ts';
import type { Turn } from '#venue/turn.ts';
import type { MatchTerms } from './match.ts';
import { FILL } from './match-plan.ts';
import type { PlacementPlan } from './placement-plan.ts';
import { closingFeeOf, fillFee, reservationOf, takerMargin } from './reservation.ts';

/**
 * Sets the order's leverage and initial margin rate in the plan. The rate rises with the exposure that the account may reach in the
 * market, and with the market's open interest. The whole order counts, at its limit price or at the mark price: a part that would close
 * now may open later. Refuses an order that sets a leverage above the maximum for that exposure.
 */
export function checkLeverage(turn: Turn, account: Account, market: Market, command: PlaceOrder): Refusal | undefined {
  const { plan, rules } = turn;
  const { specification } = market;
  const position = account.positions[market.ordinal];
  const notional = notionalOf(market, command);
  let exposure = notional;
  if (position !== undefined) {
    exposure = plus(exposure, minus(position.restingNotionalAtoms, plan.replaced.openingNotionalAtoms));
    if (closableBy(command.side, position) === 0) exposure = plus(exposure, position.entryNotionalAtoms);
  }
  const openInterest = openInterestWith(turn, market, position ?? FLAT, command, notional);
  plan.initialMarginBps = initialMarginIn(specification, exposure, openInterest);
  plan.leverageHundredths = command.leverageHundredths;
  const maxLeverageX = maxLeverageOf(plan.initialMarginBps, specification);
  if (command.leverageHundredths === 0) {
    // An amended order keeps the initial margin of its exposure, whatever its account has chosen since.
    if (plan.replaced.isBlank) plan.leverageHundredths = leverageFor(account, market, maxLeverageX, rules);
    return undefined;
  }
  return command.leverageHundredths > maxLeverageX * ONE_X ? { code: 'leverage_too_high', bound: maxLeverageX } : undefined;
}

function notionalOf(market: Market, { side, terms: orderTerms }: PlaceOrder): QuoteAtoms {
  switch (orderTerms.kind) {
    case 'limit':
      return market.notional(orderTerms.priceAtoms, orderTerms.quantityAtoms);
    case 'band_limit':
      return market.notional(market.bandPrice(side), orderTerms.quantityAtoms);
    case 'market':
      return market.notional(market.markPriceAtoms, orderTerms.quantityAtoms);
    case 'market_notional':
    case 'band_notional':
      return orderTerms.notionalAtoms;
  }
}

export function checkMargin(turn: Turn, account: Account, market: Market, command: PlaceOrder): Refusal | undefined {
  const { state, plan, rules, holding, effect } = turn;
  const { matches } = plan;
  const { side } = command;
  let available = plus(account.availableAtoms, plan.replaced.reservedAtoms);
  let opens = plan.restsAtoms > 0 && !command.reduceOnly;
  let { entryNotionalAtoms, signedBaseAtoms } = account.holdingIn(market.ordinal);
  if (matches.count > 0) {
    const position = account.positions[market.ordinal];
    if (position === undefined) copyHolding(FLAT, holding);
    else fundedHolding(market, position, holding);
    for (let step = 0; step < matches.count; step += 1) {
      const kind = matches.kindAt(step);
      const slot = matches.slotAt(step);
      if (kind !== FILL) {
        // An own order ends before the fills, because it meets its account or has expired.
        if (state.orders.accountOf(slot) === account.ordinal) available = plus(available, state.orders.reservedOf(slot));
        continue;
      }
      const quantity = matches.quantityAt(step);
      const price = state.orders.priceOf(slot);
      const fee = fillFee(market, market.notional(price, quantity), 'taker');
      const closed = smallerOf(quantity, closableBy(side, holding));
      fillEffect(holding, side, quantity, market.lotPrice(price), closingFeeOf(fee, closed, quantity), effect);
      const locked = takerMargin(market, termsAt(turn, market, command, price), effect.openedBaseAtoms, rules);
      applyFillEffect(holding, side, effect, locked);
      const proceeds = effect.releasedMarginAtoms + effect.realizedPnlAtoms + effect.deficitAtoms - effect.repaidAtoms;
      available = (available + proceeds - locked - fee) as QuoteAtoms;
      if (effect.openedBaseAtoms > 0) opens = true;
    }
    ({ entryNotionalAtoms, signedBaseAtoms } = holding);
  }
  if (!opens) return undefined;
  const resting = account.positions[market.ordinal];
  const { openingBaseAtoms, openingNotionalAtoms } = plan.replaced;
  const otherNotional = (resting?.restingNotionalAtoms ?? 0) - openingNotionalAtoms;
  const exposure = entryNotionalAtoms + otherNotional + restingNotional(market, plan);
  if (exposure > MAX_EXPOSURE_ATOMS) return { code: 'exposure_limit', bound: MAX_EXPOSURE_ATOMS };
  const size = Math.abs(signedBaseAtoms) + (resting?.restingBaseAtoms ?? 0) - openingBaseAtoms + plan.restsAtoms;
  const maxSize = maxPositionAtomsOf(market.specification);
  if (size > maxSize) return { code: 'position_limit', bound: maxSize };
  const missing = minus(restingRequirement(turn, market, command), available);
  return missing > 0 ? { code: 'insufficient_margin', bound: missing } : undefined;
}

function restingNotional(market: Market, { terms: accepted, restsAtoms }: PlacementPlan): QuoteAtoms {
  return accepted.kind === 'limit' ? market.notional(accepted.priceAtoms, restsAtoms) : ZERO_QUOTE;
}

function restingRequirement(turn: Turn, market: Market, command: PlaceOrder): QuoteAtoms {
  const { terms: accepted, restsAtoms } = turn.plan;
  if (accepted.kind !== 'limit' || restsAtoms === 0 || command.reduceOnly) return ZERO_QUOTE;
  return reservationOf(market, termsAt(turn, market, command, accepted.priceAtoms), restsAtoms);
}

function termsAt({ terms, plan }: Turn, market: Market, { side }: PlaceOrder, priceAtoms: PriceAtoms): MatchTerms {
  terms.side = side;
  terms.priceAtoms = priceAtoms;
  terms.markPriceAtoms = market.markPriceAtoms;
  terms.leverageHundredths = plan.leverageHundredths;
  terms.initialMarginBps = plan.initialMarginBps;
  return terms;
}
