/** Checks that orders that wait for a price, and the legs of entry orders, are accepted as they were sent. */
import type { BatchEntry } from '#venue/command.ts';
import type { TriggerAccepted, VenueEvent } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { AuditedTurn } from './audited-turn.ts';

type Sender = Pick<TriggerAccepted, 'account' | 'idempotencyKey'>;

export function checkWaitingOrder(
  sequence: number,
  { account, idempotencyKey }: Sender,
  sent: BatchEntry,
  it: TriggerAccepted,
): void {
  const { trigger, terms } = sent;
  const isSame =
    account === it.account &&
    idempotencyKey === it.idempotencyKey &&
    sent.market === it.market &&
    sent.clientOrderId === it.clientOrderId &&
    sent.side === it.side &&
    sent.reduceOnly === it.reduceOnly &&
    sent.leverageHundredths === it.leverageHundredths &&
    trigger?.kind === it.kind &&
    trigger.source === it.source &&
    (trigger.direction === 'derived' || trigger.direction === it.direction) &&
    (trigger.kind === 'trailing_stop' || trigger.priceAtoms === it.triggerPriceAtoms) &&
    trigger.trailingAtoms === it.trailingAtoms &&
    trigger.trailingBps === it.trailingBps &&
    trigger.closePosition === it.closePosition &&
    'quantityAtoms' in terms &&
    terms.quantityAtoms === it.quantityAtoms &&
    (terms.kind === 'limit' ? terms.priceAtoms : 0) === it.priceAtoms &&
    (trigger.linkedClientOrderId === '') === (it.linked === 0);
  if (!isSame)
    fail('order', `waiting order ${it.order} of record ${sequence} is not what was requested: ${JSON.stringify(sent)}`);
}

/** The limit price that an entry order was sent with, if it has legs and one. */
export function entryLimitOf({ command, events }: AuditedTurn, entry: number): number | undefined {
  const accepted = events.find((event) => event.type === 'OrderAccepted' && event.order === entry);
  if (accepted?.type !== 'OrderAccepted') return undefined;
  const entries = command.type === 'PlaceOrders' ? command.entries : command.type === 'PlaceOrder' ? [command] : [];
  const terms = entries.find(({ clientOrderId }) => clientOrderId === accepted.clientOrderId)?.terms;
  return terms?.kind === 'limit' ? terms.priceAtoms : undefined;
}

/** Where the entry of a leg would fill: at its limit price, or at the current price if that is better. `side` is that of the leg. */
export function entryPriceFor(side: string, price: number, limit: number | undefined): number {
  if (limit === undefined) return price;
  return side === 'sell' ? Math.min(price, limit) : Math.max(price, limit);
}

/** Each order is accepted with the legs that were sent with it, right after it. They are linked with each other. */
export function checkLegs(sequence: number, sender: Sender, entries: readonly BatchEntry[], events: readonly VenueEvent[]): void {
  const accepted = events.filter((event) => event.type === 'OrderAccepted');
  const legs = events.filter((event) => event.type === 'TriggerAccepted').filter(({ entry }) => entry > 0);
  let count = 0;
  for (const { order, clientOrderId, side } of accepted) {
    const sent = entries.find((entry) => entry.clientOrderId === clientOrderId)?.attached;
    const [stop, profit] = [sent?.stopLoss, sent?.takeProfit];
    const both = [stop, profit].filter((leg) => leg !== undefined);
    for (const [index, { triggerPriceAtoms, source, priceAtoms }] of both.entries()) {
      const leg = legs[count];
      count += 1;
      const isSame =
        leg !== undefined &&
        leg.entry === order &&
        leg.order === order + index + 1 &&
        leg.linked === (both.length === 1 ? 0 : order + 2 - index) &&
        leg.kind === (stop !== undefined && index === 0 ? 'stop_loss' : 'take_profit') &&
        leg.account === sender.account &&
        leg.idempotencyKey === sender.idempotencyKey &&
        leg.triggerPriceAtoms === triggerPriceAtoms &&
        leg.source === source &&
        leg.priceAtoms === priceAtoms &&
        leg.side !== side &&
        leg.clientOrderId === '' &&
        leg.leverageHundredths === 0 &&
        leg.trailingAtoms === 0 &&
        leg.trailingBps === 0 &&
        !leg.closePosition;
      if (!isSame) fail('order', `record ${sequence} accepts another leg than was sent: ${JSON.stringify(leg)}`);
    }
  }
  if (legs.length !== count) fail('order', `record ${sequence} accepts ${legs.length} legs, and ${count} were sent`);
}
