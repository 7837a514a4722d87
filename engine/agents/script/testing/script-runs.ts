/** Runs scripts in tests: over plain closes, or over bars, with the position that the actions lead to. */
import type { ScriptAction } from '#agents/script/order-desk.ts';
import { type ParameterValues, resolveParameters } from '#agents/script/parameters.ts';
import type { Program } from '#agents/script/program.ts';
import type { ScriptRefusal } from '#agents/script/refusal.ts';
import { reviewScript, type ScriptReview } from '#agents/script/review.ts';
import { type ScriptBar, type ScriptMarket, type ScriptPosition, ScriptRun } from '#agents/script/run.ts';

export const TEST_MARKET: ScriptMarket = { priceScale: 2, quantityScale: 3, tickSizeAtoms: 50 };
export const FLAT: ScriptPosition = { quantityAtoms: 0, averagePriceAtoms: null };

/** A script of these lines after version and declaration. */
export function scriptOf(lines: string, version: 5 | 6 = 6): string {
  return `//@version=${version}\nstrategy("Test")\n${lines}\n`;
}

export function reviewOf(source: string): { readonly review: ScriptReview; readonly program: Program } {
  const result = reviewScript(source);
  if ('refusals' in result) throw new Error(JSON.stringify(result.refusals));
  return result;
}

export function refusalsOf(source: string): readonly ScriptRefusal[] {
  const result = reviewScript(source);
  return 'refusals' in result ? result.refusals : [];
}

export function openRun(source: string, parameters: ParameterValues = {}, market = TEST_MARKET): ScriptRun {
  const { program } = reviewOf(source);
  const resolved = resolveParameters(program.parameters, parameters);
  if ('faults' in resolved) throw new Error(JSON.stringify(resolved.faults));
  const opened = ScriptRun.open(program, resolved.values, market);
  if ('refusals' in opened) throw new Error(JSON.stringify(opened.refusals));
  return opened.run;
}

/** Bars of one price, with a volume of 1. */
export function barsOf(closes: readonly number[]): ScriptBar[] {
  return closes.map((close) => {
    const atoms = Math.round(close * 100);
    return { openAtoms: atoms, highAtoms: atoms, lowAtoms: atoms, closeAtoms: atoms, volumeAtoms: 1000 };
  });
}

/** The actions of a bar. Fails if the run has ended. */
export function actionsOn(run: ScriptRun, bar: ScriptBar, position = FLAT): readonly ScriptAction[] {
  const outcome = run.onBar(bar, position);
  if ('end' in outcome) throw new Error(`ended: ${outcome.end.detail}`);
  return outcome.actions;
}

/** The numbers of the bars on which a condition is true. The position is flat on every bar. */
export function barsWhere(condition: string, closes: readonly number[], lines = '', version: 5 | 6 = 6): number[] {
  const run = openRun(scriptOf(`${lines}\nif ${condition}\n    strategy.entry("yes", strategy.long)`, version));
  return barsOf(closes).flatMap((bar, index) => (actionsOn(run, bar).length > 0 ? [index] : []));
}

/** The position that the ledger would have: one unit for each entry, filled at the close. */
export class FilledPosition {
  position = FLAT;

  apply(actions: readonly ScriptAction[], bar: ScriptBar): void {
    for (const action of actions) {
      if (action.kind === 'close') this.position = FLAT;
      else {
        const quantityAtoms = (action.direction === 'long' ? 1 : -1) * (action.quantityAtoms ?? 1000);
        this.position = { quantityAtoms, averagePriceAtoms: bar.closeAtoms };
      }
    }
  }
}

/** Runs over bars with filled actions. */
export function actionsOver(
  run: ScriptRun,
  bars: readonly ScriptBar[],
  ledger = new FilledPosition(),
): (readonly ScriptAction[])[] {
  return bars.map((bar) => {
    const actions = actionsOn(run, bar, ledger.position);
    ledger.apply(actions, bar);
    return actions;
  });
}
