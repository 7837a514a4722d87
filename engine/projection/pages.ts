/**
 * Pages of orders, fills and trades. A page is a range of numbers, so rows that arrive between two pages are outside the range: nothing is
 * repeated or skipped. A time is converted once to the first number at or after it; each page then scans an index.
 */

import type { FillQuery, OrderQuery, Page, PageQuery, TradeQuery } from '#reads/reads.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { FillRow, OrderRow, OrderStatus, TradeRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

type Values = Record<string, string | number>;

const ALL_STATUSES: readonly OrderStatus[] = ['open', 'filled', 'cancelled'];
export const FIRST_ORDER_SINCE =
  'SELECT "order" AS number FROM orders WHERE createdAtEpochMs >= ? ORDER BY createdAtEpochMs, "order" LIMIT 1';
export const FIRST_TRADE_SINCE =
  'SELECT trade AS number FROM trades WHERE executedAtEpochMs >= ? ORDER BY executedAtEpochMs, trade LIMIT 1';

export function orderPage(store: ProjectionStore, query: OrderQuery): Page<OrderRow> {
  const { account, status, limit } = query;
  const range = rangeOf(store, query, FIRST_ORDER_SINCE);
  const rows = store
    .statement(orderSelect(query))
    .all({ account, ...filtersOf(query), ...(status !== undefined && { status }), ...range, limit: limit + 1 });
  return pageOf(rows as unknown as OrderRow[], limit, (order) => order.order);
}

/**
 * The indexes are by account, market and status, each sorted by number. A list over all statuses merges these parts and reads no more rows
 * than it returns. `INDEXED BY` keeps SQLite from scanning rows that the list does not show.
 */
export function orderSelect(query: OrderQuery): string {
  const market = query.market === undefined ? '' : 'AND market = :market';
  if (query.clientOrderId !== undefined) {
    const status = query.status === undefined ? '' : 'AND status = :status';
    return `SELECT * FROM ${ordersIn('ordersByClientOrderId', `AND clientOrderId = :clientOrderId ${market} ${status}`)} ${ending('"order"', query)}`;
  }
  const index = market === '' ? 'ordersByStatus' : 'ordersByMarket';
  const part = (status: string) => ordersIn(index, `${market} AND status = ${status}`);
  if (query.status !== undefined) return `SELECT * FROM ${part(':status')} ${ending('"order"', query)}`;
  const parts = ALL_STATUSES.map((status) => `SELECT * FROM ${part(`'${status}'`)}`);
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) ${ending('"order"', query)}`;
}

function ordersIn(index: string, conditions: string): string {
  return `orders INDEXED BY ${index} WHERE account = :account ${conditions} ${between('"order"')}`;
}

export const NEWEST_OF_CLIENT_ORDER_ID =
  'SELECT * FROM orders INDEXED BY ordersByClientOrderId WHERE account = ? AND clientOrderId = ? ORDER BY "order" DESC LIMIT 1';

/** The newest order of the account with this client order id. */
export function newestOrderOf(store: ProjectionStore, account: AccountOrdinal, clientOrderId: string): OrderRow | undefined {
  return store.statement(NEWEST_OF_CLIENT_ORDER_ID).get(account, clientOrderId) as unknown as OrderRow | undefined;
}

/** All open orders of an account, oldest first. */
export function openOrders(
  store: ProjectionStore,
  account: AccountOrdinal,
  market: MarketOrdinal | undefined,
): readonly Pick<OrderRow, 'order' | 'clientOrderId' | 'market'>[] {
  const found = store
    .statement(openOrderSelect(market))
    .all({ account, ...filtersOf({ ...(market !== undefined && { market }) }) });
  return found as unknown as readonly OrderRow[];
}

export function openOrderSelect(market: MarketOrdinal | undefined): string {
  const [index, filter] = market === undefined ? ['ordersByStatus', ''] : ['ordersByMarket', 'AND market = :market'];
  return `SELECT "order", clientOrderId, market FROM orders INDEXED BY ${index} WHERE account = :account ${filter} AND status = 'open' ORDER BY "order"`;
}

export function fillPage(store: ProjectionStore, query: FillQuery): Page<FillRow> {
  const range = rangeOf(store, query, FIRST_TRADE_SINCE);
  const rows = store
    .statement(fillSelect(query))
    .all({ account: query.account, ...filtersOf(query), ...range, limit: query.limit + 1 });
  return pageOf(rows as unknown as FillRow[], query.limit, (fill) => fill.trade);
}

export function fillSelect(query: FillQuery): string {
  const market = query.market === undefined ? '' : 'AND market = :market';
  const order = query.order === undefined ? '' : 'AND "order" = :order';
  const index = order !== '' ? 'INDEXED BY fillsByOrder' : market !== '' ? 'INDEXED BY fillsByMarket' : '';
  return `SELECT * FROM fills ${index} WHERE account = :account ${market} ${order} ${walk('trade', query)}`;
}

export function tradePage(store: ProjectionStore, query: TradeQuery): Page<TradeRow> {
  const range = rangeOf(store, query, FIRST_TRADE_SINCE);
  const rows = store.statement(tradeSelect(query)).all({ market: query.market, ...range, limit: query.limit + 1 });
  return pageOf(rows as unknown as TradeRow[], query.limit, (trade) => trade.trade);
}

export function tradeSelect(query: TradeQuery): string {
  return `SELECT * FROM trades INDEXED BY tradesByMarket WHERE market = :market ${walk('trade', query)}`;
}

function walk(number: string, query: PageQuery): string {
  return `${between(number)} ${ending(number, query)}`;
}

function between(number: string): string {
  return `AND ${number} > :above AND ${number} < :below`;
}

function ending(number: string, query: PageQuery): string {
  return `ORDER BY ${number} ${orderOf(query)} LIMIT :limit`;
}

function orderOf(query: PageQuery): 'ASC' | 'DESC' {
  return query.direction === 'oldest_first' ? 'ASC' : 'DESC';
}

/** The numbers that a page may show, both ends excluded. */
function rangeOf(
  store: ProjectionStore,
  query: PageQuery,
  firstSince: string,
): { readonly above: number; readonly below: number } {
  const { sinceEpochMs, untilEpochMs, after: [after] = [], direction } = query;
  // Without a row at or after the time, the bound is above all numbers.
  const firstAt = (epochMs: number) => Number(store.statement(firstSince).get(epochMs)?.number ?? Number.MAX_SAFE_INTEGER);
  const since = sinceEpochMs === undefined ? 0 : firstAt(sinceEpochMs) - 1;
  const until = untilEpochMs === undefined ? Number.MAX_SAFE_INTEGER : firstAt(untilEpochMs + 1);
  if (after === undefined) return { above: since, below: until };
  if (direction === 'oldest_first') return { above: Math.max(since, after), below: until };
  return { above: since, below: Math.min(until, after) };
}

function filtersOf(query: { readonly market?: number; readonly order?: number; readonly clientOrderId?: string }): Values {
  const { market, order, clientOrderId } = query;
  return {
    ...(market !== undefined && { market }),
    ...(order !== undefined && { order }),
    ...(clientOrderId !== undefined && { clientOrderId }),
  };
}

/** `rows` has one row more than the limit if there are more. */
function pageOf<Row>(rows: readonly Row[], limit: number, numberOf: (row: Row) => number): Page<Row> {
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  return rows.length > limit && last !== undefined ? { entries, nextAfter: [numberOf(last)] } : { entries };
}
