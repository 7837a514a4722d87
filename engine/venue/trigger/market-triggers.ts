/**
 * The orders of a market that wait for a price, and the queue of those whose price was reached. The queue is in price-time order: an
 * earlier price comes first, and within one price levels, then age.
 */
import type { PriceAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, plus, smallerOf, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { Link } from './link.ts';
import { TriggerLevels } from './trigger-levels.ts';
import { TRIGGER_DIRECTIONS, type TriggerDirection, type TriggerSource } from './trigger-terms.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

/** The maximum number of waiting trailing stops in a market: every price of their source visits all of them. */
export const MAX_TRAILING_STOPS = 10_000;

const ONE_TICK = 1 as PriceAtoms;

export class MarketTriggers {
  readonly #maxPrice: PriceAtoms;
  readonly #due = new Link();
  readonly #levels = new Map<TriggerSource, Record<TriggerDirection, TriggerLevels>>();
  /** Live trailing stops whose price was not reached, by age. */
  readonly #trailing = new Set<WaitingTrigger>();
  /** All waiting orders of the market, with legs whose entry has not filled. */
  count = 0;

  constructor(maxPrice: PriceAtoms) {
    this.#maxPrice = maxPrice;
  }

  /** Whether an order waits to be triggered: its price was reached. */
  get hasDue(): boolean {
    return !this.#due.isAlone;
  }

  /** The order that is triggered next. */
  get firstDue(): WaitingTrigger | undefined {
    return this.hasDue ? (this.#due.next as WaitingTrigger) : undefined;
  }

  get trailingCount(): number {
    return this.#trailing.size;
  }

  /** The orders whose price was reached, in the order in which they trigger. */
  *due(): Iterable<WaitingTrigger> {
    for (let link = this.#due.next; link !== this.#due; link = link.next) yield link as WaitingTrigger;
  }

  watches(source: TriggerSource): boolean {
    return this.#levels.has(source);
  }

  /** For checkers: whether the order waits at its price, or among the trailing stops. */
  isWatched(trigger: WaitingTrigger): boolean {
    if (trigger.isTrailing) return this.#trailing.has(trigger);
    const levels = this.#levels.get(trigger.source)?.[trigger.direction];
    return levels !== undefined && [...levels.at(trigger.triggerPriceAtoms)].includes(trigger);
  }

  /** Waits for the price of a live order. */
  watch(trigger: WaitingTrigger): void {
    if (trigger.isTrailing) this.#trailing.add(trigger);
    else this.#levelsOf(trigger.source)[trigger.direction].add(trigger);
  }

  unwatch(trigger: WaitingTrigger): void {
    trigger.leave();
    if (trigger.isTrailing) this.#trailing.delete(trigger);
    else this.#levels.get(trigger.source)?.[trigger.direction].clean(trigger.triggerPriceAtoms);
  }

  /** Adds an order to the end of the due ones. */
  makeDue(trigger: WaitingTrigger): void {
    this.unwatch(trigger);
    this.#due.append(trigger);
  }

  /** Takes a price of a source: moves trailing stops, and makes the orders due whose price it reaches. */
  observe(source: TriggerSource, price: PriceAtoms): void {
    const levels = this.#levels.get(source);
    if (levels !== undefined) for (const direction of TRIGGER_DIRECTIONS) levels[direction].moveReached(price, this.#due);
    // No trailing stop follows trades: a turn of many trades would visit all of them for each.
    if (source === 'last') return;
    for (const trigger of this.#trailing) if (trigger.source === source && this.#trails(trigger, price)) this.makeDue(trigger);
  }

  /** Moves a trailing stop with a better price. Returns whether its price is reached. */
  #trails(trigger: WaitingTrigger, price: PriceAtoms): boolean {
    const { direction, bestPriceAtoms } = trigger;
    if (direction === 'below' ? price > bestPriceAtoms : price < bestPriceAtoms) follow(trigger, price, this.#maxPrice);
    return direction === 'below' ? price <= trigger.triggerPriceAtoms : price >= trigger.triggerPriceAtoms;
  }

  #levelsOf(source: TriggerSource): Record<TriggerDirection, TriggerLevels> {
    let levels = this.#levels.get(source);
    if (levels === undefined) {
      levels = { below: new TriggerLevels('below', this.#maxPrice), above: new TriggerLevels('above', this.#maxPrice) };
      this.#levels.set(source, levels);
    }
    return levels;
  }
}

/**
 * Sets the best price of a trailing stop, and the price at which it triggers. A share is rounded toward the best price, so never later
 * than exact, but it is at least one tick away.
 */
export function follow(trigger: WaitingTrigger, bestPriceAtoms: PriceAtoms, maxPrice: PriceAtoms): void {
  const { direction, trailingAtoms, trailingBps } = trigger;
  trigger.bestPriceAtoms = bestPriceAtoms;
  if (direction === 'below') {
    const share = mulDivUp<PriceAtoms>(bestPriceAtoms, WHOLE_BPS - trailingBps, WHOLE_BPS);
    const price = trailingAtoms > 0 ? minus(bestPriceAtoms, trailingAtoms) : smallerOf(share, minus(bestPriceAtoms, ONE_TICK));
    trigger.triggerPriceAtoms = largerOf(NO_PRICE, price);
  } else {
    const share = mulDivDown<PriceAtoms>(bestPriceAtoms, WHOLE_BPS + trailingBps, WHOLE_BPS);
    const price = trailingAtoms > 0 ? plus(bestPriceAtoms, trailingAtoms) : largerOf(share, plus(bestPriceAtoms, ONE_TICK));
    trigger.triggerPriceAtoms = smallerOf(maxPrice, price);
  }
}
