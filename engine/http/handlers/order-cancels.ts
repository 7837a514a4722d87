/**
 * Handlers for cancels of one order, several, or all. They submit the orders that the writer knows to be open, and then read the
 * result.
 */
import type { CancelledOrders, OrderCancelOutcomes, OrderCancels, orderCancelOperations } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Principal } from '#identity/directory.ts';
import type { Directory, ListedMarket } from '#reads/reads.ts';
import { type OrderName, parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { parseOrderId, renderAccountId } from '#units/ids.ts';
import { MAX_BATCH_ENTRIES } from '#venue/command.ts';
import { type Outcome, type Submit, WriterBusy } from '#writer/port/submit.ts';
import { readAccepted } from './accepted-command.ts';
import { foundOrRefuse, orderNamed } from './own-orders.ts';
import { marketOfBody } from './placement.ts';
import { venueRefusal } from './venue-refusal.ts';

export function orderCancelHandlers({
  submit,
  openOrders,
  directory,
}: HttpPorts): Pick<Handlers, keyof typeof orderCancelOperations> {
  const ports = { submit, openOrders, directory };
  return {
    cancelOrder: async ({ params, body, principal: { account }, reads }) => ({
      body: await cancelOne({ ...ports, reads }, account, orderNamed(params.orderId), marketOf(directory, body)),
    }),

    cancelOrderByClientOrderId: async ({ params: { clientOrderId }, body, principal: { account }, reads }) => ({
      body: await cancelOne({ ...ports, reads }, account, { clientOrderId }, marketOf(directory, body)),
    }),

    cancelOrders: async ({ body, principal, reads }) => {
      const account = accountOf(principal, body);
      const orders = await cancelNamed({ ...ports, reads }, account, namesOf(body), marketOf(directory, body));
      const outcomes = orders.map((order, index) => outcomeOf(account, body, index, order));
      return { body: { version: 'external-order-cancel-batch/v1', outcomes } };
    },

    cancelAllOrders: async ({ body, principal, reads }) => {
      const account = accountOf(principal, body);
      return { body: await cancelAll({ ...ports, reads }, account, marketOf(directory, body)?.market) };
    },
  };
}

/** With the caller's reads. */
interface CancelPorts extends Pick<HttpPorts, 'submit' | 'openOrders' | 'directory'> {
  readonly reads: RenderedReads;
}

function marketOf(directory: Directory, body: { readonly marketId?: string | undefined } | undefined): ListedMarket | undefined {
  return body?.marketId === undefined ? undefined : marketOfBody(directory, body.marketId);
}

function accountOf(principal: Principal, { accountId }: { readonly accountId?: string | undefined }): AccountOrdinal {
  return accountId === undefined ? principal.account : ownAccount(principal, accountId);
}

/** A malformed id matches no order. */
function namesOf({ orderIds, clientOrderIds = [] }: OrderCancels): readonly OrderName[] {
  return (
    orderIds?.map((orderId) => parseOrderId(orderId) ?? NO_ORDER) ?? clientOrderIds.map((clientOrderId) => ({ clientOrderId }))
  );
}

const NO_ORDER = 0 as OrderOrdinal;

async function cancelOne(
  ports: CancelPorts,
  account: AccountOrdinal,
  name: OrderName,
  market: ListedMarket | undefined,
): Promise<OrderResource> {
  const [order] = await cancelNamed(ports, account, [name], market);
  const ended = foundOrRefuse(order ?? undefined);
  if (!isCancelledByOwner(ended)) throw new Refused('order_not_open');
  return ended;
}

/**
 * Cancels the open orders in one turn, and returns all named ones as they are then. Orders that the writer knows to be open are
 * submitted at once, without waiting for a read. With a market, orders of other markets count as unknown.
 */
async function cancelNamed(
  { submit, reads, openOrders }: CancelPorts,
  account: AccountOrdinal,
  names: readonly OrderName[],
  market: ListedMarket | undefined,
): Promise<readonly (OrderResource | null)[]> {
  const read = async (these: readonly OrderName[]) => {
    const orders = parseRendered(await reads.namedOrders(account, these));
    return orders.map((order) => (market === undefined || order?.marketId === market.specification.marketId ? order : null));
  };
  const named = openOrders.named(account, names);
  const own = market && new Set(openOrders.all(account, market.market));
  const openNow = named?.open.filter((order) => own === undefined || own.has(order)) ?? [];
  if (named !== undefined && openNow.length > 0) {
    await end(submit, account, openNow);
    return readAccepted(read(named.orders));
  }
  await openOrders.settled();
  const found = await read(names);
  const open = found.flatMap((order) => (order?.status === 'open' ? [orderNamed(order.orderId)] : []));
  // A closed order stays closed: no command is needed, so the journal gets no record.
  if (open.length === 0) return found;
  await end(submit, account, [...new Set(open)]);
  return readAccepted(read(found.map((order, index) => (order === null ? names[index]! : orderNamed(order.orderId)))));
}

/** An order that has closed meanwhile is refused; the read afterwards shows it. */
async function end(submit: Submit, account: AccountOrdinal, open: readonly OrderOrdinal[]): Promise<void> {
  const [order, ...more] = open;
  if (more.length === 0) await submit({ command: { type: 'CancelOrder', account, order: order! } });
  else carriedOut(await submit({ command: { type: 'CancelOrders', account, orders: open } }));
}

/** Whether the owner cancelled it: a repeated cancel is then a no-op. Any other end is reported. */
function isCancelledByOwner({ status, cancelReason }: OrderResource): boolean {
  return status === 'cancelled' && cancelReason === undefined;
}

function outcomeOf(
  account: AccountOrdinal,
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
    orderId: orderIds?.[index] ?? order?.orderId ?? null,
    accountId: renderAccountId(account),
    marketId: order?.marketId ?? null,
    status: order?.status ?? null,
    lastSequence: order?.lastSequence ?? null,
    idempotencyKey: order?.idempotencyKey ?? null,
    clientOrderId: clientOrderIds?.[index] ?? order?.clientOrderId ?? null,
    code,
    safeMessage: new Refused(code).message,
    order,
  };
}

