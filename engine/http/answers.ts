/**
 * The bodies that reads are answered with. They are made where the rows are, which may be another thread: a handler asks
 * for one and passes on what was written out there.
 */
import type { AccountSnapshot, FillList, OrderList, PartyBinding } from '#contract/accounts.ts';
import type { Freshness } from '#contract/fields.ts';
import type { BookSnapshot, CandleSeries, MarketCatalogue, MarketStats, SingleMarket, TradeList } from '#contract/markets.ts';
import type { Rendered } from '#contract/operation.ts';
import type { OpenOrderName } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { VENUE_LEDGERS, type VenueLedger } from '#venue/event.ts';
import { nextCursor } from './paging.ts';
import type { CandleQuery, Conservation, FillQuery, OrderQuery, Reads, TradeQuery } from './reads.ts';

/** What a client calls an order by: the venue's number for it, or its own reference. */
export type OrderName = OrderOrdinal | { readonly clientOrderId: string };

/** Each as of the newest record that is folded. */
export interface Answers {
  marketCatalogue(): MarketCatalogue;
  market(market: MarketOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): CandleSeries;
  /** `marketId` is that of the query's market. */
  tradeList(marketId: string, query: TradeQuery): TradeList;

  /** These are asked for accounts that exist. */
  accountSnapshot(account: AccountOrdinal): AccountSnapshot;
  positions(account: AccountOrdinal): PositionSnapshot;
  party(account: AccountOrdinal): PartyBinding;
  orderList(list: 'listOrders' | 'listOpenOrders', query: OrderQuery): OrderList;
  /** `undefined` where the query names an order that is not the account's. */
  fillList(query: FillQuery): FillList | undefined;
  /** `undefined` where there is no such order, or where it is another account's. */
  order(account: AccountOrdinal, order: OrderOrdinal): OrderResource | undefined;
  /** The newest order with this reference, likewise. */
  orderByClientOrderId(account: AccountOrdinal, clientOrderId: string): OrderResource | undefined;
  /** Each as it is, in the order in which they are named; `null` likewise. */
  namedOrders(account: AccountOrdinal, names: readonly OrderName[]): readonly (OrderResource | null)[];
  openOrderNames(account: AccountOrdinal, market?: MarketOrdinal): readonly OpenOrderName[];

  freshness(): Freshness;

  /** The balances of the venue's own ledgers, in USD.E. */
  ledgers(): Readonly<Record<VenueLedger, string>>;
  conservation(): Conservation;
}

/**
 * The same from wherever the rows are. What is asked after a submission has resolved reflects it, whichever thread answers.
 */
export type Ask = {
  readonly [Name in keyof Answers]: (...asked: Parameters<Answers[Name]>) => Promise<RenderedOf<ReturnType<Answers[Name]>>>;
};

type RenderedOf<Body> = Body extends undefined ? undefined : Rendered<Body>;

export function answersFrom(reads: Reads): Answers {
  return {
    marketCatalogue: () => reads.marketCatalogue(),
    market: (market) => reads.market(market),
    marketStats: (market) => reads.marketStats(market),
    book: (market, depth) => reads.book(market, depth),
    candles: (query) => reads.candles(query),
    tradeList: (marketId, query) => tradeList(reads, marketId, query),
    accountSnapshot: (account) => reads.accountSnapshot(account),
    positions: (account) => reads.positions(account),
    party: (account) => reads.party(account),
    orderList: (list, query) => orderList(reads, list, query),
    fillList: (query) => fillList(reads, query),
    order: (account, order) => reads.order(account, order),
    orderByClientOrderId: (account, clientOrderId) => reads.orderByClientOrderId(account, clientOrderId),
    namedOrders: (account, names) => names.map((name) => namedOrder(reads, account, name) ?? null),
    openOrderNames: (account, market) => reads.openOrderNames(account, market),
    freshness: () => reads.freshness(),
    conservation: () => reads.conservation(),
    ledgers: () =>
      Object.fromEntries(VENUE_LEDGERS.map((ledger) => [ledger, reads.ledger(ledger)])) as Record<VenueLedger, string>,
  };
}

/** Answers in this thread. */
export function answeredHere(answers: Answers): Ask {
  return askBy(async (name, asked) => renderedAnswer(answers, name, asked));
}

/** Has every question answered by its name. */
export function askBy(answer: (name: keyof Answers, asked: readonly unknown[]) => Promise<string | undefined>): Ask {
  const get = (_: Ask, name: string | symbol) => {
    // Whoever awaits it is not asking.
    if (name === 'then') return undefined;
    return (...asked: readonly unknown[]) => answer(name as keyof Answers, asked);
  };
  return new Proxy({} as Ask, { get });
}

/** What is asked by its name, written out; `undefined` where there is none. */
export function renderedAnswer(answers: Answers, name: keyof Answers, asked: readonly unknown[]): string | undefined {
  const answer = (answers[name] as (...asked: readonly unknown[]) => unknown)(...asked);
  return answer === undefined ? undefined : JSON.stringify(answer);
}

/** A body that was written out, as the value that it is. */
export function readBack<Body>(body: Rendered<Body>): Body {
  return JSON.parse(body) as Body;
}

function namedOrder(reads: Reads, account: AccountOrdinal, name: OrderName): OrderResource | undefined {
  return typeof name === 'number' ? reads.order(account, name) : reads.orderByClientOrderId(account, name.clientOrderId);
}

function tradeList(reads: Reads, marketId: string, query: TradeQuery): TradeList {
  const page = reads.trades(query);
  return {
    version: 'external-trade-list/v1',
    marketId,
    trades: [...page.entries],
    ...nextCursor('listTrades', query, page),
    freshness: reads.freshness(),
  };
}

function orderList(reads: Reads, list: 'listOrders' | 'listOpenOrders', query: OrderQuery): OrderList {
  const page = reads.orders(query);
  return {
    version: 'external-order-list/v1',
    accountId: renderAccountId(query.account),
    orders: [...page.entries],
    ...nextCursor(list, query, page),
    freshness: reads.freshness(),
  };
}

function fillList(reads: Reads, query: FillQuery): FillList | undefined {
  if (query.order !== undefined && reads.order(query.account, query.order) === undefined) return undefined;
  const page = reads.fills(query);
  return {
    version: 'external-fill-list/v1',
    accountId: renderAccountId(query.account),
    fills: [...page.entries],
    ...nextCursor('listFills', query, page),
    freshness: reads.freshness(),
  };
}
