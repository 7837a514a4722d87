/**
 * The ledger of an account: pages that merge its funding payments, fills and cash movements in the order of their records. Within a record
 * funding is first, then fills by trade, then cash movements. A page reads at most its limit and a few rows of each.
 */
import type { LedgerEntry } from '#contract/account-ledger.ts';
import type { EntryPlace, LedgerQuery, Page } from '#reads/reads.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import type { CashMovementRow } from './account-rows.ts';
import type { ListedMarkets } from './listed-markets.ts';
import { renderMoney } from './market-scales.ts';
import { fillPage } from './pages.ts';
import type { FillRow, FundingPaymentRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';
import { cashMovementPage, fundingPaymentPage } from './time-pages.ts';

/** The order of the sources within a record. */
const FUNDING = 0;
const FILL = 1;
const MOVEMENT = 2;

/** An entry with its place: time, sequence, source, and two numbers that order the entries of a source within a record. */
export interface LedgerItem {
  readonly place: EntryPlace;
  readonly kind: LedgerEntry['kind'];
  readonly amountAtoms: QuoteAtoms;
  readonly row: FundingPaymentRow | FillRow | CashMovementRow;
}

/** A cursor also has the trade at which the next page continues, because fills are stored by trade. */
export function accountLedgerPage(store: ProjectionStore, query: LedgerQuery): Page<LedgerItem> {
  const { limit, direction, after } = query;
  const fills = fillPage(store, { ...query, ...afterOf(fillsAfter(query)), limit: limit + 2 }).entries;
  const items = [
    ...fundingPaymentPage(store, { ...query, ...afterOf(paymentsAfter(after)), limit: limit + 1 }).entries.map(fundingItem),
    ...fills.flatMap(fillItems),
    ...cashMovementPage(store, { ...query, ...afterOf(movementsAfter(query)), limit: limit + 1 }).entries.map(movementItem),
  ];
  const sign = direction === 'oldest_first' ? 1 : -1;
  const found = items
    .filter(({ place }) => after === undefined || sign * compared(place, after) > 0)
    .sort((left, right) => sign * compared(left.place, right.place));
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  if (found.length <= limit || last === undefined) return { entries };
  return { entries, nextAfter: [...last.place, nextTrade(query, entries, fills)] };
}

function afterOf(after: EntryPlace | undefined): { readonly after?: EntryPlace } {
  return after === undefined ? {} : { after };
}

/** The fill of a cursor is read again: the page before may have ended between its entries. */
function fillsAfter({ after, direction }: LedgerQuery): EntryPlace | undefined {
  if (after === undefined) return undefined;
  return [direction === 'oldest_first' ? after[5]! - 1 : after[5]! + 1];
}

function paymentsAfter(after: EntryPlace | undefined): EntryPlace | undefined {
  if (after === undefined) return undefined;
  const [epochMs, sequence, source, position, period] = after as [number, number, number, number, number];
  return source === FUNDING
    ? [epochMs, sequence, position, period]
    : [epochMs, sequence, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
}

function movementsAfter({ after }: LedgerQuery): EntryPlace | undefined {
  if (after === undefined) return undefined;
  const [epochMs, sequence, source, posting] = after as [number, number, number, number];
  // Before the first movement of the record.
  return [epochMs, sequence, source === MOVEMENT ? posting : -1];
}

/** The trade at which the fills of the next page begin, that one included; in either direction 0 if nothing was read yet. */
function nextTrade({ after, direction }: LedgerQuery, entries: readonly LedgerItem[], fills: readonly FillRow[]): number {
  const lastFill = entries.findLast(({ place }) => place[2] === FILL);
  if (lastFill === undefined) return fills[0]?.trade ?? (direction === 'oldest_first' ? (after?.[5] ?? 0) : 0);
  const trade = lastFill.place[3]!;
  if (lastFill === entries.at(-1)) return trade;
  return direction === 'oldest_first' ? trade + 1 : trade - 1;
}

/** Compares the first five numbers: the sixth of a cursor is no part of the place. */
function compared(left: EntryPlace, right: EntryPlace): number {
  for (let index = 0; index < 5; index += 1) {
    const difference = left[index]! - right[index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function fundingItem(row: FundingPaymentRow): LedgerItem {
  const place = [row.paidAtEpochMs, row.sequence, FUNDING, row.position, row.period];
  return { place, kind: 'funding', amountAtoms: minus(ZERO_QUOTE, row.fromMarginAtoms), row };
}

/** Each fill has an entry of its fee, also of 0: the rows that a page reads are then bounded by its entries. */
function fillItems(row: FillRow): readonly LedgerItem[] {
  const place = [row.executedAtEpochMs, row.sequence, FILL, row.trade];
  const fee: LedgerItem = { place: [...place, 1], kind: 'trade_fee', amountAtoms: minus(ZERO_QUOTE, row.feeAtoms), row };
  const { realizedPnlAtoms } = row;
  return realizedPnlAtoms === 0
    ? [fee]
    : [{ place: [...place, 0], kind: 'realized_pnl', amountAtoms: realizedPnlAtoms, row }, fee];
}

function movementItem(row: CashMovementRow): LedgerItem {
  const { movedAtEpochMs, sequence, posting, kind, amountAtoms } = row;
  return { place: [movedAtEpochMs, sequence, MOVEMENT, posting, 0], kind, amountAtoms, row };
}

export function ledgerEntry(store: ProjectionStore, markets: ListedMarkets, item: LedgerItem): LedgerEntry {
  const { place, kind, amountAtoms, row } = item;
  const [postedAtEpochMs, sequence] = place as [number, number];
  return {
    entryId: entryIdOf(item),
    accountId: renderAccountId(row.account),
    kind,
    asset: 'USD.E',
    amountAtoms: String(amountAtoms),
    amount: renderMoney(amountAtoms),
    marketId: row.market === 0 ? null : markets.get(row.market).marketId,
    positionId: row.position === 0 ? null : renderOrdinal(row.position),
    orderId: 'order' in row && row.order !== 0 ? renderOrdinal(row.order) : null,
    tradeId: 'trade' in row && row.trade !== 0 ? renderOrdinal(row.trade) : null,
    paymentId: 'period' in row ? `${row.position}-${row.period}` : null,
    transferId: 'reference' in row ? transferIdOf(store, row) : null,
    postedAtEpochMs,
    sequence,
  };
}

function entryIdOf({ place, kind }: LedgerItem): string {
  const [, sequence, source, first, second] = place;
  if (source === FUNDING) return `funding-${first}-${second}`;
  return source === FILL ? `trade-${first}-${kind}` : `record-${sequence}-${first}`;
}

/** A transfer between accounts has an id if it is a funding of an agent account; the reference of an operator's is not published. */
function transferIdOf({ agentFundingStates }: ProjectionStore, { kind, reference, sequence }: CashMovementRow): string | null {
  if (reference === '') return null;
  if (kind !== 'transfer') return reference;
  return agentFundingStates.find(reference)?.movedSequence === sequence ? reference : null;
}
