/**
 * Runs a checked script bar by bar. The same program, parameters, market, bars and positions give the same actions, also if the run
 * is saved and restored between any two bars.
 */
import { Cells, CellsExceeded } from '#agents/indicators/cells.ts';
import { powerOfTen } from './arithmetic.ts';
import type { ConstantValue } from './constant.ts';
import { ProgramLayout } from './layout.ts';
import { LIMITS } from './limits.ts';
import { Machine } from './machine.ts';
import { type DeskState, OrderDesk, type ScriptAction } from './order-desk.ts';
import type { Program } from './program.ts';
import type { ScriptRefusal } from './refusal.ts';
import { type RunEnd, RunFault } from './run-fault.ts';

/** Changes whenever the same script could act differently. It is part of every saved state. */
export const INTERPRETER_VERSION = 'script-1';

/** A scale is the number of decimals: 10 ** scale atoms are 1. */
export interface ScriptMarket {
  readonly priceScale: number;
  readonly quantityScale: number;
  readonly tickSizeAtoms: number;
}

/** A closed bar. */
export interface ScriptBar {
  readonly openAtoms: number;
  readonly highAtoms: number;
  readonly lowAtoms: number;
  readonly closeAtoms: number;
  /** Quantity atoms. */
  readonly volumeAtoms: number;
}

/** The position at the close of the bar. */
export interface ScriptPosition {
  /** Quantity atoms: above zero long, below zero short. */
  readonly quantityAtoms: number;
  /** Null without a position. */
  readonly averagePriceAtoms: number | null;
}

export type BarOutcome =
  | { readonly actions: readonly ScriptAction[]; readonly fuel: number }
  /** The run has ended and takes no further bar. Its open position is the caller's to decide. */
  | { readonly end: RunEnd };

/** A saved run, as JSON. */
export interface ScriptState {
  readonly version: string;
  readonly cells: readonly (number | null)[];
  readonly desk: DeskState;
  readonly end: RunEnd | null;
}

export class ScriptRun {
  readonly #cells: Cells;
  readonly #desk: OrderDesk;
  readonly #machine: Machine;
  readonly #market: ScriptMarket;
  #end: RunEnd | null = null;

  private constructor(program: Program, layout: ProgramLayout, market: ScriptMarket) {
    this.#market = market;
    const tick = priceOf(market.tickSizeAtoms, market.priceScale);
    this.#cells = new Cells(LIMITS.cells);
    this.#desk = new OrderDesk(tick);
    this.#machine = new Machine(program, layout, this.#cells, this.#desk, { quantityScale: market.quantityScale, tick });
  }

  /** @param parameters resolved by `resolveParameters`; they can lead to a setting that is refused */
  static open(
    program: Program,
    parameters: readonly ConstantValue[],
    market: ScriptMarket,
  ): { readonly run: ScriptRun } | { readonly refusals: readonly ScriptRefusal[] } {
    const layout = new ProgramLayout(program, parameters);
    if (layout.refusals.length > 0) return { refusals: layout.refusals };
    try {
      return { run: new ScriptRun(program, layout, market) };
    } catch (error) {
      if (!(error instanceof CellsExceeded)) throw error;
      const reason = `the indicators and histories need more than ${LIMITS.cells} cells`;
      return { refusals: [{ line: 1, column: 1, reason, remedy: 'Use shorter lengths or fewer indicators.' }] };
    }
  }

  /** How many cells of eight bytes the run has. */
  get cells(): number {
    return this.#cells.size;
  }

  /** Takes the next closed bar. Throws a `RangeError` if an amount is not a safe integer. */
  onBar(bar: ScriptBar, position: ScriptPosition): BarOutcome {
    if (this.#end !== null) return { end: this.#end };
    const { priceScale, quantityScale } = this.#market;
    const close = priceOf(bar.closeAtoms, priceScale);
    const prices = {
      open: priceOf(bar.openAtoms, priceScale),
      high: priceOf(bar.highAtoms, priceScale),
      low: priceOf(bar.lowAtoms, priceScale),
      close,
      volume: priceOf(bar.volumeAtoms, quantityScale),
    };
    const { quantityAtoms, averagePriceAtoms } = position;
    const average = averagePriceAtoms === null ? Number.NaN : priceOf(averagePriceAtoms, priceScale);
    const held = { size: priceOf(quantityAtoms, quantityScale), averagePrice: quantityAtoms === 0 ? Number.NaN : average };
    try {
      this.#machine.bars.push(prices);
      this.#desk.open(held, close);
      const fuel = this.#machine.run(held);
      return { actions: this.#desk.actions, fuel };
    } catch (error) {
      if (!(error instanceof RunFault)) throw error;
      this.#end = error.end;
      return { end: error.end };
    }
  }

  save(): ScriptState {
    return { version: INTERPRETER_VERSION, cells: this.#cells.save(), desk: this.#desk.state, end: this.#end };
  }

  /** Continues from a state of the same program, parameters and market. Returns false, without a change, if it cannot be one. */
  restore(state: ScriptState): boolean {
    if (state.version !== INTERPRETER_VERSION || !this.#cells.restore(state.cells)) return false;
    this.#desk.state = state.desk;
    this.#end = state.end;
    return true;
  }
}

/** Atoms as the nearest double: both numbers are exact, so IEEE 754 division rounds once. */
function priceOf(atoms: number, scale: number): number {
  if (!Number.isSafeInteger(atoms)) throw new RangeError(`expected a safe integer of atoms, got ${atoms}`);
  return atoms / powerOfTen(scale);
}
