/**
 * The layouts in a snapshot of what the insurance fund has paid, for each market on its last day and for each open position, and of the
 * markets' parts of it.
 */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import type { VenueState } from '#venue/state.ts';

interface FundUse {
  readonly market: MarketOrdinal;
  readonly day: number;
  readonly spentAtoms: QuoteAtoms;
}

interface Insured {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly insuredAtoms: QuoteAtoms;
}

interface FundPart {
  readonly market: MarketOrdinal;
  readonly balanceAtoms: QuoteAtoms;
}

/** Whether a market has an own part of the fund, or has drawn from the common part. */
export function hasFundParts({ markets }: VenueState): boolean {
  return markets.some((market) => market !== undefined && market.fundUse.balanceAtoms !== 0);
}

export function fundPartsLayout(io: Cursor, state: VenueState): void {
  for (const { market, balanceAtoms } of longList(io, fundParts(state), fundPartLayout))
    state.market(market)!.fundUse.balanceAtoms = balanceAtoms;
}

function fundParts({ markets }: VenueState): FundPart[] {
  return markets.flatMap((market) =>
    market === undefined || market.fundUse.balanceAtoms === 0
      ? []
      : [{ market: market.ordinal, balanceAtoms: market.fundUse.balanceAtoms }],
  );
}

function fundPartLayout(io: Cursor, it: FundPart): FundPart {
  return { market: io.int(it.market), balanceAtoms: io.int(it.balanceAtoms) };
}

/** Whether the fund has ever paid. Without that, no position owes it anything. */
export function hasFundUse({ markets }: VenueState): boolean {
  return markets.some((market) => market !== undefined && market.fundUse.spentAtoms > 0);
}

export function fundLayout(io: Cursor, state: VenueState): void {
  for (const { market, day, spentAtoms } of longList(io, fundUses(state), fundUseLayout))
    Object.assign(state.market(market)!.fundUse, { day, spentAtoms });
  for (const { account, market, insuredAtoms } of longList(io, insuredPositions(state), insuredLayout))
    state.account(account)!.positionIn(market).insuredAtoms = insuredAtoms;
}

function fundUses({ markets }: VenueState): FundUse[] {
  return markets.flatMap((market) =>
    market === undefined || market.fundUse.spentAtoms === 0 ? [] : [{ market: market.ordinal, ...market.fundUse }],
  );
}

function fundUseLayout(io: Cursor, it: FundUse): FundUse {
  return { market: io.int(it.market), day: io.u32(it.day), spentAtoms: io.int(it.spentAtoms) };
}

function insuredPositions({ accounts }: VenueState): Insured[] {
  return accounts.flatMap((account) =>
    (account?.positions ?? []).flatMap((position) => (position !== undefined && position.insuredAtoms > 0 ? [position] : [])),
  );
}

function insuredLayout(io: Cursor, it: Insured): Insured {
  return { account: io.int(it.account), market: io.int(it.market), insuredAtoms: io.int(it.insuredAtoms) };
}
