/** The orders of one source and direction by trigger price, and within a price by age. A price that is reached gives all of its orders at once. */
import type { PriceAtoms } from '#units/money.ts';
import { PriceSet } from '#venue/order/price-set.ts';
import { Link } from './link.ts';
import type { TriggerDirection } from './trigger-terms.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

export class TriggerLevels {
  readonly direction: TriggerDirection;
  readonly #end: number;
  readonly #prices: PriceSet;
  /** Trigger price → the head of its orders, oldest first. */
  readonly #levels = new Map<number, Link>();

  constructor(direction: TriggerDirection, maxPrice: PriceAtoms) {
    this.direction = direction;
    this.#end = maxPrice + 1;
    this.#prices = new PriceSet(this.#end);
  }

  add(trigger: WaitingTrigger): void {
    const { triggerPriceAtoms } = trigger;
    let level = this.#levels.get(triggerPriceAtoms);
    if (level === undefined) {
      level = new Link();
      this.#levels.set(triggerPriceAtoms, level);
      this.#prices.add(triggerPriceAtoms);
    }
    level.append(trigger);
  }

  /** Called after an order has left its list. */
  clean(price: PriceAtoms): void {
    if (this.#levels.get(price)?.isAlone) this.#drop(price);
  }

  /** Moves the orders whose price is reached to the end of `due`: those that were reached first come first. */
  moveReached(price: PriceAtoms, due: Link): void {
    for (let level = this.#first(); level !== 0 && this.#isReached(level, price); level = this.#first()) {
      due.appendAll(this.#levels.get(level)!);
      this.#drop(level);
    }
  }

  /** For checkers: the orders of a price, oldest first. */
  *at(price: PriceAtoms): Iterable<WaitingTrigger> {
    const level = this.#levels.get(price);
    if (level === undefined) return;
    for (let link = level.next; link !== level; link = link.next) yield link as WaitingTrigger;
  }

  /** For checkers: the occupied prices. */
  prices(): Iterable<number> {
    return this.#levels.keys();
  }

  #first(): number {
    return this.direction === 'below' ? this.#prices.below(this.#end) : this.#prices.above(0);
  }

  #isReached(level: number, price: PriceAtoms): boolean {
    return this.direction === 'below' ? price <= level : price >= level;
  }

  #drop(price: number): void {
    this.#levels.delete(price);
    this.#prices.remove(price);
  }
}
