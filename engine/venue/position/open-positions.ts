/**
 * The positions that are open in one market: all of them in a list, and those of each side by the price at which they
 * are liquidated. Every change of a position passes through `update`.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import { MAX_PRICE_TICKS, type MarketSpecification } from '#venue/market/specification.ts';
import { bankruptcyPriceOf } from '#venue/risk/bankruptcy-price.ts';
import { liquidationTriggerOf, NEVER_REACHED } from '#venue/risk/position-risk.ts';
import type { TriggerItem } from '#venue/risk/trigger-heap.ts';
import { TriggerHeap } from '#venue/risk/trigger-heap.ts';
import type { Position } from './position.ts';
import { isLong } from './position.ts';

/** What of a market decides when its positions are liquidated. */
interface MarkedMarket {
  readonly specification: MarketSpecification;
  readonly tickLotAtoms: number;
  readonly markPriceAtoms: PriceAtoms;
}

/**
 * How many positions may be open in a market before accounts that have none are refused: deleveraging looks at all of
 * one side in a turn.
 */
export const MAX_OPEN_POSITIONS = 50_000;

/** A position that waits, by the price that leaves it bankrupt. */
class Waiting implements TriggerItem {
  readonly position: Position;
  readonly ordinal: PositionOrdinal;
  readonly liquidationPriceAtoms: PriceAtoms;
  triggerIndex = -1;
  readonly #heap: TriggerHeap<Waiting>;

  constructor({ tickLotAtoms }: MarkedMarket, position: Position, heap: TriggerHeap<Waiting>) {
    const bankruptcyPrice = bankruptcyPriceOf(position, tickLotAtoms);
    const first = isLong(position)
      ? Math.min(MAX_PRICE_TICKS, bankruptcyPrice - 1)
      : Math.min(NEVER_REACHED, bankruptcyPrice + 1);
    this.position = position;
    this.ordinal = position.ordinal;
    this.liquidationPriceAtoms = first as PriceAtoms;
    this.#heap = heap;
    heap.add(this);
  }

  leave(): void {
    this.#heap.remove(this);
  }
}

export class OpenPositions {
  readonly #list: Position[] = [];
  readonly #longs = new TriggerHeap<Position>('long');
  readonly #shorts = new TriggerHeap<Position>('short');
  /**
   * Those whose liquidation found nobody to close with, from the first to the last: they wait for another price. With it the
   * price that leaves them bankrupt, if that is one: then they are due again, as others may be closed for them.
   */
  readonly #parked = new Map<Position, Waiting | undefined>();
  readonly #waitingLongs = new TriggerHeap<Waiting>('long');
  readonly #waitingShorts = new TriggerHeap<Waiting>('short');

  get count(): number {
    return this.#list.length;
  }

  /** Whether a liquidation waits for another price. */
  get hasParked(): boolean {
    return this.#parked.size > 0;
  }

  get parkedCount(): number {
    return this.#parked.size;
  }

  /** In no order that means anything, but the same after the same commands. */
  at(index: number): Position {
    return this.#list[index]!;
  }

  /** From the one that has waited longest to the last. */
  parked(): Iterable<Position> {
    return this.#parked.keys();
  }

  /**
   * A position has changed: it is listed while it is open, and found by what its liquidation price is now. One that waits
   * goes on waiting while it is due: else whoever closes a lot of it would have it due anew.
   */
  update(market: MarkedMarket, position: Position): void {
    const { triggers } = position;
    if (triggers !== undefined) {
      // What most fills do: the position stays on its side, and its price moves a little.
      if (position.signedBaseAtoms !== 0 && triggers === this.#triggersOf(position)) {
        this.#price(market, position);
        triggers.update(position);
        return;
      }
      this.#untrack(position);
    }
    const isParked = this.isParked(position);
    if (position.signedBaseAtoms === 0) {
      this.#release(position);
      this.#unlist(position);
      return;
    }
    if (isParked) {
      this.#price(market, position);
      if (this.isDue(position, market.markPriceAtoms)) {
        this.#wait(market, position, this.waitsForBankruptcy(position));
        return;
      }
      this.#release(position);
    }
    if (position.listIndex < 0) {
      position.listIndex = this.#list.length;
      this.#list.push(position);
    }
    this.#track(market, position);
  }

