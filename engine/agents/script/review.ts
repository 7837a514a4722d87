/**
 * Reviews a script: what it will do in plain sentences, its parameters, what it ignores, and what it costs; or why it is refused.
 * Every text that comes from the script is quoted data.
 */
import { checkScript } from './check.ts';
import type { OrderFact, ScriptFacts } from './check-context.ts';
import { estimateFuelPerBar, estimateWarmUpBars } from './estimate.ts';
import { ProgramLayout } from './layout.ts';
import { LIMITS } from './limits.ts';
import { resolveParameters } from './parameters.ts';
import type { Parameter, Program } from './program.ts';
import type { ScriptRefusal } from './refusal.ts';
import { INTERPRETER_VERSION, ScriptRun } from './run.ts';

export interface ScriptReview {
  readonly title: string;
  /** Of the language, as the script says. */
  readonly languageVersion: 5 | 6;
  readonly interpreterVersion: string;
  readonly parameters: readonly Parameter[];
  /** What the script reads, calculates, and when it enters and exits. */
  readonly sentences: readonly string[];
  /** Calls and arguments without effect. */
  readonly ignored: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** With the parameters at their defaults. */
  readonly warmUpBars: number;
  /** Units of work on a bar if every branch runs; null if a loop has no known bound. */
  readonly fuelPerBar: number | null;
  /** Cells of eight bytes. */
  readonly cells: number;
}

/** Memory does not depend on the market: any will do. */
const ANY_MARKET = { priceScale: 0, quantityScale: 0, tickSizeAtoms: 1 };

export type ReviewResult =
  | { readonly review: ScriptReview; readonly program: Program }
  | { readonly refusals: readonly ScriptRefusal[] };

export function reviewScript(source: string): ReviewResult {
  const checked = checkScript(source);
  if ('refusals' in checked) return checked;
  const { program, facts } = checked;
  const resolved = resolveParameters(program.parameters, {});
  // Defaults are checked against their bounds before.
  if ('faults' in resolved) throw new Error(`a default does not fit: ${resolved.faults[0]?.reason}`);
  const opened = ScriptRun.open(program, resolved.values, ANY_MARKET);
  if ('refusals' in opened) return opened;
  const layout = new ProgramLayout(program, resolved.values);
  const fuelPerBar = estimateFuelPerBar(program.body, layout);
  if (fuelPerBar !== null && fuelPerBar > LIMITS.fuelPerBar) {
    facts.warnings.push(
      `A bar can need ${fuelPerBar} units of work. The run ends on a bar that needs more than ${LIMITS.fuelPerBar}.`,
    );
  }
  const review: ScriptReview = {
    title: program.title,
    languageVersion: program.version,
    interpreterVersion: INTERPRETER_VERSION,
    parameters: program.parameters,
    sentences: sentencesOf(facts),
    ignored: [...facts.ignored].map(([name, reason]) => ({ name, reason })),
    warnings: facts.warnings,
    warmUpBars: estimateWarmUpBars(program, layout),
    fuelPerBar,
    cells: opened.run.cells,
  };
  return { review, program };
}

/** A long chain of else-if surrounds its last branch with as many conditions. */
const MAX_CONDITIONS = 8;

function sentencesOf({ prices, indicators, entries, exits }: ScriptFacts): string[] {
  const sentences = ['Runs once for each closed bar; every order is a market order.'];
  if (prices.size > 0) sentences.push(`Reads ${[...prices].join(', ')}.`);
  if (indicators.size > 0) sentences.push(`Calculates ${[...indicators].join('; ')}.`);
  for (const entry of entries) sentences.push(orderSentence('enters', entry));
  for (const exit of exits) sentences.push(orderSentence('exits', exit));
  if (exits.length === 0) sentences.push('Leaves a position only by the opposite entry.');
  return sentences;
}

function orderSentence(verb: string, { line, text, conditions }: OrderFact): string {
  const shown = conditions.slice(0, MAX_CONDITIONS);
  const more = conditions.length > shown.length ? ` and ${conditions.length - shown.length} more conditions` : '';
  const when = conditions.length === 0 ? 'on every bar' : `when ${shown.join(' and ')}${more}`;
  return `Line ${line} ${verb} by ${text}, ${when}.`;
}
