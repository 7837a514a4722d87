/** Cancelling: one order, several, all. The venue is asked to end what is open, and then what became of it is read. */
import type {
  CancelledOrders,
  OpenOrderName,
  OrderCancelOutcomes,
  OrderCancels,
  orderCancelOperations,
} from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import { ownAccount } from '#http/access.ts';
import { type OrderName, readBack } from '#http/answers.ts';
import type { Handlers } from '#http/binding.ts';
import { existing, orderNamed } from '#http/own-orders.ts';
import { marketOfBody } from '#http/placement.ts';
import type { HttpPorts } from '#http/ports.ts';
import { Refused } from '#http/refused.ts';
import { venueRefusal } from '#http/venue-refusal.ts';
import type { Principal } from '#identity/directory.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import { parseOrderId, renderAccountId, renderOrdinal } from '#units/ids.ts';
import { MAX_BATCH_ENTRIES } from '#venue/command.ts';
import { type Committed, WriterBusy } from '#writer/submit.ts';

export function orderCancelHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof orderCancelOperations> {
  const { directory, ask } = ports;
  return {
    cancelOrder: async ({ params, principal: { account } }) => {
      const found = existing(await ask.order(account, orderNamed(params.orderId)));
      return { body: await cancelFound(ports, account, readBack(found)) };
    },

    cancelOrderByClientOrderId: async ({ params, principal: { account } }) => {
      const found = existing(await ask.orderByClientOrderId(account, params.clientOrderId));
      return { body: await cancelFound(ports, account, readBack(found)) };
    },

    cancelOrders: async ({ body, principal }) => {
      const account = accountOf(principal, body);
      const names = namesOf(body);
      const found = readBack(await ask.namedOrders(account, names));
      const ended = await cancelOpen(ports, account, found);
      const outcomes = found.map((order, index) => outcomeOf(body, index, order === null ? null : ended.get(order.orderId)!));
      return { body: { version: 'external-order-cancel-batch/v1', outcomes } };
    },

    cancelAllOrders: async ({ body, principal }) => {
      const account = accountOf(principal, body);
      const market = body.marketId === undefined ? undefined : marketOfBody(directory, body.marketId).market;
      return { body: await cancelAll(ports, account, readBack(await ask.openOrderNames(account, market))) };
    },
  };
}

function accountOf(principal: Principal, { accountId }: { readonly accountId?: string | undefined }): AccountOrdinal {
  return accountId === undefined ? principal.account : ownAccount(principal, accountId);
}

/** What is no id of any order is the name of none. */
function namesOf({ orderIds, clientOrderIds = [] }: OrderCancels): readonly OrderName[] {
  return (
    orderIds?.map((orderId) => parseOrderId(orderId) ?? NO_ORDER) ?? clientOrderIds.map((clientOrderId) => ({ clientOrderId }))
  );
}

const NO_ORDER = 0 as OrderOrdinal;

async function cancelFound(ports: HttpPorts, account: AccountOrdinal, found: OrderResource): Promise<OrderResource> {
  const ended = (await cancelOpen(ports, account, [found])).get(found.orderId)!;
  if (!isCancelledByOwner(ended)) throw new Refused('order_not_open');
  return ended;
}

/** Ends those that are open; answers all of them as they are then. */
async function cancelOpen(
  { submit, ask }: HttpPorts,
  account: AccountOrdinal,
  found: readonly (OrderResource | null)[],
): Promise<ReadonlyMap<string, OrderResource>> {
  const orders = new Map(found.flatMap((order) => (order === null ? [] : [[order.orderId, order]])));
  const open = [...orders.values()].flatMap(({ orderId, status }) => (status === 'open' ? [orderNamed(orderId)] : []));
  // An end is final: the venue need not be asked, and the journal keeps no record of having been.
  const [order] = open;
  if (order === undefined) return orders;
  // One that has ended meanwhile is refused, and read as it is.
  if (open.length === 1) await submit({ command: { type: 'CancelOrder', account, order } });
  else carriedOut(await submit({ command: { type: 'CancelOrders', account, orders: open } }));
  for (const ended of readBack(await ask.namedOrders(account, open))) if (ended !== null) orders.set(ended.orderId, ended);
  return orders;
}

/** Where its owner cancelled it: repeating a cancel whose answer was lost is a no-op. Any other end is told. */
function isCancelledByOwner({ status, cancelReason }: OrderResource): boolean {
  return status === 'cancelled' && cancelReason === undefined;
}

function outcomeOf(
  { orderIds, clientOrderIds }: OrderCancels,
  index: number,
  order: OrderResource | null,
): OrderCancelOutcomes['outcomes'][number] {
  if (order !== null && isCancelledByOwner(order)) {
    const { version, ...cancelled } = order;
    return { index, accepted: true, ...cancelled };
  }
  const code = order === null ? ('order_not_found' as const) : ('order_not_open' as const);
  return {
    index,
    accepted: false,
    ...(orderIds !== undefined && { orderId: orderIds[index]! }),
    ...(clientOrderIds !== undefined && { clientOrderId: clientOrderIds[index]! }),
    code,
    safeMessage: new Refused(code).message,
    ...(order !== null && { order }),
  };
}

/** In turns of as many as one may have. An order that another request has ended is that one's to name. */
async function cancelAll(
  { submit, directory }: HttpPorts,
  account: AccountOrdinal,
  open: readonly OpenOrderName[],
): Promise<CancelledOrders> {
  const cancelled: OpenOrderName[] = [];
  let lastSequence = directory.sequence();
  for (let from = 0; from < open.length; from += MAX_BATCH_ENTRIES) {
    const named = open.slice(from, from + MAX_BATCH_ENTRIES);
    const orders = named.map(({ orderId }) => orderNamed(orderId));
    const record = carriedOut(await submit({ command: { type: 'CancelOrders', account, orders } }).catch(tellHowFar(cancelled)));
    const ended = new Set(
      record.events.flatMap((event) => (event.type === 'OrderCancelled' ? [renderOrdinal(event.order)] : [])),
    );
    cancelled.push(...named.filter(({ orderId }) => ended.has(orderId)));
    lastSequence = record.sequence;
  }
  return { version: 'external-order-cancel-all/v1', accountId: renderAccountId(account), cancelled, lastSequence };
}

/** A venue that is busy in the middle of it has not taken nothing. */
function tellHowFar(cancelled: readonly OpenOrderName[]): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof WriterBusy) || cancelled.length === 0) throw thrown;
    const message = `More is queued than the venue takes. ${cancelled.length} orders were cancelled before: send the same again in a moment for the rest.`;
    throw new Refused('venue_busy', message, { headers: { 'retry-after': '1' } });
  };
}

/** Throws where the venue refused a command that names an account and orders as there are: a defect. */
function carriedOut(record: Committed): Committed {
  const refusal = venueRefusal(record);
  if (refusal !== undefined) throw new Error(`record ${record.sequence} cancelled nothing: ${refusal.code}`);
  return record;
}
