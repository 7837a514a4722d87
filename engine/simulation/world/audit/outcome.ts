/**
 * Holds what came of a command against the command: an order is the one that was asked for, money moved is the money named,
 * a refusal changes nothing and has the reason that it names, as far as that can be seen from outside.
 */
import type { BatchEntry, Command, OrderTerms } from '#venue/command.ts';
import type { CommandRefused, EntryRefused, OrderAccepted, VenueEvent } from '#venue/event.ts';
import { type RefusalCode, UNSTORED_REFUSALS } from '#venue/refusal.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { demand } from './audit-failed.ts';
import type { OrderBooks } from './order-books.ts';
import { isEndOfBand } from './requirement.ts';

/** What an auditor must know of a venue to judge refusals. */
export interface Known {
  readonly orders: OrderBooks;
  readonly accounts: number;
  readonly lastOrder: number;
  hasPendingWithdrawal(withdrawal: number): boolean;
}

const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
const MAX_CLIENT_ORDER_IDS = 100_000;

export class OutcomeAudit {
  readonly #known: Known;
  /** By account and id: when it was used last. */
  readonly #clientOrderIds = new Map<string, number>();

  constructor(known: Known) {
    this.#known = known;
  }

  /** To be called before the books take the events. */
  check({ sequence, epochMs, command, events }: CommittedRecord): void {
    const isUnstored = events.every((event) => isRefusal(event) && UNSTORED_REFUSALS.has(event.code));
    demand(!isUnstored, `record ${sequence} is in the journal, and is a refusal that is not stored`);
    for (const event of events) {
      if (event.type === 'CommandRefused') {
        demand(events.length === 1, `record ${sequence} was refused, and did something`);
        this.#checkRefusal(event.code, command, epochMs);
      }
      if (event.type === 'OrderAccepted') this.#checkOrder(event, command, epochMs);
    }
    if (events[0]!.type !== 'CommandRefused') checkEntries(sequence, command, events);
  }

  /** An order that a client placed is one of the command's; no id is taken twice. */
  #checkOrder(accepted: OrderAccepted, command: Command, epochMs: number): void {
    if (accepted.origin !== 'client') return;
    const asked = entriesOf(command).find((entry) => isSame(entry, accepted));
    demand(asked !== undefined, `order ${accepted.order} is not what record's command asked for: ${JSON.stringify(command)}`);
    if (asked.terms.kind.startsWith('band')) this.#checkBandPrice(accepted);
    const id = `${accepted.account} ${accepted.clientOrderId}`;
    const used = this.#clientOrderIds.get(id);
    const isTaken = used !== undefined && used + CLIENT_ORDER_ID_RETENTION_MS > epochMs;
    demand(!isTaken || this.#clientOrderIds.size > MAX_CLIENT_ORDER_IDS, `client order id ${id} was used twice`);
    this.#clientOrderIds.set(id, epochMs);
  }

  /** The limit of an order that was sent without one. */
  #checkBandPrice({ order, side, market, terms, markPriceAtoms }: OrderAccepted): void {
    const specification = this.#known.orders.specificationOf(market);
    const isEnd = terms.kind === 'limit' && isEndOfBand(side, terms.priceAtoms, markPriceAtoms, specification);
    demand(isEnd, `order ${order} was sent without a price, and its limit is not the end of the band`);
  }

  #checkRefusal(code: RefusalCode, command: Command, epochMs: number): void {
    const what = `${code} was the answer to ${JSON.stringify(command)}`;
    const { orders, accounts, lastOrder } = this.#known;
    if (code === 'account_not_found' && command.type !== 'TransferCash')
      demand(!('account' in command) || command.account < 1 || command.account > accounts, what);
    if (code === 'market_not_found' && 'market' in command) demand(!orders.hasMarket(command.market), what);
    if (code === 'order_not_open' && command.type === 'CancelOrder') demand(orders.get(command.order) === undefined, what);
    if (code === 'order_not_found' && command.type === 'CancelOrder') {
      const isUnknown = command.order < 1 || command.order > lastOrder;
      demand(isUnknown || orders.get(command.order)?.account !== command.account, what);
    }
    if (code === 'withdrawal_not_found' && 'withdrawal' in command)
      demand(!this.#known.hasPendingWithdrawal(command.withdrawal), what);
    if (code === 'duplicate_client_order_id' && command.type === 'PlaceOrder') {
      const used = this.#clientOrderIds.get(`${command.account} ${command.clientOrderId}`);
      demand(used !== undefined && used + CLIENT_ORDER_ID_RETENTION_MS > epochMs, what);
    }
    if (code === 'post_only_would_cross' && command.type === 'PlaceOrder') {
      const met = orders.first(command.market, command.side === 'buy' ? 'sell' : 'buy');
      demand(met !== undefined && crosses(command.side, command.terms, met.priceAtoms), what);
    }
  }
}

