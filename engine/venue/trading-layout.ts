/** What the rules of version 4 added to the state: its layout in a snapshot, after everything that earlier versions have. */
import { hasChosenLeverage, leveragesLayout } from './account/leverage.ts';
import { averagesLayout } from './market/mark-averages.ts';
import { hasOpenInterestBounds, openInterestBoundsLayout } from './market/open-interest-layout.ts';
import { hasOrderLife, orderLifeLayout } from './order/order-life-layout.ts';
import type { Cursor } from './record/cursor.ts';
import { fundPartsLayout, hasFundParts } from './risk/fund-layout.ts';
import type { VenueState } from './state.ts';
import { triggersLayout } from './trigger/triggers-layout.ts';

/** Whether a state has any of it. */
export function hasTrading(state: VenueState): boolean {
  if (state.markets.some((market) => market?.averages.isInitial === false)) return true;
  if (hasChosenLeverage(state) || hasOrderLife(state) || !state.triggers.isInitial) return true;
  return hasFundParts(state) || hasOpenInterestBounds(state);
}

export function tradingLayout(io: Cursor, state: VenueState): void {
  for (const market of state.markets) if (market !== undefined) averagesLayout(io, market.averages);
  leveragesLayout(io, state);
  orderLifeLayout(io, state);
  triggersLayout(io, state);
  fundPartsLayout(io, state);
  openInterestBoundsLayout(io, state);
}
