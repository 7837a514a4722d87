/**
 * The open positions of one market: a list of all, and a heap per side that is ordered by liquidation price. Positions whose
 * liquidation found no order within its limit are parked instead, and wait for another price or for a step of their liquidation.
 * Every change of a position must be reported to `update`.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { stepPriceOf } from '#venue/risk/liquidation-steps.ts';
import { hasReached, liquidationTriggerOf } from '#venue/risk/position-risk.ts';
import type { TriggerItem } from '#venue/risk/trigger-heap.ts';
import { TriggerHeap } from '#venue/risk/trigger-heap.ts';
import type { Position } from './position.ts';
import { isLong } from './position.ts';

/** The part of a market that decides when its positions are liquidated. */
interface MarkedMarket {
  readonly specification: MarketSpecification;
  readonly tickLotAtoms: number;
  duePriceOf(position: Position): PriceAtoms;
}

/**
 * The number of open positions in a market at which the venue refuses orders of accounts without a position there. Fills of
 * resting orders may still exceed it. It exists because deleveraging visits every position in one turn.
 */
export const MAX_OPEN_POSITIONS = 50_000;

/** The heap entry of a parked position: its trigger is the price of the next step of the liquidation. */
class StepTrigger implements TriggerItem {
  readonly position: Position;
  readonly ordinal: PositionOrdinal;
  readonly step: number;
  readonly liquidationPriceAtoms: PriceAtoms;
  triggerIndex = -1;
  readonly #heap: TriggerHeap<StepTrigger>;

  constructor({ tickLotAtoms, specification }: MarkedMarket, position: Position, step: number, heap: TriggerHeap<StepTrigger>) {
    this.position = position;
    this.ordinal = position.ordinal;
    this.step = step;
    this.liquidationPriceAtoms = stepPriceOf(position, step, tickLotAtoms, specification.maintenanceMarginTiers);
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
   * The parked positions, oldest first: their liquidation found no order within its limit, so they wait for another price. The value is
   * the trigger of the next step, if there is one. Its price makes the position due again.
   */
  readonly #parked = new Map<Position, StepTrigger | undefined>();
  readonly #waitingLongs = new TriggerHeap<StepTrigger>('long');
  readonly #waitingShorts = new TriggerHeap<StepTrigger>('short');

  #longBaseAtoms = 0;

  /** The open interest: the quantity of all long positions, and of all short ones. */
  get longBaseAtoms(): number {
    return this.#longBaseAtoms;
  }

  /** Counts the change of a position's signed quantity in the open interest. */
  moveBase(before: BaseAtoms, after: BaseAtoms): void {
    this.#longBaseAtoms += Math.max(0, after) - Math.max(0, before);
  }

  get count(): number {
    return this.#list.length;
  }

  get hasParked(): boolean {
    return this.#parked.size > 0;
  }

  get parkedCount(): number {
    return this.#parked.size;
  }

  /** The order of the list has no meaning, but is deterministic: the same commands give the same order. */
  at(index: number): Position {
    return this.#list[index]!;
  }

  /** The parked positions, the longest parked first. */
  parked(): Iterable<Position> {
    return this.#parked.keys();
  }

  /**
   * Updates the list and the heaps after a change of a position. A parked position stays parked while it is due: otherwise
   * every partial close by its owner would make it due again.
   */
  update(market: MarkedMarket, position: Position): void {
    const { triggers } = position;
    if (triggers !== undefined) {
      // Fast path of most fills: the position stays on its side, and its liquidation price moves a little.
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
      if (this.isDue(position, market.duePriceOf(position))) {
        this.#wait(market, position, this.nextStepOf(position));
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

  /** Calculates all triggers again, after a change of the maintenance tiers. A parked position stays parked. */
  reprice(market: MarkedMarket): void {
    for (const position of this.#list) {
      this.#price(market, position);
      position.triggers?.update(position);
      if (this.nextStepOf(position) > 0) this.#wait(market, position, this.nextStepOf(position));
    }
  }

  /**
   * Returns the next position to liquidate when longs and shorts are valued at these prices: longs first, and within a side the one that was
   * due first. Parked positions at their step come after all others.
   */
  nextDistressed(longPrice: PriceAtoms, shortPrice: PriceAtoms): Position | undefined {
    if (this.#longs.isReachedAt(longPrice)) return this.#longs.top;
    if (this.#shorts.isReachedAt(shortPrice)) return this.#shorts.top;
    return this.#parked.size === 0 ? undefined : this.#nextWaiting(longPrice, shortPrice);
  }

  /** Whether a position is open and at or beyond its liquidation price at this price. */
  isDue(position: Position, price: PriceAtoms): boolean {
    return position.listIndex >= 0 && hasReached(position, position.liquidationPriceAtoms, price);
  }

  /**
   * Parks a position that cannot be closed at this price. An already parked position moves to the end. The position becomes due again at
   * the price of `nextStep`; with 0 it waits for another price.
   */
  park(market: MarkedMarket, position: Position, nextStep: number): void {
    this.#untrack(position);
    this.#release(position);
    this.#wait(market, position, nextStep);
  }

  /** The step at which a parked position becomes due again; 0 if it waits for none. */
  nextStepOf(position: Position): number {
    return this.#parked.get(position)?.step ?? 0;
  }

  /** For checkers: the heap of the position's side, ordered by liquidation price. */
  liquidationHeapOf(position: Position): TriggerHeap<Position> {
    return this.#triggersOf(position);
  }

  /** For checkers: the heap of parked positions of the position's side, ordered by the price of the next step. */
  waitingHeapOf(position: Position): TriggerHeap {
    return (isLong(position) ? this.#waitingLongs : this.#waitingShorts) as TriggerHeap;
  }

  /** For checkers: the heap entry of a parked position, or `undefined` if it waits for no step. */
  waitingTriggerOf(position: Position): TriggerItem | undefined {
    return this.#parked.get(position);
  }

  /** For checkers: the heaps of positions that are not parked, and of those that wait for a step. */
  get heaps(): Readonly<Record<'watched' | 'waiting', readonly { readonly size: number; readonly isInOrder: boolean }[]>> {
    return { watched: [this.#longs, this.#shorts], waiting: [this.#waitingLongs, this.#waitingShorts] };
  }

  /** Whether a position waits for another price after a liquidation without a counterparty. */
  isParked(position: Position): boolean {
    return this.#parked.size > 0 && this.#parked.has(position);
  }

  /** Returns a parked position to the heap that {@link nextDistressed} reads. */
  unpark(market: MarkedMarket, position: Position): void {
    this.#release(position);
    this.#track(market, position);
  }

  #nextWaiting(longPrice: PriceAtoms, shortPrice: PriceAtoms): Position | undefined {
    if (this.#waitingLongs.isReachedAt(longPrice)) return this.#waitingLongs.top!.position;
    return this.#waitingShorts.isReachedAt(shortPrice) ? this.#waitingShorts.top!.position : undefined;
  }

  /** Adds the position to the end of the parked ones. An already parked position keeps its place. */
  #wait(market: MarkedMarket, position: Position, nextStep: number): void {
    this.#parked.get(position)?.leave();
    const heap = isLong(position) ? this.#waitingLongs : this.#waitingShorts;
    this.#parked.set(position, nextStep > 0 ? new StepTrigger(market, position, nextStep, heap) : undefined);
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

  /** Removes the position from the list and moves the last entry to the free index. */
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
