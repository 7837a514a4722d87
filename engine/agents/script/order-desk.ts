/**
 * Turns the orders of a script into actions. It knows which entry opened the position, ignores a second entry in the same direction
 * (pyramiding 0), and evaluates `strategy.exit` at the close of each bar.
 */
import { LIMITS } from './limits.ts';
import type { ExitLevel } from './program.ts';
import { RunFault } from './run-fault.ts';

export type Direction = 'long' | 'short';
export type CloseCause = 'close' | 'close_all' | 'loss' | 'stop' | 'trail' | 'profit' | 'limit';

/** What the script wants to happen now, as market orders in this order. */
export type ScriptAction =
  /** Opens a position of the quantity, or of the deployment's if it is null. An opposite position is closed first. */
  | { readonly kind: 'entry'; readonly id: string; readonly direction: Direction; readonly quantityAtoms: number | null }
  /** Closes the whole position. `orderId` names the `strategy.exit`. */
  | { readonly kind: 'close'; readonly entryId: string | null; readonly cause: CloseCause; readonly orderId: string | null };

/** The position at the close of the bar, as the ledger has it. */
export interface DeskPosition {
  /** Above zero long, below zero short. */
  readonly size: number;
  /** NaN without a position. */
  readonly averagePrice: number;
}

export type ExitPrices = Readonly<Partial<Record<ExitLevel, number>>>;

interface Exit {
  readonly id: string;
  /** The sign of the position that it closes. */
  readonly side: number;
  readonly levels: ExitPrices;
  /** The best close since the trailing stop started, null before. */
  readonly best: number | null;
}

/** The memory of a desk, as JSON. */
export interface DeskState {
  readonly longId: string | null;
  readonly shortId: string | null;
  readonly exits: readonly Exit[];
}

const EMPTY: DeskState = { longId: null, shortId: null, exits: [] };

export class OrderDesk {
  readonly #tick: number;
  #state = EMPTY;
  #actions: ScriptAction[] = [];
  /** The sign of the position after the actions so far. */
  #side = 0;

  /** @param tick the tick size of the market as a price */
  constructor(tick: number) {
    this.#tick = tick;
  }

  get state(): DeskState {
    return this.#state;
  }

  set state(state: DeskState) {
    this.#state = state;
  }

  /** Starts a bar: evaluates the exits of the bars before with its close. */
  open(position: DeskPosition, close: number): void {
    this.#actions = [];
    this.#side = Math.sign(position.size);
    const ofPosition = this.#state.exits.filter((exit) => exit.side === this.#side);
    const exits = ofPosition.map((exit) => this.#advance(exit, position.averagePrice, close));
    // They stay until the position is closed or replaced: the market order of an exit can be filled in part.
    this.#state = { ...this.#state, exits };
    for (const exit of exits) {
      const cause = this.#causeOf(exit, position.averagePrice, close);
      if (cause === null) continue;
      this.#close(cause, exit.id);
      return;
    }
  }

  /** The actions of the bar. */
  get actions(): readonly ScriptAction[] {
    return this.#actions;
  }

  enter(id: string, direction: Direction, quantityAtoms: number | null): void {
    const side = direction === 'long' ? 1 : -1;
    if (this.#side === side) return;
    this.#add({ kind: 'entry', id, direction, quantityAtoms });
    this.#side = side;
    // Exits of this direction belong to a position before. Those of the other end on the next bar, unless the entry did not fill.
    const exits = this.#state.exits.filter((exit) => exit.side !== side);
    this.#state = { ...this.#state, [direction === 'long' ? 'longId' : 'shortId']: id, exits };
  }

  close(id: string): void {
    if (this.#side !== 0 && this.#openId === id) this.#close('close', null);
  }

  closeAll(): void {
    if (this.#side !== 0) this.#close('close_all', null);
  }

  /**
   * Sets or replaces the exit of this id. A trailing stop goes on from where it was. It has no effect without a position, or if another
   * entry than `fromEntry` opened it: one id can name an exit of each entry.
   */
  exit(id: string, fromEntry: string | null, levels: ExitPrices): void {
    if (this.#side === 0 || (fromEntry !== null && fromEntry !== this.#openId)) return;
    const before = this.#state.exits.find((exit) => exit.id === id && exit.side === this.#side);
    const exit: Exit = { id, side: this.#side, levels, best: before?.best ?? null };
    const exits =
      before === undefined ? [...this.#state.exits, exit] : this.#state.exits.map((other) => (other === before ? exit : other));
    this.#state = { ...this.#state, exits };
  }

  get #openId(): string | null {
    return this.#side > 0 ? this.#state.longId : this.#side < 0 ? this.#state.shortId : null;
  }

  #close(cause: CloseCause, orderId: string | null): void {
    this.#add({ kind: 'close', entryId: this.#openId, cause, orderId });
    this.#side = 0;
  }

  #add(action: ScriptAction): void {
    if (this.#actions.length >= LIMITS.actionsPerBar) {
      throw new RunFault('actions', `the script acts more than ${LIMITS.actionsPerBar} times on one bar`);
    }
    this.#actions.push(action);
  }

  /** Starts or moves the trailing stop. */
  #advance(exit: Exit, averagePrice: number, close: number): Exit {
    const { side, best } = exit;
    const { trail_price: price, trail_points: points } = exit.levels;
    if (best !== null) return { ...exit, best: side > 0 ? Math.max(best, close) : Math.min(best, close) };
    const starts = [price, points === undefined ? undefined : averagePrice + side * points * this.#tick];
    const isStarted = starts.some((start) => start !== undefined && side * (close - start) >= 0);
    return isStarted ? { ...exit, best: close } : exit;
  }

  /** Losses come before profits, as the close cannot have reached both. */
  #causeOf({ side, levels, best }: Exit, averagePrice: number, close: number): CloseCause | null {
    const isBelow = (price: number | undefined) => price !== undefined && side * (close - price) <= 0;
    const isAbove = (price: number | undefined) => price !== undefined && side * (close - price) >= 0;
    const away = (ticks: number | undefined, sign: number) =>
      ticks === undefined ? undefined : averagePrice + sign * side * ticks * this.#tick;
    if (isBelow(away(levels.loss, -1))) return 'loss';
    if (isBelow(levels.stop)) return 'stop';
    if (best !== null && levels.trail_offset !== undefined && isBelow(best - side * levels.trail_offset * this.#tick))
      return 'trail';
    if (isAbove(away(levels.profit, 1))) return 'profit';
    return isAbove(levels.limit) ? 'limit' : null;
  }
}
