/**
 * Orders that wait for a price. Finds independently which of them each price reaches, and in which order: one triggers only then, and none
 * is left without an announcement. Legs have what their entry order opened in the current position.
 */
import type { Command } from '#venue/command.ts';
import type {
  LegChanged,
  OrderAccepted,
  OrderAmended,
  OrderCancelled,
  OrderFilled,
  OrderTriggered,
  PositionChanged,
  TriggerAccepted,
} from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { AuditedTimers } from './cancel-timers.ts';
import type { Leverages } from './leverages.ts';
import { checkAllTried } from './liquidations.ts';
import type { Market, Markets } from './markets.ts';
import { permits } from './markets.ts';
import type { PositionBooks } from './position-books.ts';
import { shareDown, shareUp } from './rounding.ts';
import { waitingLine } from './waiting-line.ts';
import { entryPriceFor } from './waiting-outcomes.ts';

/** A waiting order. */
interface Waiting extends Omit<TriggerAccepted, 'quantityAtoms' | 'entry' | 'linked' | 'position' | 'triggerPriceAtoms'> {
  quantity: number;
  entry: number;
  linked: number;
  position: number;
  /** That of a trailing stop follows `best`. */
  price: number;
  best: number;
  /** When it began to wait for its price, among all orders; 0 for a leg that waits for its entry order. */
  since: number;
}

const MAX_PER_ACCOUNT = 20;
const MAX_PER_TURN = 50;
const REFUSED: readonly string[] = ['trigger_refused', 'margin_unbacked', 'price_band', 'reduce_only'];

export class WaitingOrders {
  readonly #markets: Markets;
  readonly #positions: PositionBooks;
  readonly #timers: AuditedTimers;
  readonly #orders = new Map<number, Waiting>();
  /** By market: the orders whose price was reached, in the order in which they trigger. */
  readonly #due = new Map<number, Waiting[]>();
  /** What the legs of an entry order must have after the fills of this turn. */
  readonly #leverages: Leverages;
  readonly #expected = new Map<number, number>();
  readonly #triggered = new Set<number>();
  /** Entry orders that have ended. */
  readonly #endedEntries = new Set<number>();
  #command: Command | undefined;
  #epochMs = 0;
  #fill: OrderFilled | undefined;
  #lastSince = 0;
  #turnCount = 0;

  constructor(markets: Markets, positions: PositionBooks, leverages: Leverages, timers: AuditedTimers) {
    this.#timers = timers;
    this.#leverages = leverages;
    this.#markets = markets;
    this.#positions = positions;
  }

