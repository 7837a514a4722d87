/**
 * Pages of lists that are ordered by time instead of number: closed positions, funding payments, cash movements, settled rates. The place of
 * an entry is its time, its sequence, and a number that distinguishes entries of one record, so later rows come after all earlier ones.
 */
import type { AccountHistoryQuery, EarningsQuery, LedgerQuery, Page, PageQuery, TradeQuery } from '#reads/reads.ts';
import type { AffiliateDayRow, CashMovementRow } from './account-rows.ts';
import type { PastCandles } from './past-candles.ts';
import type { EpisodeRow, FundingPaymentRow, FundingPeriodRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

/** A list's index, its filter columns (`of`), and the columns of its place, of which the first is the time. */
interface TimeList<Row> {
  readonly from: string;
  readonly of: readonly (keyof Row & string)[];
  readonly place: readonly (keyof Row & string)[];
}

const CLOSED_PLACE = ['closedAtEpochMs', 'lastSequence', 'position'] as const;
const PAYMENT_PLACE = ['paidAtEpochMs', 'sequence', 'position', 'period'] as const;

const CLOSED: TimeList<EpisodeRow> = { from: 'episodes INDEXED BY closedEpisodes', of: ['account'], place: CLOSED_PLACE };
const CLOSED_IN_MARKET: TimeList<EpisodeRow> = {
  from: 'episodes INDEXED BY closedEpisodesByMarket',
  of: ['account', 'market'],
  place: CLOSED_PLACE,
};
const PAYMENTS: TimeList<FundingPaymentRow> = { from: 'fundingPayments', of: ['account'], place: PAYMENT_PLACE };
const PAYMENTS_IN_MARKET: TimeList<FundingPaymentRow> = {
  from: 'fundingPayments INDEXED BY fundingPaymentsByMarket',
  of: ['account', 'market'],
  place: PAYMENT_PLACE,
};
const MOVEMENTS: TimeList<CashMovementRow> = {
  from: 'cashMovements',
  of: ['account'],
  place: ['movedAtEpochMs', 'sequence', 'posting'],
};
const PERIODS: TimeList<FundingPeriodRow> = {
  from: 'fundingPeriods INDEXED BY fundingPeriodsByTime',
  of: ['market'],
  place: ['settledAtEpochMs', 'period'],
};

const DAYS: TimeList<AffiliateDayRow> = { from: 'affiliateDays', of: ['account'], place: ['dayEpochMs'] };

export function closedEpisodePage(store: ProjectionStore, query: AccountHistoryQuery): Page<EpisodeRow> {
  return timePage(store, closedEpisodesOf(query), query);
}

export function closedEpisodeSelect(query: AccountHistoryQuery): string {
  return timeSelect(closedEpisodesOf(query), query);
}

export function fundingPaymentPage(store: ProjectionStore, query: AccountHistoryQuery): Page<FundingPaymentRow> {
  return timePage(store, paymentsOf(query), query);
}

export function fundingPaymentSelect(query: AccountHistoryQuery): string {
  return timeSelect(paymentsOf(query), query);
}

export function cashMovementPage(store: ProjectionStore, query: LedgerQuery): Page<CashMovementRow> {
  return timePage(store, MOVEMENTS, query);
}

export function cashMovementSelect(query: LedgerQuery): string {
  return timeSelect(MOVEMENTS, query);
}

/** Synthetic rates are older than all others. */
export function fundingPeriodPage(
  store: ProjectionStore,
  query: TradeQuery,
  past: PastCandles | undefined,
): Page<FundingPeriodRow> {
  const settled = timeRows<FundingPeriodRow>(store, PERIODS, query);
  if (past === undefined) return pageOf(PERIODS, query, settled);
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER, after, direction, limit } = query;
  const isForward = direction === 'oldest_first';
  const since = after === undefined || !isForward ? sinceEpochMs : Math.max(sinceEpochMs, after[0]! + 1);
  const until = after === undefined || isForward ? untilEpochMs : Math.min(untilEpochMs, after[0]! - 1);
  const before = past.fundingPeriods(since, until, direction, limit + 1);
  return pageOf(PERIODS, query, isForward ? [...before, ...settled] : [...settled, ...before]);
}

export function fundingPeriodSelect(query: TradeQuery): string {
  return timeSelect(PERIODS, query);
}

export function affiliateDayPage(store: ProjectionStore, query: EarningsQuery): Page<AffiliateDayRow> {
  return timePage(store, DAYS, query);
}

export function affiliateDaySelect(query: EarningsQuery): string {
  return timeSelect(DAYS, query);
}

function closedEpisodesOf({ market }: AccountHistoryQuery): TimeList<EpisodeRow> {
  return market === undefined ? CLOSED : CLOSED_IN_MARKET;
}

function paymentsOf({ market }: AccountHistoryQuery): TimeList<FundingPaymentRow> {
  return market === undefined ? PAYMENTS : PAYMENTS_IN_MARKET;
}

function timePage<Row extends object>(store: ProjectionStore, list: TimeList<Row>, query: PageQuery): Page<Row> {
  return pageOf(list, query, timeRows(store, list, query));
}

/** Reads one row more than the limit, which shows that there are more. */
function timeRows<Row extends object>(store: ProjectionStore, list: TimeList<Row>, query: PageQuery): readonly Row[] {
  const values = [...list.of.map((column) => query[column as never] as number), ...boundsOf(list, query), query.limit + 1];
  return store.statement(timeSelect(list, query)).all(...values) as unknown as Row[];
}

function pageOf<Row extends object>({ place }: TimeList<Row>, { limit }: PageQuery, rows: readonly Row[]): Page<Row> {
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  if (rows.length <= limit || last === undefined) return { entries };
  return { entries, nextAfter: place.map((column) => Number(last[column])) };
}

function timeSelect<Row>({ from, of, place }: TimeList<Row>, { direction }: PageQuery): string {
  const columns = `(${place.join(', ')})`;
  const values = `(${place.map(() => '?').join(', ')})`;
  const way = direction === 'oldest_first' ? 'ASC' : 'DESC';
  // SQLite uses the partial index only if the query has its condition.
  const status = from.startsWith('episodes') ? "AND status = 'closed'" : '';
  const condition = of.map((column) => `${column} = ?`).join(' AND ');
  const order = place.map((column) => `${column} ${way}`).join(', ');
  return `SELECT * FROM ${from} WHERE ${condition} ${status} AND ${columns} > ${values} AND ${columns} < ${values} ORDER BY ${order} LIMIT ?`;
}

/** The range of places of a page, both ends exclusive: the lower one, then the upper one. */
function boundsOf<Row>({ place }: TimeList<Row>, query: PageQuery): readonly number[] {
  const { sinceEpochMs = 0, untilEpochMs, after, direction } = query;
  const rest = place.slice(1).map(() => 0);
  // Zeros after the time: the bound is before all entries at that time. A place that is a time alone has nothing after it.
  const lower = rest.length === 0 ? [sinceEpochMs - 1] : [sinceEpochMs, ...rest];
  const upper = [untilEpochMs === undefined ? Number.MAX_SAFE_INTEGER : untilEpochMs + 1, ...rest];
  if (after === undefined) return [...lower, ...upper];
  return direction === 'oldest_first' ? [...after, ...upper] : [...lower, ...after];
}
