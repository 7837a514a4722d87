/** What an account holds, ordered and traded; and the key that asks. */
import type { accountOperations } from '#contract/accounts.ts';
import type { authOperations } from '#contract/auth.ts';
import type { OrderResource } from '#contract/orders.ts';
import { ownAccount } from '#http/access.ts';
import type { Handlers } from '#http/binding.ts';
import { nextCursor, pageQuery } from '#http/paging.ts';
import type { HttpPorts } from '#http/ports.ts';
import type { OrderQuery, Reads } from '#http/reads.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { marketNamed } from './markets.ts';
import { ownOrder } from './orders.ts';

export function accountHandlers({
  reads,
}: HttpPorts): Pick<Handlers, keyof typeof accountOperations | keyof typeof authOperations> {
  return {
    getAccount: ({ params, principal }) => ({ body: reads.accountSnapshot(ownAccount(principal, params.accountId)) }),

    listPositions: ({ params, principal }) => ({ body: reads.positions(ownAccount(principal, params.accountId)) }),

    getParty: ({ params, principal }) => ({ body: reads.party(ownAccount(principal, params.accountId)) }),

    listOrders: ({ params, query, principal }) => {
      const asked: OrderQuery = {
        account: ownAccount(principal, params.accountId),
        ...pageQuery('listOrders', query),
        ...marketFilter(reads, query.marketId),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.clientOrderId === undefined ? {} : { clientOrderId: query.clientOrderId }),
      };
      return { body: orderList('listOrders', reads, asked) };
    },

    listOpenOrders: ({ params, query, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const asked: OrderQuery = {
        account,
        status: 'open',
        ...pageQuery('listOpenOrders', query),
        ...marketFilter(reads, query.marketId),
      };
      return { body: orderList('listOpenOrders', reads, asked) };
    },

    listFills: ({ params, query, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const asked = {
        account,
        ...pageQuery('listFills', query),
        ...marketFilter(reads, query.marketId),
        ...orderFilter(reads, account, query.orderId),
      };
      const page = reads.fills(asked);
      return {
        body: {
          version: 'external-fill-list/v1',
          accountId: renderAccountId(account),
          fills: [...page.entries],
          ...nextCursor('listFills', asked, page),
          freshness: reads.freshness(),
        },
      };
    },

    getCurrentApiKey: ({ principal }) => ({
      body: {
        version: 'external-api-key/v1',
        keyId: principal.keyId,
        accountId: renderAccountId(principal.account),
        scopes: [...principal.scopes],
        label: principal.label,
        status: 'active',
        createdAtEpochMs: principal.issuedAtEpochMs,
      },
    }),
  };
}

function orderList(list: 'listOrders' | 'listOpenOrders', reads: Reads, asked: OrderQuery) {
  const page = reads.orders(asked);
  return {
    version: 'external-order-list/v1' as const,
    accountId: renderAccountId(asked.account),
    orders: [...page.entries] satisfies OrderResource[],
    ...nextCursor(list, asked, page),
    freshness: reads.freshness(),
  };
}

function marketFilter(reads: Reads, marketId: string | undefined): { readonly market?: MarketOrdinal } {
  return marketId === undefined ? {} : { market: marketNamed(reads, marketId) };
}

function orderFilter(reads: Reads, account: AccountOrdinal, orderId: string | undefined): { readonly order?: OrderOrdinal } {
  return orderId === undefined ? {} : { order: ownOrder(reads, account, orderId).order };
}
