/** The layout in a snapshot of the bounds of open interest, by market. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { openInterestLayout } from '#venue/record/parts.ts';
import type { VenueState } from '#venue/state.ts';
import type { OpenInterestBounds } from './specification.ts';

interface MarketBounds extends OpenInterestBounds {
  readonly market: MarketOrdinal;
}

export function hasOpenInterestBounds({ markets }: VenueState): boolean {
  return markets.some((market) => market?.specification.openInterest !== undefined);
}

export function openInterestBoundsLayout(io: Cursor, state: VenueState): void {
  for (const { market, ...openInterest } of longList(io, boundsIn(state), marketBoundsLayout)) {
    const listed = state.market(market)!;
    listed.specification = { ...listed.specification, openInterest };
  }
}

function boundsIn({ markets }: VenueState): MarketBounds[] {
  return markets.flatMap((market) => {
    const bounds = market?.specification.openInterest;
    return bounds === undefined ? [] : [{ market: market!.ordinal, ...bounds }];
  });
}

function marketBoundsLayout(io: Cursor, it: MarketBounds): MarketBounds {
  return { market: io.int(it.market), ...openInterestLayout(io, it) };
}
