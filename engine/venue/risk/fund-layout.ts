/** The layout in a snapshot of what the insurance fund has paid: for each market on its last day. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import type { VenueState } from '#venue/state.ts';

interface FundUse {
  readonly market: MarketOrdinal;
  readonly day: number;
  readonly spentAtoms: QuoteAtoms;
}

/** Whether the fund has ever paid. */
export function hasFundUse({ markets }: VenueState): boolean {
  return markets.some((market) => market !== undefined && market.fundUse.spentAtoms > 0);
}

export function fundLayout(io: Cursor, state: VenueState): void {
  for (const { market, day, spentAtoms } of longList(io, fundUses(state), fundUseLayout))
    Object.assign(state.market(market)!.fundUse, { day, spentAtoms });
}

function fundUses({ markets }: VenueState): FundUse[] {
  return markets.flatMap((market) =>
    market === undefined || market.fundUse.spentAtoms === 0 ? [] : [{ market: market.ordinal, ...market.fundUse }],
  );
}

function fundUseLayout(io: Cursor, it: FundUse): FundUse {
  return { market: io.u32(it.market) as MarketOrdinal, day: io.u32(it.day), spentAtoms: io.int(it.spentAtoms) };
}
