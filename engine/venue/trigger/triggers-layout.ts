/** The layout of waiting orders in a snapshot: all of them by age, then those whose price was reached, in the order in which they trigger. */
import type { OrderOrdinal } from '#units/ids.ts';
import { type Cursor, MalformedRecord } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { SIDES } from '#venue/record/parts.ts';
import type { VenueState } from '#venue/state.ts';
import { TRIGGER_DIRECTIONS, TRIGGER_KINDS, TRIGGER_SOURCES } from './trigger-terms.ts';
import { WaitingTrigger } from './waiting-trigger.ts';

export function triggersLayout(io: Cursor, state: VenueState): void {
  const { triggers } = state;
  triggers.lastLive = io.int(triggers.lastLive);
  const saved = [...triggers.byOrder.values()];
  const due = state.markets.flatMap((market) => [...(market?.triggers.due() ?? [])].map(({ order }) => order));
  const waiting = longList(io, saved, waitingLayout);
  // Writing changes nothing.
  const isReading = triggers.isEmpty;
  const queue = longList(io, due, orderLayout);
  if (!isReading) return;
  // Orders of a price are in the order in which they began to wait, which is not always that of their numbers.
  for (const trigger of waiting) triggers.add(trigger);
  for (const trigger of waiting) state.market(trigger.market)!.triggers.count += 1;
  for (const trigger of [...waiting].sort((one, other) => one.liveNumber - other.liveNumber))
    if (trigger.isLive) state.market(trigger.market)!.triggers.watch(trigger);
  for (const order of queue) {
    const trigger = triggers.find(order);
    if (trigger === undefined) throw new MalformedRecord(`a snapshot triggers order ${order}, which does not wait`);
    state.market(trigger.market)!.triggers.makeDue(trigger);
  }
}

function orderLayout(io: Cursor, order: OrderOrdinal): OrderOrdinal {
  return io.int(order);
}

function waitingLayout(io: Cursor, it: WaitingTrigger): WaitingTrigger {
  const fields = {
    order: io.int(it.order),
    account: io.int(it.account),
    market: io.int(it.market),
    side: io.oneOf(SIDES, it.side),
    kind: io.oneOf(TRIGGER_KINDS, it.kind),
    source: io.oneOf(TRIGGER_SOURCES, it.source),
    direction: io.oneOf(TRIGGER_DIRECTIONS, it.direction),
    triggerPriceAtoms: io.int(it.triggerPriceAtoms),
    trailingAtoms: io.int(it.trailingAtoms),
    trailingBps: io.int(it.trailingBps),
    bestPriceAtoms: io.int(it.bestPriceAtoms),
    priceAtoms: io.int(it.priceAtoms),
    quantityAtoms: io.int(it.quantityAtoms),
    reduceOnly: io.flag(it.reduceOnly),
    leverageHundredths: io.leverage(it.leverageHundredths),
    closePosition: io.flag(it.closePosition),
    entry: io.int(it.entry),
    linked: io.int(it.linked),
    position: io.int(it.position),
    liveNumber: io.int(it.liveNumber),
  };
  return Object.assign(new WaitingTrigger(), fields);
}
