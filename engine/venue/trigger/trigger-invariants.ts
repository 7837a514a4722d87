/** Checks the orders that wait for a price. For test harnesses and checkers. */
import { InvariantBroken } from '#venue/invariant-broken.ts';
import type { VenueState } from '#venue/state.ts';
import { MAX_WAITING_TRIGGERS } from './triggers.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

/** Every waiting order is in the lists of its market and account, once, and belongs to what it says. */
export function checkTriggers(state: VenueState): void {
  const { triggers } = state;
  const counts = new Map<number, number>();
  for (const trigger of triggers.byOrder.values()) {
    counts.set(trigger.market, (counts.get(trigger.market) ?? 0) + 1);
    checkOne(state, trigger);
  }
  for (const market of state.markets) {
    if (market === undefined) continue;
    const count = counts.get(market.ordinal) ?? 0;
    demand(
      market.triggers.count === count,
      `market ${market.ordinal} counts ${market.triggers.count} waiting orders, not ${count}`,
    );
    for (const { order } of market.triggers.due())
      demand(
        triggers.find(order)?.market === market.ordinal,
        `order ${order} is due, but does not wait in market ${market.ordinal}`,
      );
  }
}

function checkOne(state: VenueState, trigger: WaitingTrigger): void {
  const { order, account, market, entry, linked, position, quantityAtoms, reduceOnly, closePosition, isLive } = trigger;
  const name = `waiting order ${order}`;
  const listed = state.market(market)!.triggers;
  const own = state.triggers.of(account, market);
  demand(own.includes(trigger), `${name} is not in its account's list`);
  demand(own.length <= MAX_WAITING_TRIGGERS, `account ${account} has ${own.length} waiting orders in market ${market}`);
  const isDue = [...listed.due()].includes(trigger);
  demand(listed.isWatched(trigger) !== isDue || !isLive, `${name} must wait for its price or be due, not both`);
  demand(isLive || (entry > 0 && !listed.isWatched(trigger) && !isDue), `${name} waits for no entry order`);
  demand(isLive ? quantityAtoms > 0 || closePosition : quantityAtoms === 0, `${name} has a quantity of ${quantityAtoms}`);
  demand(entry === 0 || state.triggers.legsOf(entry).includes(trigger), `${name} does not follow its entry order ${entry}`);
  const other = linked === 0 ? undefined : state.triggers.find(linked);
  demand(linked === 0 || other?.linked === order, `${name} is linked with ${linked}, which is not linked with it`);
  const holding = state.account(account)!.positions[market];
  const belongs = !reduceOnly || !isLive || (position > 0 && holding?.ordinal === position);
  demand(belongs, `${name} reduces position ${position}, but the account has ${holding?.ordinal}`);
}

function demand(condition: boolean, fault: string): void {
  if (!condition) throw new InvariantBroken(fault);
}
