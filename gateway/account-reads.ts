/** The private reads of /v2. */
import type { unifiedAccountOperations } from '#contract/unified-accounts.ts';
import { unifiedBalance, unifiedPosition, unifiedTrade } from './account-structures.ts';
import { unifiedOrder } from './order-structures.ts';
import type { Gateway, Venue } from './port.ts';
import type { Symbols } from './symbols.ts';

interface ListRequest {
  readonly params: { readonly accountId: string };
  readonly query: {
    readonly symbol?: string | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    readonly limit: number;
    readonly clientOrderId?: string | undefined;
    readonly orderId?: string | undefined;
  };
}

export function accountReads(symbols: Symbols): Pick<Gateway, keyof typeof unifiedAccountOperations> {
  return {
    getUnifiedBalance: async ({ params }, venue) => {
      const body = await venue.call('getAccount', { params });
      return { body: unifiedBalance(body) };
    },

    listUnifiedPositions: async ({ params, query }, venue) => {
      const listRequest = { params, query: await marketFilter(symbols, query.symbol) };
      const body = await venue.call('listPositions', listRequest);
      const positions = body.positions.map(async (it) => unifiedPosition(it, (await symbols.of(it.marketId)).symbol));
      return { body: await Promise.all(positions) };
    },

    listUnifiedOrders: (request, venue) => orderList(symbols, 'listOrders', request, venue),

    listUnifiedOpenOrders: (request, venue) => orderList(symbols, 'listOpenOrders', request, venue),

    listUnifiedTrades: async (request, venue) => {
      const listRequest = await listQuery(symbols, request);
      if (venue.translated !== undefined) return { body: await venue.translated('listFills', listRequest) };
      const body = await venue.call('listFills', listRequest);
      const trades = await Promise.all(body.fills.map(async (it) => unifiedTrade(it, (await symbols.of(it.marketId)).symbol)));
      return { body: oldestFirst(trades, request) };
    },
  };
}

async function orderList(symbols: Symbols, id: 'listOrders' | 'listOpenOrders', request: ListRequest, venue: Venue) {
  const listRequest = await listQuery(symbols, request);
  if (venue.translated !== undefined) return { body: await venue.translated(id, listRequest) };
  const body = await venue.call(id, listRequest);
  const orders = await Promise.all(body.orders.map(async (it) => unifiedOrder(it, await symbols.of(it.marketId))));
  return { body: oldestFirst(orders, request) };
}

/** Sorts by timestamp. Rows of the same millisecond keep the venue's order; its page is newest first without `since`. */
function oldestFirst<Row extends { readonly timestamp: number }>(page: readonly Row[], { query }: ListRequest): Row[] {
  const rows = query.since === undefined ? page.toReversed() : page;
  return rows.toSorted((one, other) => one.timestamp - other.timestamp);
}

async function listQuery(symbols: Symbols, { params, query: { symbol, ...others } }: ListRequest) {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return { params, query: { ...query, ...(await marketFilter(symbols, symbol)) } };
}

async function marketFilter(symbols: Symbols, symbol: string | undefined): Promise<{ readonly marketId?: string }> {
  return symbol === undefined ? {} : { marketId: (await symbols.inAddress(symbol)).marketId };
}
