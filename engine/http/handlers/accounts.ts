/** What an account holds, ordered and traded; and the key that asks. */
import type { accountOperations } from '#contract/accounts.ts';
import type { authOperations } from '#contract/auth.ts';
import { ownAccount } from '#http/access.ts';
import type { Handlers } from '#http/binding.ts';
import { orderNamed } from '#http/own-orders.ts';
import { pageQuery } from '#http/paging.ts';
import type { HttpPorts } from '#http/ports.ts';
import type { Directory, FillQuery, OrderQuery } from '#http/reads.ts';
import { Refused } from '#http/refused.ts';
import type { MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { marketNamed } from './markets.ts';

export function accountHandlers({
  directory,
  ask,
}: HttpPorts): Pick<Handlers, keyof typeof accountOperations | keyof typeof authOperations> {
  return {
    getAccount: async ({ params, principal }) => ({ body: await ask.accountSnapshot(ownAccount(principal, params.accountId)) }),

    listPositions: async ({ params, principal }) => ({ body: await ask.positions(ownAccount(principal, params.accountId)) }),

    getParty: async ({ params, principal }) => ({ body: await ask.party(ownAccount(principal, params.accountId)) }),

    listOrders: async ({ params, query, principal }) => {
      const asked: OrderQuery = {
        account: ownAccount(principal, params.accountId),
        ...pageQuery('listOrders', query),
        ...marketFilter(directory, query.marketId),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.clientOrderId === undefined ? {} : { clientOrderId: query.clientOrderId }),
      };
      return { body: await ask.orderList('listOrders', asked) };
    },

    listOpenOrders: async ({ params, query, principal }) => {
      const asked: OrderQuery = {
        account: ownAccount(principal, params.accountId),
        status: 'open',
        ...pageQuery('listOpenOrders', query),
        ...marketFilter(directory, query.marketId),
      };
      return { body: await ask.orderList('listOpenOrders', asked) };
    },

    listFills: async ({ params, query, principal }) => {
      const asked: FillQuery = {
        account: ownAccount(principal, params.accountId),
        ...pageQuery('listFills', query),
        ...marketFilter(directory, query.marketId),
        ...orderFilter(query.orderId),
      };
      const body = await ask.fillList(asked);
      if (body === undefined) throw new Refused('order_not_found');
      return { body };
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

function marketFilter(directory: Directory, marketId: string | undefined): { readonly market?: MarketOrdinal } {
  return marketId === undefined ? {} : { market: marketNamed(directory, marketId) };
}

function orderFilter(orderId: string | undefined): { readonly order?: OrderOrdinal } {
  return orderId === undefined ? {} : { order: orderNamed(orderId) };
}
