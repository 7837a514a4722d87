/** Handlers for amending one order or several. */
import type { AmendmentEntry, OrderAmendmentOutcomes, orderAmendmentOperations } from '#contract/order-amendments.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Directory } from '#reads/reads.ts';
import { type OrderName, parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { type AccountOrdinal, type MarketOrdinal, type OrderOrdinal, parseOrderId, renderAccountId } from '#units/ids.ts';
import { baseAtoms, priceAtoms } from '#units/money.ts';
import type { Amendment } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Outcome } from '#writer/port/submit.ts';
import { amendedIn, renderAmended } from './amended-orders.ts';
import { idempotencyOf } from './idempotency.ts';
import { atomsOf } from './order-terms.ts';
import { marketOfBody, unknownMarket } from './placement.ts';
import { REPLAYED, refusalMessage, venueRefusal } from './venue-refusal.ts';

const NO_ORDER = 0 as OrderOrdinal;
const NO_MARKET = 0 as MarketOrdinal;

export function orderAmendmentHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof orderAmendmentOperations> {
  const { submit, directory } = ports;

  return {
    amendOrder: async (call) => {
      const { body, principal, reads, idempotencyKey } = call;
      const account = ownAccount(principal, body.accountId);
      const { market, specification } = marketOfBody(directory, body.marketId);
      const changes = changesOf(body, specification);
      const order = await orderOf(ports, reads, account, nameOf(body));
      const record = await submit({
        command: { type: 'AmendOrder', account, market, order, ...changes },
        idempotency: idempotencyOf(account, 'amendOrder', call),
      });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      const [amended] = amendedIn(record.events).values();
      if (amended === undefined) throw new Error(`record ${record.sequence} neither amended nor refused its order`);
      const rendered = renderAmended(amended, specification, record, idempotencyKey);
      return { body: { version: 'external-order-amendment/v1', ...rendered }, headers: headersOf(record) };
    },

    amendOrders: async (call) => {
      const { body, principal, reads, idempotencyKey } = call;
      const { account } = principal;
      for (const { accountId } of body.amendments) ownAccount(principal, accountId);
      const entries: Amendment[] = [];
      for (const entry of body.amendments) {
        const order = await orderOf(ports, reads, account, nameOf(entry));
        entries.push(amendmentOf(directory, entry, order));
      }
      const record = await submit({
        command: { type: 'AmendOrders', account, entries },
        idempotency: idempotencyOf(account, 'amendOrders', call),
      });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      const outcomes = outcomesOf(directory, account, body.amendments, record, idempotencyKey);
      return { body: { version: 'external-order-amendment-batch/v1', outcomes }, headers: headersOf(record) };
    },
  };
}

function headersOf({ replayed }: Outcome): Readonly<Record<string, string>> {
  return replayed ? REPLAYED : {};
}

function nameOf({ orderId, clientOrderId }: AmendmentEntry): OrderName {
  return orderId === undefined ? { clientOrderId: clientOrderId! } : (parseOrderId(orderId) ?? NO_ORDER);
}

/** The order of a name, or no order. The writer knows the names of open orders, except very old ones. */
async function orderOf(
  { openOrders }: Pick<HttpPorts, 'openOrders'>,
  reads: RenderedReads,
  account: AccountOrdinal,
  name: OrderName,
): Promise<OrderOrdinal> {
  if (typeof name === 'number') return name;
  const known = openOrders.named(account, [name]);
  if (known !== undefined) return known.orders[0]!;
  const [read] = parseRendered(await reads.namedOrders(account, [name]));
  return (read && parseOrderId(read.orderId)) ?? NO_ORDER;
}

/** Throws {@link Refused} if an amount does not fit the market. */
function changesOf({ price, quantity }: Pick<AmendmentEntry, 'price' | 'quantity'>, specification: MarketSpecification) {
  const { priceScale, quantityScale } = specification;
  return {
    priceAtoms: priceAtoms(price === undefined ? 0 : changedTo('price', price, priceScale, specification)),
    quantityAtoms: baseAtoms(quantity === undefined ? 0 : changedTo('quantity', quantity, quantityScale, specification)),
  };
}

/** Zero means unchanged in the command, so a zero in the body is refused here. */
function changedTo(amount: 'price' | 'quantity', text: string, scale: number, specification: MarketSpecification): number {
  const atoms = atomsOf(amount, text, scale, specification);
  if (atoms > 0) return atoms;
  throw new Refused(`${amount}_out_of_bounds`, `The ${amount} is ${text}; it must be above 0.`);
}

/** An entry whose market is unknown, or whose amounts do not fit it, names no order: the venue refuses it, and each keeps its index. */
function amendmentOf(directory: Directory, entry: AmendmentEntry, order: OrderOrdinal): Amendment {
  const changes = entryChanges(directory, entry);
  if (changes instanceof Refused)
    return { market: NO_MARKET, order: NO_ORDER, priceAtoms: priceAtoms(0), quantityAtoms: baseAtoms(0) };
  return { market: directory.listedMarket(entry.marketId)!.market, order, ...changes };
}

function entryChanges(directory: Directory, entry: AmendmentEntry): ReturnType<typeof changesOf> | Refused {
  const listed = directory.listedMarket(entry.marketId);
  if (listed === undefined) return unknownMarket(entry.marketId);
  try {
    return changesOf(entry, listed.specification);
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown;
    throw thrown;
  }
}

function outcomesOf(
  directory: Directory,
  account: AccountOrdinal,
  sent: readonly AmendmentEntry[],
  record: Outcome,
  idempotencyKey: string,
): OrderAmendmentOutcomes['outcomes'] {
  const { command, events, sequence } = record;
  if (command.type !== 'AmendOrders') throw new Error(`record ${sequence} is no batch of amendments`);
  const orders = amendedIn(events);
  const refusals = new Map(events.flatMap((event) => (event.type === 'EntryRefused' ? [[event.index, event]] : [])));
  return sent.map((entry, index) => {
    const refusal = refusals.get(index);
    const amended = orders.get(command.entries[index]!.order);
    if (refusal === undefined && amended !== undefined) {
      const { specification } = directory.listedMarket(entry.marketId)!;
      return { index, accepted: true, ...renderAmended(amended, specification, record, idempotencyKey) };
    }
    if (refusal === undefined) throw new Error(`record ${sequence} neither amended nor refused its entry ${index}`);
    const unfit = command.entries[index]!.market === NO_MARKET ? entryChanges(directory, entry) : undefined;
    const { code, message } = unfit instanceof Refused ? unfit : { code: refusal.code, message: refusalMessage(refusal) };
    return {
      index,
      accepted: false,
      orderId: entry.orderId ?? null,
      clientOrderId: entry.clientOrderId ?? null,
      accountId: renderAccountId(account),
      marketId: entry.marketId,
      lastSequence: sequence,
      idempotencyKey,
      code,
      safeMessage: message,
    };
  });
}