  beginTurn(command: Command, epochMs: number): void {
    this.#command = command;
    this.#epochMs = epochMs;
    this.#fill = undefined;
    this.#turnCount = 0;
    if (this.#triggered.size > 0) this.#triggered.clear();
  }

  has(order: number): boolean {
    return this.#orders.has(order);
  }

  get(order: number): { readonly account: number } | undefined {
    return this.#orders.get(order);
  }

  hasAny(account: number): boolean {
    for (const it of this.#orders.values()) if (it.account === account) return true;
    return false;
  }

  /** Those that may open. */
  opening(): Iterable<Waiting> {
    return [...this.#orders.values()].filter(({ reduceOnly }) => !reduceOnly);
  }

  /** `entryLimit`: the limit price of the order whose leg it is, if that has one. */
  accept(event: TriggerAccepted, entryLimit: number | undefined): void {
    const { order, account, market, entry, linked, direction, kind, side, reduceOnly, position } = event;
    const name = `waiting order ${order}`;
    const listed = this.#markets.of(market);
    const it: Waiting = {
      ...event,
      quantity: event.quantityAtoms,
      entry,
      linked,
      position,
      price: event.triggerPriceAtoms,
      best: 0,
      since: 0,
    };
    const isBelow = side === 'sell' ? kind !== 'take_profit' : kind === 'take_profit';
    if (kind !== 'trigger' && (direction === 'below') !== isBelow)
      fail('trigger', `${name} is a ${kind} that ${side}s, and waits ${direction}`);
    if (entry === 0) this.#beginToWait(it);
    else if (!reduceOnly || it.quantity !== 0 || position !== 0) fail('trigger', `${name} is a leg of ${entry} and is not empty`);
    const price = priceIn(listed, event.source);
    if (kind === 'trailing_stop') this.#follow(it, price, listed);
    if (it.price !== event.triggerPriceAtoms)
      fail('trigger', `${name} trails at ${event.triggerPriceAtoms}, expected ${it.price}`);
    const from = entryPriceFor(side, price, entryLimit);
    if (isReached(it, from)) fail('trigger', `${name} waits for ${it.price}, and the price is ${from}`);
    const own = this.#positions.of(account, market);
    if (
      entry === 0 &&
      reduceOnly &&
      (position === 0 || position !== own.ordinal || this.#positions.closableBy(side, account, market) === 0)
    )
      fail('trigger', `${name} reduces position ${position}, and the account has ${own.ordinal}`);
    this.#orders.set(order, it);
    const other = this.#orders.get(linked);
    if (entry === 0 && linked > 0) this.#checkLink(event, other);
    if (other !== undefined) other.linked = order;
    let count = 0;
    for (const known of this.#orders.values()) if (known.account === account && known.market === market) count += 1;
    if (count > MAX_PER_ACCOUNT) fail('trigger', `account ${account} has ${count} waiting orders in market ${market}`);
  }

  /** Takes all prices of a market after an observation that was accepted. */
  observe(ordinal: number): void {
    const market = this.#markets.of(ordinal);
    if (!permits(market, 'liquidate', this.#epochMs)) return;
    for (const source of ['mark', 'index'] as const) this.#reach(ordinal, source, priceIn(market, source));
    if (market.lastPrice !== 0) this.#reach(ordinal, 'last', market.lastPrice);
  }

  trade(ordinal: number, price: number): void {
    if (permits(this.#markets.of(ordinal), 'liquidate', this.#epochMs)) this.#reach(ordinal, 'last', price);
  }

  fill(fill: OrderFilled): void {
    this.#checkExpected();
    this.#fill = fill;
  }

  /** Follows a change of a position: ends what belongs to it, and gives legs what their entry order opened. */
  move({ account, market, position, signedBaseAtoms, changedBaseAtoms }: PositionChanged): void {
    if (signedBaseAtoms === 0) {
      for (const it of this.#orders.values()) if (it.position === position && it.entry > 0) this.#expected.set(it.order, 0);
      return;
    }
    if (signedBaseAtoms > 0 !== changedBaseAtoms > 0) return;
    for (const it of this.#orders.values()) {
      if (it.entry === 0 || it.entry !== this.#fill?.order || it.account !== account || it.market !== market) continue;
      this.#expected.set(it.order, (this.#expected.get(it.order) ?? it.quantity) + Math.abs(changedBaseAtoms));
    }
  }

  change({ order, quantityAtoms, position, account, market }: LegChanged): void {
    const it = this.#orders.get(order) ?? fail('trigger', `leg ${order} changed and does not wait`);
    const expected = this.#expected.get(order);
    if (quantityAtoms !== expected) fail('trigger', `leg ${order} has ${quantityAtoms}, its entry order has opened ${expected}`);
    this.#expected.delete(order);
    const own = quantityAtoms === 0 ? 0 : this.#positions.of(account, market).ordinal;
    if (position !== own || it.entry === 0)
      fail('trigger', `leg ${order} of ${it.entry} reduces position ${position}, not ${own}`);
    it.quantity = quantityAtoms;
    it.position = position;
    if (quantityAtoms === 0) {
      it.since = 0;
      this.#leaveDue(it);
    } else if (it.since === 0) this.#beginToWait(it);
  }

  /** Returns the order as one that is placed now. */
  trigger(event: OrderTriggered): OrderAccepted {
    const { order, market: ordinal, terms, triggerPriceAtoms } = event;
    const it = this.#orders.get(order) ?? fail('trigger', `order ${order} was triggered and does not wait`);
    const market = this.#markets.of(ordinal);
    this.#checkTurn(ordinal);
    checkAllTried(market, this.#positions, this.#epochMs);
    if (this.#due.get(ordinal)?.[0] !== it)
      fail('trigger', `order ${order} was triggered, and ${this.#due.get(ordinal)?.[0]?.order} comes first`);
    const isSame = it.account === event.account && it.side === event.side && it.reduceOnly === event.reduceOnly;
    const closable = this.#positions.closableBy(it.side, it.account, ordinal);
    const atMost = it.reduceOnly && it.priceAtoms === 0 ? closable : it.quantity;
    const quantity = it.closePosition ? closable : Math.min(it.quantity, atMost);
    const asSent =
      it.priceAtoms === 0
        ? terms.kind === 'market' && terms.quantityAtoms === quantity
        : terms.kind === 'limit' && terms.quantityAtoms === quantity && terms.priceAtoms === it.priceAtoms && !terms.postOnly;
    if (
      !isSame ||
      !asSent ||
      this.#leverages.of(it.leverageHundredths, event) !== event.leverageHundredths ||
      triggerPriceAtoms !== it.price
    )
      fail('trigger', `order ${order} was triggered as ${JSON.stringify(event)}, and waited as ${JSON.stringify(it)}`);
    this.#triggered.add(order);
    this.#remove(it, true);
    const { account, market: at, side, reduceOnly, leverageHundredths, initialMarginBps, markPriceAtoms } = event;
    const asPlaced = {
      order,
      account,
      market: at,
      side,
      terms,
      reduceOnly,
      leverageHundredths,
      initialMarginBps,
      markPriceAtoms,
    };
    return { type: 'OrderAccepted', clientOrderId: '', idempotencyKey: '', origin: 'client', ...asPlaced };
  }

  /** Takes the end of a waiting order. */
  cancel(event: OrderCancelled): void {
    const { order, reason, account, market, side, priceAtoms, remainingAtoms, wasResting } = event;
    const it = this.#orders.get(order)!;
    const isItself = it.account === account && it.market === market && it.side === side && it.priceAtoms === priceAtoms;
    if (!isItself || wasResting || remainingAtoms !== it.quantity)
      fail('trigger', `waiting order ${order} was cancelled with other fields than it has`);
    if (!this.#isReason(event, it)) fail('trigger', `waiting order ${order} was cancelled for ${reason}, which does not apply`);
    if (this.#expected.get(order) === 0) this.#expected.delete(order);
    this.#remove(it, false);
  }

  /** An order has another limit price: its legs must be on their side of it. */
  amend({ order, priceAtoms, wasPriceAtoms }: OrderAmended): void {
    if (priceAtoms === wasPriceAtoms) return;
    for (const it of this.#orders.values())
      if (
        it.entry === order &&
        isReached(it, entryPriceFor(it.side, priceIn(this.#markets.of(it.market), it.source), priceAtoms))
      )
        fail('trigger', `order ${order} was amended to ${priceAtoms}, and its leg ${it.order} waits for ${it.price}`);
  }

  /** An order that is no waiting one has ended: its legs are free. */
  endOrder(order: number): void {
    for (const it of this.#orders.values()) if (it.entry === order) this.#endedEntries.add(order);
  }

  /** Whether a leg of an entry order is triggered next, which cancels the rest of that order. */
  cancelsEntry(entry: number, market: number): boolean {
    const [next] = this.#due.get(market) ?? [];
    return next !== undefined && next.entry === entry && this.#isAdvance(market);
  }

  /** `hasWork`: the turn announced work of the market. `isAdvanced`: it did as much of it as it could. */
  checkMarket(ordinal: number, hasWork: boolean): void {
    const due = this.#due.get(ordinal)?.length ?? 0;
    if (due > 0 && !hasWork && permits(this.#markets.of(ordinal), 'liquidate', this.#epochMs))
      fail('trigger', `${due} orders in market ${ordinal} wait to be triggered without an announcement`);
  }

  checkTurn(): void {
    this.#checkExpected();
    for (const it of this.#orders.values()) {
      if (it.entry > 0 && this.#endedEntries.has(it.entry)) {
        if (it.quantity === 0) fail('trigger', `leg ${it.order} waits for order ${it.entry}, which has ended`);
        it.entry = 0;
      }
      const { account, market, position } = it;
      if (position > 0 && this.#positions.of(account, market).ordinal !== position)
        fail('trigger', `order ${it.order} waits, and its position ${position} has ended`);
    }
    this.#endedEntries.clear();
  }

  lines(): string[] {
    const due = [...this.#due.keys()].sort((one, other) => one - other).flatMap((market) => this.#due.get(market)!);
    return [...this.#orders.values()].map((it) =>
      waitingLine({ ...it, triggerPriceAtoms: it.price, quantityAtoms: it.quantity, duePlace: due.indexOf(it) }),
    );
  }

  /** Each change of a leg follows the fill that causes it. */
  #checkExpected(): void {
    for (const [order, quantity] of this.#expected) fail('trigger', `leg ${order} must have ${quantity}`);
  }

  #isReason({ reason, order, account, market }: OrderCancelled, it: Waiting): boolean {
    const command = this.#command!;
    switch (reason) {
      case 'user':
        return (
          ((command.type === 'CancelOrder' && command.order === order) ||
            (command.type === 'CancelOrders' && command.orders.includes(order as never))) &&
          command.account === account
        );
      case 'cancel_all_after':
        return command.type === 'EndDueOrders' && !it.reduceOnly && this.#timers.wasFired(it);
      case 'position_ended':
        return it.position > 0 && this.#positions.of(account, market).ordinal !== it.position;
      case 'entry_ended':
        return it.entry > 0 && it.quantity === 0 && this.#endedEntries.has(it.entry);
      case 'linked_order':
        return this.#triggered.has(it.linked);
      default: {
        if (!REFUSED.includes(reason) || this.#due.get(market)?.[0] !== it) return false;
        this.#checkTurn(market);
        return reason !== 'reduce_only' || it.reduceOnly;
      }
    }
  }

  /** The command names the other order by its client order id. */
  #checkLink({ order, account, market, clientOrderId }: TriggerAccepted, other: Waiting | undefined): void {
    const command = this.#command!;
    const sent =
      command.type === 'PlaceOrders' ? command.entries.find((entry) => entry.clientOrderId === clientOrderId) : command;
    const named = sent !== undefined && 'trigger' in sent ? sent.trigger?.linkedClientOrderId : undefined;
    const isItself = other?.account === account && other.market === market && other.clientOrderId === named;
    if (!isItself || other.linked !== 0 || other.entry !== 0)
      fail('trigger', `order ${order} is linked with ${other?.order}, and the request names ${named}`);
  }

  #isAdvance(market: number): boolean {
    const command = this.#command!;
    return (command.type === 'AdvanceMarket' || command.type === 'PublishIndexPrice') && command.market === market;
  }

  /** Called for each order that is triggered or refused when its price was reached. */
  #checkTurn(market: number): void {
    if (!this.#isAdvance(market)) fail('trigger', `an order in market ${market} was triggered by ${this.#command!.type}`);
    if (!permits(this.#markets.of(market), 'liquidate', this.#epochMs))
      fail('trigger', `an order in market ${market} was triggered, which its status or index does not permit`);
    this.#turnCount += 1;
    if (this.#turnCount > MAX_PER_TURN) fail('trigger', `a turn triggered ${this.#turnCount} orders`);
  }

  /** The orders that this price reaches: nearest price first, then the one that has waited longest; trailing stops last. */
  #reach(market: number, source: Waiting['source'], price: number): void {
    const due = this.#due.get(market) ?? [];
    const live = [...this.#orders.values()].filter(
      (it) => it.market === market && it.source === source && it.since > 0 && !due.includes(it),
    );
    if (live.length === 0) return;
    const listed = this.#markets.of(market);
    for (const it of live) if (it.kind === 'trailing_stop' && isBetter(it, price)) this.#follow(it, price, listed);
    const reached = live.filter((it) => isReached(it, price));
    const group = (it: Waiting) => (it.kind === 'trailing_stop' ? 2 : it.direction === 'below' ? 0 : 1);
    const nearness = (it: Waiting) => (group(it) === 2 ? 0 : it.direction === 'below' ? -it.price : it.price);
    reached.sort((one, other) => group(one) - group(other) || nearness(one) - nearness(other) || one.since - other.since);
    this.#due.set(market, [...due, ...reached]);
  }

  /** The price at which a trailing stop triggers: never further from the best price than its distance. */
  #follow(it: Waiting, best: number, { listing }: Market): void {
    const { trailingAtoms, trailingBps, direction } = it;
    it.best = best;
    if (direction === 'below') {
      const away = Math.min(best - 1, shareUp(best, 10_000 - trailingBps, 10_000));
      it.price = Math.max(0, trailingAtoms > 0 ? best - trailingAtoms : away);
    } else {
      const away = Math.max(best + 1, shareDown(best, 10_000 + trailingBps, 10_000));
      it.price = Math.min(listing.specification.maxPriceAtoms, trailingAtoms > 0 ? best + trailingAtoms : away);
    }
  }

  #beginToWait(it: Waiting): void {
    this.#lastSince += 1;
    it.since = this.#lastSince;
  }

  #remove(it: Waiting, isTriggered: boolean): void {
    this.#orders.delete(it.order);
    this.#leaveDue(it);
    const other = this.#orders.get(it.linked);
    // The order that is cancelled for this one still says why.
    if (other !== undefined && !isTriggered) other.linked = 0;
  }

  #leaveDue(it: Waiting): void {
    const due = this.#due.get(it.market);
    if (due?.includes(it)) due.splice(due.indexOf(it), 1);
  }
}

function priceIn({ mark, index, lastPrice }: Market, source: Waiting['source']): number {
  if (source === 'index') return index.price;
  return source === 'mark' ? mark : lastPrice === 0 ? mark : lastPrice;
}

function isReached({ direction, price: trigger }: Waiting, price: number): boolean {
  return direction === 'below' ? price <= trigger : price >= trigger;
}

function isBetter({ direction, best }: Waiting, price: number): boolean {
  return direction === 'below' ? price > best : price < best;
}
