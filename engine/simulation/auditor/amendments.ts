/**
 * What the venue's documents say of amended orders: the quantity counts what has filled; a smaller one at the same price keeps the place
 * in the queue, and any other change makes the order the newest at its price, planned like a new one.
 */
import type { Amendment, Command } from '#venue/command.ts';
import type { OrderAccepted, OrderAmended, VenueEvent } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { OpenOrder } from './order-books.ts';

/** Checks the event against the order as it was, and against the command. */
export function checkAmendment(
  event: OrderAmended,
  resting: OpenOrder | undefined,
  command: Command,
  epochMs: number,
): OpenOrder {
  const { order, account, market, side, wasPriceAtoms, wasRemainingAtoms, priceAtoms, quantityAtoms, remainingAtoms } = event;
  if (resting === undefined) return fail('order', `order ${order} was amended and was not in the book`);
  const isItself = resting.account === account && resting.market === market && resting.side === side;
  if (!isItself || resting.priceAtoms !== wasPriceAtoms || resting.remaining !== wasRemainingAtoms)
    fail('order', `order ${order} was amended with other fields than it has`);
  if (resting.expiresAtEpochMs > 0 && resting.expiresAtEpochMs <= epochMs)
    fail('order', `order ${order} was amended after its expiry`);
  const requests = amendmentsOf(command).filter((entry) => entry.order === order);
  const isRequested = requests.some(
    (entry) =>
      market === entry.market &&
      priceAtoms === (entry.priceAtoms || wasPriceAtoms) &&
      quantityAtoms === (entry.quantityAtoms || resting.filled + wasRemainingAtoms),
  );
  if (!isRequested || !('account' in command) || command.account !== account)
    fail('order', `order ${order} was amended to ${quantityAtoms} at ${priceAtoms}, which its owner did not request`);
  if (remainingAtoms !== quantityAtoms - resting.filled || remainingAtoms <= 0)
    fail('order', `order ${order} is for ${quantityAtoms}, has filled ${resting.filled}, and remains with ${remainingAtoms}`);
  if (event.keepsPlace !== (priceAtoms === wasPriceAtoms && remainingAtoms <= wasRemainingAtoms))
    fail('matching', `order ${order} ${event.keepsPlace ? 'kept' : 'lost'} its place in the queue`);
  if (
    event.keepsPlace &&
    (event.markPriceAtoms !== resting.markPriceAtoms || event.initialMarginBps !== resting.initialMarginBps)
  )
    fail('margin', `order ${order} kept its place, and not the mark and the initial margin of its reservation`);
  return resting;
}

/** An order that lost its place, as if it were placed now. */
export function acceptedAgain(event: OrderAmended, { reduceOnly, leverageHundredths, postOnly }: OpenOrder): OrderAccepted {
  const { order, account, market, side, priceAtoms, remainingAtoms, markPriceAtoms, initialMarginBps } = event;
  return {
    type: 'OrderAccepted',
    order,
    account,
    market,
    side,
    clientOrderId: '',
    idempotencyKey: '',
    terms: { kind: 'limit', priceAtoms, quantityAtoms: remainingAtoms, postOnly },
    reduceOnly,
    leverageHundredths,
    initialMarginBps,
    origin: 'client',
    markPriceAtoms,
  };
}

/** Each entry of a batch has one outcome, in the order of the entries. */
export function checkAmendments(sequence: number, command: Command, events: readonly VenueEvent[]): void {
  const entries = amendmentsOf(command);
  const isBatch = command.type === 'AmendOrders';
  let next = 0;
  for (const event of events) {
    if (event.type === 'EntryRefused' && (!isBatch || event.index !== next))
      fail('batch', `record ${sequence} refuses entry ${event.index}, the next one is ${next}`);
    if (event.type === 'OrderAmended' && entries[next]?.order !== event.order)
      fail('batch', `record ${sequence} amends order ${event.order} out of place`);
    if (event.type === 'EntryRefused' || event.type === 'OrderAmended') next += 1;
  }
  if (next !== entries.length) fail('batch', `record ${sequence} has outcomes for ${next} of ${entries.length} amendments`);
}

function amendmentsOf(command: Command): readonly Amendment[] {
  if (command.type === 'AmendOrders') return command.entries;
  return command.type === 'AmendOrder' ? [command] : [];
}
