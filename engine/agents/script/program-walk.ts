/** Walks over the expressions and statements of a program. Its depth is bounded by the nesting of the source. */
import type { Block, Chain, Expression, Statement } from './program.ts';

/** The expressions directly below one, without the bodies of a chain. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'number':
    case 'text':
    case 'parameter':
    case 'constant':
    case 'position':
    case 'variable':
      return [];
    case 'price':
      return expression.age === null ? [] : [expression.age.bars];
    case 'past-variable':
      return [expression.age.bars];
    case 'past':
      return [expression.of, expression.age.bars];
    case 'negation':
    case 'not':
    case 'truth':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'choice':
      return [expression.condition, expression.yes, expression.no];
    case 'math':
      return expression.operands;
    case 'indicator':
      return expression.inputs;
    case 'chain':
      return expression.branches.map(({ condition }) => condition);
  }
}

/** The expressions that a statement evaluates, without the bodies of loops and chains. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  const present = (expressions: readonly (Expression | null | undefined)[]) =>
    expressions.filter((it) => it !== null && it !== undefined);
  switch (statement.kind) {
    case 'assign':
    case 'assign-once':
    case 'evaluate':
      return [statement.value];
    case 'assign-tuple':
      return [statement.call];
    case 'for':
      return present([statement.from, statement.to, statement.by]);
    case 'break':
    case 'continue':
      return [];
    case 'entry':
      return present([statement.isLong, statement.quantity, statement.when]);
    case 'close':
    case 'close-all':
      return present([statement.when]);
    case 'exit':
      return present([...Object.values(statement.levels), statement.when]);
  }
}

export function blocksOf(chain: Chain): readonly Block[] {
  const bodies = chain.branches.map(({ body }) => body);
  return chain.otherwise === null ? bodies : [...bodies, chain.otherwise];
}

/** Every expression of a block, at any depth. */
export function* everyExpression(block: Block): Generator<Expression> {
  for (const statement of block.statements) {
    for (const expression of expressionsOf(statement)) yield* withOperands(expression);
    if (statement.kind === 'for') yield* everyExpression(statement.body);
  }
  if (block.value !== null) yield* withOperands(block.value);
}

function* withOperands(expression: Expression): Generator<Expression> {
  yield expression;
  for (const operand of operandsOf(expression)) yield* withOperands(operand);
  if (expression.kind === 'chain') for (const block of blocksOf(expression)) yield* everyExpression(block);
}

/** Whether the value is known before the first bar. */
export function isKnown(expression: Expression): boolean {
  switch (expression.kind) {
    case 'price':
    case 'position':
    case 'variable':
    case 'past-variable':
    case 'past':
    case 'indicator':
    case 'chain':
      return false;
    default:
      return operandsOf(expression).every(isKnown);
  }
}
