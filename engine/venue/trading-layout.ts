/** What the rules of version 4 added to the state: its layout in a snapshot, after everything that earlier versions have. */
import { hasChosenLeverage, leveragesLayout } from './account/leverage.ts';
import { averagesLayout } from './market/mark-averages.ts';
import type { Market } from './market/market.ts';
import { hasOpenInterestBounds, openInterestBoundsLayout } from './market/open-interest-layout.ts';
import { hasOrderLife, orderLifeLayout } from './order/order-life-layout.ts';
import type { Cursor } from './record/cursor.ts';
import { fundPartsLayout, hasFundParts } from './risk/fund-layout.ts';
import { HALF_LOST_STEP } from './risk/liquidation-steps.ts';
import type { VenueState } from './state.ts';
import { triggersLayout } from './trigger/triggers-layout.ts';

/** Whether a state has any of it. */
export function hasTrading(state: VenueState): boolean {
  if (state.markets.some((market) => market?.averages.isInitial === false)) return true;
  if (hasChosenLeverage(state) || hasOrderLife(state) || !state.triggers.isInitial) return true;
  return hasFundParts(state) || hasOpenInterestBounds(state) || state.markets.some(waitsForStep);
}

/** Earlier layouts know only positions that wait for their deleveraging, or for no price. */
function waitsForStep(market: Market | undefined): boolean {
  if (market === undefined) return false;
  const { positions } = market;
  for (const position of positions.parked()) if (positions.nextStepOf(position) % HALF_LOST_STEP !== 0) return true;
  return false;
}

export function tradingLayout(io: Cursor, state: VenueState): void {
  for (const market of state.markets) if (market !== undefined) averagesLayout(io, market.averages);
  leveragesLayout(io, state);
  orderLifeLayout(io, state);
  triggersLayout(io, state);
  fundPartsLayout(io, state);
  openInterestBoundsLayout(io, state);
}
