/**
 * The positions that are open in one market: all of them in a list, and those of each side by the price at which they
 * are liquidated. Every change of a position passes through `update`.
 */
import type { PriceAtoms } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { liquidationTriggerOf } from '#venue/risk/position-risk.ts';
import { TriggerHeap } from '#venue/risk/trigger-heap.ts';
import type { Position } from './position.ts';
import { isLong } from './position.ts';

/**
 * How many positions may be open in a market before accounts that have none are refused: deleveraging looks at all of
 * one side in a turn.
 */
export const MAX_OPEN_POSITIONS = 50_000;

export class OpenPositions {
  readonly #list: Position[] = [];
  readonly #longs = new TriggerHeap<Position>('long');
  readonly #shorts = new TriggerHeap<Position>('short');
  /** Those whose liquidation found nobody to close with, from the first to the last: they wait for another price. */
  readonly #parked = new Set<Position>();

  get count(): number {
    return this.#list.length;
  }

  /** Whether a liquidation waits for another price. */
  get hasParked(): boolean {
    return this.#parked.size > 0;
  }

  /** In no order that means anything, but the same after the same commands. */
  at(place: number): Position {
    return this.#list[place]!;
  }

  /** From the first to the last. */
  parked(): Iterable<Position> {
    return this.#parked;
  }

  /** A position has changed: it is listed while it is open, and found by what its liquidation price is now. */
  update(market: Market, position: Position): void {
    if (position.triggers !== undefined) this.#untrack(position);
    else if (this.#parked.size > 0) this.#parked.delete(position);
    if (position.signedBaseAtoms === 0) {
      this.#unlist(position);
      return;
    }
    if (position.listPlace < 0) {
      position.listPlace = this.#list.length;
      this.#list.push(position);
    }
    this.#track(market, position);
  }

  /** A position that is to be liquidated at this mark: longs first, and of each side the one that was due first. */
  nextDistressed(markPrice: PriceAtoms): Position | undefined {
    const long = this.#longs.top;
    if (long !== undefined && markPrice <= long.liquidationPriceAtoms) return long;
    const short = this.#shorts.top;
    return short !== undefined && markPrice >= short.liquidationPriceAtoms ? short : undefined;
  }

  /** Whether an open position is to be liquidated at this mark. */
  isDue(position: Position, markPrice: PriceAtoms): boolean {
    if (position.listPlace < 0) return false;
    return isLong(position) ? markPrice <= position.liquidationPriceAtoms : markPrice >= position.liquidationPriceAtoms;
  }

  /** Sets a position aside that cannot be closed at this price. */
  park(position: Position): void {
    this.#untrack(position);
    this.#parked.add(position);
  }

  /** Puts the one that has waited longest back where {@link nextDistressed} finds it. */
  unparkOne(market: Market): void {
    for (const position of this.#parked) {
      this.#parked.delete(position);
      this.#track(market, position);
      return;
    }
  }

  #track(market: Market, position: Position): void {
    const { maintenanceMarginTiers } = market.specification;
    position.liquidationPriceAtoms = liquidationTriggerOf(position, market.tickLotAtoms, maintenanceMarginTiers);
    position.triggers = isLong(position) ? this.#longs : this.#shorts;
    position.triggers.add(position);
  }

  #untrack(position: Position): void {
    position.triggers?.remove(position);
    position.triggers = undefined;
  }

  /** The last of the list takes the place that becomes free. */
  #unlist(position: Position): void {
    const place = position.listPlace;
    if (place < 0) return;
    const last = this.#list.pop()!;
    if (last !== position) {
      this.#list[place] = last;
      last.listPlace = place;
    }
    position.listPlace = -1;
  }
}
