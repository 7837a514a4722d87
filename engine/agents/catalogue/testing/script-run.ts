/** Runs a script of the catalogue over bars, with a position of one unit that fills at the close. */
import type { ParameterValues } from '#agents/script/parameters.ts';
import { resolveParameters } from '#agents/script/parameters.ts';
import { reviewScript } from '#agents/script/review.ts';
import { type ScriptBar, type ScriptMarket, ScriptRun } from '#agents/script/run.ts';
import { seededRandom } from '#simulation/seeded-random.ts';

export const MARKET: ScriptMarket = { priceScale: 2, quantityScale: 3, tickSizeAtoms: 1 };
const UNIT_ATOMS = 1_000;

/** -1 short, 0 flat, 1 long. */
export type Side = -1 | 0 | 1;

/** Opens a run with the parameters that are not at their defaults. Throws if the script or a parameter is refused. */
export function openRun(script: string, chosen: ParameterValues = {}): ScriptRun {
  const result = reviewScript(script);
  if ('refusals' in result) throw new Error(`refused: ${JSON.stringify(result.refusals)}`);
  const resolved = resolveParameters(result.program.parameters, chosen);
  if ('faults' in resolved) throw new Error(`refused: ${JSON.stringify(resolved.faults)}`);
  const opened = ScriptRun.open(result.program, resolved.values, MARKET);
  if ('refusals' in opened) throw new Error(`refused: ${JSON.stringify(opened.refusals)}`);
  return opened.run;
}

/** The side after each bar. Throws if the run ends. */
export function sidesOf(script: string, bars: readonly ScriptBar[], chosen: ParameterValues = {}): readonly Side[] {
  const run = openRun(script, chosen);
  let side: Side = 0;
  let averagePriceAtoms: number | null = null;
  return bars.map((bar, index) => {
    const outcome = run.onBar(bar, { quantityAtoms: side * UNIT_ATOMS, averagePriceAtoms });
    if ('end' in outcome) throw new Error(`the run ended on bar ${index}: ${JSON.stringify(outcome.end)}`);
    for (const action of outcome.actions) {
      side = action.kind === 'close' ? 0 : action.direction === 'long' ? 1 : -1;
      averagePriceAtoms = side === 0 ? null : bar.closeAtoms;
    }
    return side;
  });
}

/** Bars of a seeded walk that trends up and down in turn, with pullbacks. Prices are near 1,000 with two decimals. */
export function walkedBars(seed: number, count: number): readonly ScriptBar[] {
  const random = seededRandom(seed);
  let price = 100_000;
  let drift = 0;
  return Array.from({ length: count }, (_, index) => {
    if (index % 300 === 0) drift = (random() - 0.5) * 60;
    const openAtoms = price;
    const steps = Array.from({ length: 4 }, () => {
      price = Math.max(20_000, Math.round(price + drift + (random() - 0.5) * 400));
      return price;
    });
    const volumeAtoms = 1 + Math.floor(random() * 1_000_000);
    return {
      openAtoms,
      highAtoms: Math.max(openAtoms, ...steps),
      lowAtoms: Math.min(openAtoms, ...steps),
      closeAtoms: price,
      volumeAtoms,
    };
  });
}