  /** A position that is to be liquidated at this mark: longs first, and of each side the one that was due first. */
  nextDistressed(markPrice: PriceAtoms): Position | undefined {
    const long = this.#longs.top;
    if (long !== undefined && markPrice <= long.liquidationPriceAtoms) return long;
    const short = this.#shorts.top;
    if (short !== undefined && markPrice >= short.liquidationPriceAtoms) return short;
    return this.#parked.size === 0 ? undefined : this.#nextBankrupt(markPrice);
  }

  /** Whether an open position is to be liquidated at this mark. */
  isDue(position: Position, markPrice: PriceAtoms): boolean {
    if (position.listIndex < 0) return false;
    return isLong(position) ? markPrice <= position.liquidationPriceAtoms : markPrice >= position.liquidationPriceAtoms;
  }

  /**
   * Sets a position aside that cannot be closed at this price; one that waits already becomes the last of them. If it
   * `waitsForBankruptcy`, the price that leaves it bankrupt makes it due again.
   */
  park(market: MarkedMarket, position: Position, waitsForBankruptcy: boolean): void {
    this.#untrack(position);
    this.#release(position);
    this.#wait(market, position, waitsForBankruptcy);
  }

  /** Whether one that waits is due again once it is bankrupt. */
  waitsForBankruptcy(position: Position): boolean {
    return this.#parked.get(position) !== undefined;
  }

  /** For checkers: where a position of its side is found, by its liquidation price. */
  watchedHeapOf(position: Position): TriggerHeap<Position> {
    return this.#triggersOf(position);
  }

  /** For checkers: where one of its side is found that waits, by the price that leaves it bankrupt. */
  waitingHeapOf(position: Position): TriggerHeap {
    return (isLong(position) ? this.#waitingLongs : this.#waitingShorts) as TriggerHeap;
  }

  /** For checkers: what stands there for one that waits, if that is due again once it is bankrupt. */
  waitingFor(position: Position): TriggerItem | undefined {
    return this.#parked.get(position);
  }

  /** For checkers: all that are watched, and all that wait for their bankruptcy. */
  get heaps(): Readonly<Record<'watched' | 'waiting', readonly { readonly size: number; readonly isInOrder: boolean }[]>> {
    return { watched: [this.#longs, this.#shorts], waiting: [this.#waitingLongs, this.#waitingShorts] };
  }

  /** Whether an open position waits for another price. */
  isParked(position: Position): boolean {
    return this.#parked.size > 0 && this.#parked.has(position);
  }

  /** Puts one that has waited back where {@link nextDistressed} finds it. */
  unpark(market: MarkedMarket, position: Position): void {
    this.#release(position);
    this.#track(market, position);
  }

  #nextBankrupt(markPrice: PriceAtoms): Position | undefined {
    const long = this.#waitingLongs.top;
    if (long !== undefined && markPrice <= long.liquidationPriceAtoms) return long.position;
    const short = this.#waitingShorts.top;
    return short !== undefined && markPrice >= short.liquidationPriceAtoms ? short.position : undefined;
  }

  /** In its place among those that wait, if it has one; otherwise as the last. */
  #wait(market: MarkedMarket, position: Position, waitsForBankruptcy: boolean): void {
    this.#parked.get(position)?.leave();
    const heap = isLong(position) ? this.#waitingLongs : this.#waitingShorts;
    this.#parked.set(position, waitsForBankruptcy ? new Waiting(market, position, heap) : undefined);
  }

  #release(position: Position): void {
    this.#parked.get(position)?.leave();
    this.#parked.delete(position);
  }

  #price({ specification, tickLotAtoms }: MarkedMarket, position: Position): void {
    position.liquidationPriceAtoms = liquidationTriggerOf(position, tickLotAtoms, specification.maintenanceMarginTiers);
  }

  #track(market: MarkedMarket, position: Position): void {
    this.#price(market, position);
    position.triggers = this.#triggersOf(position);
    position.triggers.add(position);
  }

  #triggersOf(position: Position): TriggerHeap<Position> {
    return isLong(position) ? this.#longs : this.#shorts;
  }

  #untrack(position: Position): void {
    position.triggers?.remove(position);
    position.triggers = undefined;
  }

  /** The last of the list takes the place that becomes free. */
  #unlist(position: Position): void {
    const index = position.listIndex;
    if (index < 0) return;
    const last = this.#list.pop()!;
    if (last !== position) {
      this.#list[index] = last;
      last.listIndex = index;
    }
    position.listIndex = -1;
  }
}