function isRefusal(event: VenueEvent): event is CommandRefused | EntryRefused {
  return event.type === 'CommandRefused' || event.type === 'EntryRefused';
}

/**
 * Of a batch every entry has one outcome, in their order: an order, a cancellation, or a refusal. Why an entry was refused
 * is not judged: those before it may have changed what can be seen.
 */
function checkEntries(sequence: number, command: Command, events: readonly VenueEvent[]): void {
  const length =
    command.type === 'PlaceOrders' ? command.entries.length : command.type === 'CancelOrders' ? command.orders.length : 0;
  const isBatch = command.type === 'PlaceOrders' || command.type === 'CancelOrders';
  let entry = 0;
  for (const event of events) {
    if (event.type === 'EntryRefused') {
      demand(isBatch && event.index === entry, `record ${sequence} refuses entry ${event.index}, the next one is ${entry}`);
      entry += 1;
    }
    if (command.type === 'PlaceOrders' && event.type === 'OrderAccepted' && event.origin === 'client') {
      const asked = command.entries[entry];
      demand(
        asked !== undefined && isSame({ ...asked, account: command.account }, event),
        `record ${sequence} has order ${event.order} out of place`,
      );
      entry += 1;
    }
    if (command.type === 'CancelOrders' && event.type === 'OrderCancelled' && event.reason === 'user') {
      demand(command.orders[entry] === event.order, `record ${sequence} cancels order ${event.order} out of place`);
      entry += 1;
    }
  }
  demand(!isBatch || entry === length, `record ${sequence} has outcomes for ${entry} of ${length} entries`);
}

type Entry = BatchEntry & { readonly account: number; readonly idempotencyKey?: string };

function entriesOf(command: Command): readonly Entry[] {
  if (command.type === 'PlaceOrder') return [command];
  if (command.type === 'PlaceOrders')
    return command.entries.map((entry) => ({ ...entry, account: command.account, idempotencyKey: command.idempotencyKey }));
  return [];
}

function isSame(entry: Entry, accepted: OrderAccepted): boolean {
  return (
    entry.account === accepted.account &&
    entry.market === accepted.market &&
    entry.clientOrderId === accepted.clientOrderId &&
    entry.side === accepted.side &&
    entry.reduceOnly === accepted.reduceOnly &&
    entry.leverageX === accepted.leverageX &&
    (!('idempotencyKey' in entry) || entry.idempotencyKey === accepted.idempotencyKey) &&
    isAcceptedAs(entry.terms, accepted.terms)
  );
}

/** An order without a price is accepted with one; by notional, with a quantity too. */
function isAcceptedAs(sent: OrderTerms, taken: OrderAccepted['terms']): boolean {
  if (sent.kind !== 'band_limit' && sent.kind !== 'band_notional') return JSON.stringify(sent) === JSON.stringify(taken);
  if (taken.kind !== 'limit' || taken.postOnly) return false;
  return sent.kind === 'band_limit'
    ? taken.quantityAtoms === sent.quantityAtoms && taken.notionalAtoms === undefined
    : taken.notionalAtoms === sent.notionalAtoms;
}

function crosses(side: 'buy' | 'sell', terms: OrderTerms, price: number): boolean {
  if (terms.kind !== 'limit') return false;
  return side === 'buy' ? price <= terms.priceAtoms : price >= terms.priceAtoms;
}
