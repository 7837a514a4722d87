/** Triggers due orders, a bounded number in a turn. Each then runs like an order that is placed now; what would refuse it ends it. */
import type { Terms } from './command.ts';
import { closableBy } from './equity.ts';
import { checkTriggered } from './order-checks.ts';
import { planOf } from './order-plan.ts';
import { carryOut, termsFact } from './placement.ts';
import { Refused } from './refused.ts';
import { cancelOrder } from './resting.ts';
import { nextDue } from './status.ts';
import { cancelWaiting, removeWaiting } from './waiting.ts';
import type { Market, WaitingOrder, World } from './world.ts';
import { marketOf, note, positionOf } from './world.ts';

const TRIGGERED_PER_TURN = 50;
/** A turn stops after an order with which it has met so many, each triggered one included. */
const MET_PER_TURN = 1_000;

const REASONS: Readonly<Record<string, string>> = {
  reduce_only_would_increase: 'reduce_only',
  insufficient_margin: 'margin_unbacked',
  price_out_of_band: 'price_band',
};

/** The order that triggers next, if a price has reached one. */
export function firstDueOrder(world: World, market: Market): WaitingOrder | undefined {
  const due = world.waiting.filter((it) => it.market === market.ordinal && it.dueSince > 0);
  return due.sort((one, other) => one.dueSince - other.dueSince)[0];
}

/** Liquidations come first: one that becomes due ends the triggers of the turn. */
export function triggerDue(world: World, market: Market): void {
  let met = 0;
  for (let count = 0; count < TRIGGERED_PER_TURN && met < MET_PER_TURN; count += 1) {
    const waiting = firstDueOrder(world, market);
    if (waiting === undefined || nextDue(market) !== undefined) return;
    met += trigger(world, market, waiting);
  }
}

/** Returns how many orders it has met, itself included. */
function trigger(world: World, market: Market, waiting: WaitingOrder): number {
  // No leg would protect what the rest of the entry order opens.
  const entry = world.orders.find(({ order }) => order === waiting.entry);
  if (entry !== undefined) cancelOrder(world, entry, 'linked_order');
  const refusal = refusalOf(world, (copy) => run(copy, marketOf(copy, market.ordinal)!, waiting.order));
  if (refusal === undefined) return run(world, market, waiting.order);
  cancelWaiting(world, waiting, REASONS[refusal.code] ?? 'trigger_refused');
  return 1;
}

/** Why an action is refused, if it is. It runs on a copy. */
function refusalOf(world: World, action: (copy: World) => void): Refused | undefined {
  try {
    action(structuredClone(world));
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function run(world: World, market: Market, order: number): number {
  const waiting = world.waiting.find((it) => it.order === order)!;
  const { account, side, price, reduceOnly, leverageHundredths, closePosition } = waiting;
  const closable = closableBy(side, positionOf(market, account));
  const isLarge = reduceOnly && price === 0n && waiting.quantity > closable;
  const quantity = closePosition || isLarge ? closable : waiting.quantity;
  const quantityAtoms = Number(quantity);
  const terms: Terms =
    price === 0n
      ? { kind: 'market', quantityAtoms }
      : { kind: 'limit', priceAtoms: Number(price), quantityAtoms, postOnly: false };
  const request = { market: market.ordinal, clientOrderId: '', side, terms, reduceOnly, leverageHundredths };
  checkTriggered(world, market, account, request);
  const placement = planOf(world, market, account, request);
  const linked = world.waiting.find((it) => it.order === waiting.linked);
  removeWaiting(world, waiting);
  note(world, {
    type: 'OrderTriggered',
    order,
    account,
    market: market.ordinal,
    side,
    triggerPriceAtoms: waiting.triggerPrice,
    terms: termsFact(terms, placement.accepted),
    reduceOnly,
    leverageHundredths: placement.leverageHundredths,
    initialMarginBps: placement.initialMarginBps,
    markPriceAtoms: market.mark,
  });
  if (linked !== undefined) cancelWaiting(world, linked, 'linked_order');
  carryOut(world, market, placement, { order, filled: 0n, expiresAt: 0n });
  return 1 + placement.matches.visited;
}
