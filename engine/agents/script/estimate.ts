/** Estimates what a reviewer wants to know before a script runs: how long it warms up, and how much work a bar is. */
import { INDICATORS } from '#agents/indicators/catalog.ts';
import type { ProgramLayout } from './layout.ts';
import type { Block, Chain, Expression, Program, Statement } from './program.ts';
import { blocksOf, expressionsOf, isKnown, operandsOf } from './program-walk.ts';

/** How many bars pass until every indicator and history of the script has a value. */
export function estimateWarmUpBars(program: Program, layout: ProgramLayout): number {
  return new WarmUp(layout).ofBlock(program.body);
}

class WarmUp {
  readonly #layout: ProgramLayout;
  /** By slot. */
  readonly #slots = new Map<number, number>();

  constructor(layout: ProgramLayout) {
    this.#layout = layout;
  }

  ofBlock({ statements, value }: Block): number {
    const bars = statements.map((statement) => this.#ofStatement(statement));
    return Math.max(0, ...bars, value === null ? 0 : this.#of(value));
  }

  #ofStatement(statement: Statement): number {
    const bars = Math.max(0, ...expressionsOf(statement).map((expression) => this.#of(expression)));
    if (statement.kind === 'assign' || statement.kind === 'assign-once') this.#raise(statement.slot, bars);
    if (statement.kind === 'assign-tuple') for (const slot of statement.slots) if (slot !== null) this.#raise(slot, bars);
    return statement.kind === 'for' ? Math.max(bars, this.ofBlock(statement.body)) : bars;
  }

  #raise(slot: number, bars: number): void {
    this.#slots.set(slot, Math.max(this.#slots.get(slot) ?? 0, bars));
  }

  #of(expression: Expression): number {
    const operands = Math.max(0, ...operandsOf(expression).map((operand) => this.#of(operand)));
    if (expression.kind === 'variable' || expression.kind === 'past-variable') {
      return Math.max(operands, (this.#slots.get(expression.slot) ?? 0) + this.#age(expression));
    }
    if (expression.kind === 'price' || expression.kind === 'past') return operands + this.#age(expression);
    if (expression.kind === 'indicator')
      return operands + INDICATORS[expression.name].warmUpBars(this.#layout.settingsOf(expression));
    return expression.kind === 'chain' ? Math.max(operands, this.#ofChain(expression)) : operands;
  }

  #ofChain(chain: Chain): number {
    return Math.max(0, ...blocksOf(chain).map((block) => this.ofBlock(block)));
  }

  /** An age that changes from bar to bar is not known before. */
  #age(expression: Expression): number {
    return 'age' in expression && expression.age !== null && isKnown(expression.age.bars)
      ? this.#layout.depthOf(expression.age)
      : 0;
  }
}

/** The work of a bar if every branch runs, or null if a loop has no known bounds. */
export function estimateFuelPerBar({ statements, value }: Block, layout: ProgramLayout): number | null {
  let fuel = value === null ? 0 : layout.costOf(value);
  for (const statement of statements) {
    fuel += layout.costOfStatement(statement);
    for (const expression of expressionsOf(statement)) {
      for (const body of bodiesIn(expression)) {
        const work = estimateFuelPerBar(body, layout);
        if (work === null) return null;
        fuel += work;
      }
    }
    if (statement.kind !== 'for') continue;
    const { from, to, by, body } = statement;
    if (![from, to, ...(by === null ? [] : [by])].every(isKnown)) return null;
    const [first, last, step] = [from, to, by ?? ({ kind: 'number', value: 1 } as const)].map((it) =>
      layout.constants.numberOf(it),
    );
    const work = estimateFuelPerBar(body, layout);
    if (work === null) return null;
    fuel += (Math.floor(Math.abs(last! - first!) / step!) + 1) * (work + 1);
  }
  return Number.isFinite(fuel) ? fuel : null;
}

/** The bodies of chains inside of an expression. */
function bodiesIn(expression: Expression): readonly Block[] {
  const below = operandsOf(expression).flatMap(bodiesIn);
  if (expression.kind !== 'chain') return below;
  return [...below, ...blocksOf(expression)];
}
