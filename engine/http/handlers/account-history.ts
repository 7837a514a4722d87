/** Handlers for an account's orders, fills, positions, payments, transfers and ledger, in pages. */
import type { accountHistoryOperations } from '#contract/account-history.ts';
import type { accountLedgerOperations } from '#contract/account-ledger.ts';
import type { fundingOperations } from '#contract/funding.ts';
import type { OperationId } from '#contract/operations.ts';
import type { transferOperations } from '#contract/transfers.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Principal } from '#identity/directory.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import type { AccountHistoryQuery, Directory } from '#reads/reads.ts';
import { placeOfCursor } from '#reads/transfer-cursor.ts';
import type { OrderOrdinal } from '#units/ids.ts';
import { marketNamed } from './markets.ts';
import { foundOrRefuse, orderNamed } from './own-orders.ts';

type Operations = typeof accountHistoryOperations &
  typeof accountLedgerOperations &
  typeof transferOperations &
  Omit<typeof fundingOperations, 'listFundingRates'>;

/** Cursor lengths: a closed position is located by close time, record and number; a payment also by its period. */
const CLOSED_POSITION_PLACE = 3;
const FUNDING_PAYMENT_PLACE = 4;
/** The place of a ledger entry, and the trade at which its fills continue. */
const LEDGER_PLACE = 6;

export function accountHistoryHandlers({ directory }: HttpPorts): Pick<Handlers, keyof Operations> {
  return {
    listOrders: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listOrders', params, query, principal);
      const { status } = query;
      return {
        body: await reads.orderList(scope, { ...page, ...referenced(query), ...(status === undefined ? {} : { status }) }),
      };
    },

    listOpenOrders: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listOpenOrders', params, query, principal);
      return { body: await reads.orderList(scope, { ...page, ...referenced(query), status: 'open' }) };
    },

    listFills: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listFills', params, query, principal);
      return {
        body: foundOrRefuse(await reads.fillList(scope, { ...page, ...referenced(query), ...orderFilter(query.orderId) })),
      };
    },

    listPositionHistory: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listPositionHistory', params, query, principal, CLOSED_POSITION_PLACE);
      return { body: await reads.positionHistory(scope, page) };
    },

    listFundingPayments: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listFundingPayments', params, query, principal, FUNDING_PAYMENT_PLACE);
      return { body: await reads.fundingPaymentList(scope, page) };
    },

    listLedgerEntries: async ({ params, query, principal, reads }) => {
      const { scope, page } = listQuery(directory, 'listLedgerEntries', params, query, principal, LEDGER_PLACE);
      return { body: await reads.ledgerEntryList(scope, page) };
    },

    listTransfers: async ({ params, query: { kind, limit, since, until, cursor }, principal, reads }) => {
      const request = {
        account: ownAccount(principal, params.accountId),
        limit,
        ...(kind === undefined ? {} : { kind }),
        ...(since === undefined ? {} : { sinceEpochMs: since }),
        ...(until === undefined ? {} : { untilEpochMs: until }),
        ...(cursor === undefined ? {} : { afterEpochMs: placeOfCursor(cursor).updatedAtEpochMs }),
      };
      return { body: await reads.transferHistory(request) };
    },
  };
}

interface RequestedList {
  readonly limit: number;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly cursor?: string | undefined;
  readonly marketId?: string | undefined;
}

/** The parameters common to all lists of an account: account, market and page. Throws {@link Refused}. */
function listQuery(
  directory: Directory,
  list: OperationId,
  { accountId }: { readonly accountId: string },
  query: RequestedList,
  principal: Principal,
  placeLength = 1,
) {
  const account = ownAccount(principal, accountId);
  const scope = cursorScope(list, { accountId, ...query });
  const market = query.marketId === undefined ? {} : { market: marketNamed(directory, query.marketId) };
  const page: AccountHistoryQuery = { account, ...market, ...pageQuery(scope, query, placeLength) };
  return { scope, page };
}

function referenced({ clientOrderId }: { readonly clientOrderId?: string | undefined }): { readonly clientOrderId?: string } {
  return clientOrderId === undefined ? {} : { clientOrderId };
}

function orderFilter(orderId: string | undefined): { readonly order?: OrderOrdinal } {
  return orderId === undefined ? {} : { order: orderNamed(orderId) };
}
