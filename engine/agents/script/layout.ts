/**
 * What a program needs once its parameters are chosen: the settings of its indicators, how much history it reads, what each
 * statement costs. A setting out of its bounds is refused here, because only now it is known.
 */
import { MIN_BARS_DEPTH } from '#agents/indicators/bars.ts';
import { INDICATORS } from '#agents/indicators/catalog.ts';
import { Constants, type ConstantValue } from './constant.ts';
import { LIMITS } from './limits.ts';
import type { Age, Expression, IndicatorCall, IndicatorSetting, Program, Statement } from './program.ts';
import { everyExpression, expressionsOf, isKnown, operandsOf } from './program-walk.ts';
import type { ScriptRefusal } from './refusal.ts';

/** What takes as long as so many operations: `strategy.exit` visits the other exits, and a remainder is divided bit by bit. */
const EXIT_COST = 20;
const REMAINDER_COST = 30;

export class ProgramLayout {
  readonly constants: Constants;
  readonly refusals: ScriptRefusal[] = [];
  /** How many bars of prices are stored. */
  barsDepth = MIN_BARS_DEPTH;
  /** By slot: how many past values are stored. */
  readonly slotDepths = new Map<number, number>();

  /** @param parameters resolved by `resolveParameters` */
  constructor(program: Program, parameters: readonly ConstantValue[]) {
    this.constants = new Constants(parameters);
    for (const constant of program.constants) this.constants.add(constant);
    for (const expression of everyExpression(program.body)) this.#measure(expression);
  }

  settingsOf({ settings }: IndicatorCall): number[] {
    return settings.map(({ kind, value }) => {
      const setting = this.constants.numberOf(value);
      return kind === 'length' || kind === 'count' ? Math.trunc(setting) : setting;
    });
  }

  /** How many values back an age can reach. One that changes from bar to bar can reach as far as any. */
  depthOf({ bars }: Age): number {
    return isKnown(bars) ? Math.floor(this.constants.numberOf(bars)) : LIMITS.historyBars;
  }

  /** The work of a statement with its expressions. Bodies of loops and chains are charged when they run. */
  costOfStatement(statement: Statement): number {
    const own = statement.kind === 'exit' ? EXIT_COST : 1;
    return expressionsOf(statement).reduce((sum, expression) => sum + this.costOf(expression), own);
  }

  /** The work of an expression: 1 for most operations, and what indicators visit. Bodies of chains are charged when they run. */
  costOf(expression: Expression): number {
    return operandsOf(expression).reduce((sum, operand) => sum + this.costOf(operand), this.#costOfOperation(expression));
  }

  #costOfOperation(expression: Expression): number {
    if (expression.kind === 'indicator') return 1 + INDICATORS[expression.name].visits(this.settingsOf(expression));
    return expression.kind === 'binary' && expression.operator === '%' ? REMAINDER_COST : 1;
  }

  #measure(expression: Expression): void {
    if (expression.kind === 'indicator') this.#checkSettings(expression);
    if (!('age' in expression) || expression.age === null) return;
    const depth = this.depthOf(expression.age);
    if (!(depth >= 0 && depth <= LIMITS.historyBars)) {
      this.#refuse(expression.age, `the history goes back ${depth} bars`, `Use 0 to ${LIMITS.historyBars} bars.`);
    } else if (expression.kind === 'price') this.barsDepth = Math.max(this.barsDepth, depth + 1);
    else if (expression.kind === 'past-variable') {
      this.slotDepths.set(expression.slot, Math.max(this.slotDepths.get(expression.slot) ?? 1, depth));
    }
  }

  #checkSettings(call: IndicatorCall): void {
    const values = this.settingsOf(call);
    for (const [index, setting] of call.settings.entries()) {
      const value = values[index]!;
      const [min, max] = boundsOf(setting);
      if (value >= min && value <= max) continue;
      const shown = Number.isNaN(value) ? 'na' : String(value);
      this.#refuse(call, `a setting of ${call.name} is ${shown}`, `Use ${min} to ${max}; bound an input with minval and maxval.`);
    }
  }

  #refuse({ line, column }: { readonly line: number; readonly column: number }, reason: string, remedy: string): void {
    if (this.refusals.length < LIMITS.refusals) this.refusals.push({ line, column, reason, remedy });
  }
}

function boundsOf({ kind }: IndicatorSetting): readonly [min: number, max: number] {
  switch (kind) {
    case 'length':
      return [1, LIMITS.indicatorLength];
    case 'count':
      return [0, LIMITS.indicatorLength];
    case 'factor':
      return [-LIMITS.factor, LIMITS.factor];
    case 'flag':
      return [0, 1];
  }
}