/**
 * In turns of at most the maximum batch size. An order that a concurrent request cancels is listed in that request's response.
 */
async function cancelAll(
  { submit, reads, directory, openOrders }: CancelPorts,
  account: AccountOrdinal,
  market: MarketOrdinal | undefined,
): Promise<CancelledOrders> {
  let open = openOrders.all(account, market);
  if (open.length === 0) {
    await openOrders.settled();
    // Open orders of a halted venue may never become durable: read which are open, and let the venue refuse the cancel.
    open = parseRendered(await reads.openOrderNames(account, market)).map(({ orderId }) => orderNamed(orderId));
  }
  const cancelled: OrderOrdinal[] = [];
  let lastSequence = directory.sequence();
  for (let from = 0; from < open.length; from += MAX_BATCH_ENTRIES) {
    const orders = open.slice(from, from + MAX_BATCH_ENTRIES);
    const record = carriedOut(
      await submit({ command: { type: 'CancelOrders', account, orders } }).catch(reportProgress(cancelled.length)),
    );
    cancelled.push(...record.events.flatMap((event) => (event.type === 'OrderCancelled' ? [event.order] : [])));
    lastSequence = record.sequence;
  }
  return {
    version: 'external-order-cancel-all/v1',
    accountId: renderAccountId(account),
    cancelled: cancelled.length === 0 ? [] : [...parseRendered(await readAccepted(reads.orderNames(account, cancelled)))],
    lastSequence,
  };
}

/** If busy midway, some cancels have already been applied. */
function reportProgress(cancelled: number): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof WriterBusy) || cancelled === 0) throw thrown;
    const message = `The queue of the venue is full. ${cancelled} orders were cancelled before that: retry in a moment to cancel the rest.`;
    throw new Refused('venue_busy', message, { headers: { 'retry-after': '1' } });
  };
}

/** Throws if the venue refused a command with an existing account and existing orders: an internal error. */
function carriedOut(record: Outcome): Outcome {
  const refusal = venueRefusal(record);
  if (refusal !== undefined) throw new Error(`record ${record.sequence} cancelled nothing: ${refusal.code}`);
  return record;
}
