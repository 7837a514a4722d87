/** How types meet: what a condition accepts, what two branches have in common, what an assignment may store. */
import type { CheckContext, TypedExpression } from './check-context.ts';
import type { Expression, Moment, ValueType } from './program.ts';
import type { SourcePlace } from './refusal.ts';

export const NA: Expression = { kind: 'number', value: Number.NaN };
/** A drawing has no value. */
export const DRAWING: TypedExpression = { expression: NA, type: 'drawing', moment: 'source' };

export function isNumeric(type: ValueType): boolean {
  return type === 'int' || type === 'float' || type === 'na';
}

const MOMENTS: readonly Moment[] = ['source', 'parameters', 'bar'];

/** When the last of the parts is known. */
export function latest(parts: readonly TypedExpression[]): Moment {
  return MOMENTS[Math.max(0, ...parts.map(({ moment }) => MOMENTS.indexOf(moment)))]!;
}

/** The common type of two branches, or null. A text that changes from bar to bar is only shown, so it is a drawing. */
export function commonType(first: ValueType, second: ValueType): ValueType | null {
  if (first === second) return first;
  if (first === 'drawing' || second === 'drawing') return 'drawing';
  if (first === 'na') return second === 'text' || second === 'direction' ? null : second;
  if (second === 'na') return commonType(second, first);
  return isNumeric(first) && isNumeric(second) ? 'float' : null;
}

/** An expression as a condition. Version 5 takes numbers: zero and `na` are false. Returns null after a refusal. */
export function asCondition(context: CheckContext, typed: TypedExpression | null, place: SourcePlace): TypedExpression | null {
  if (typed === null || typed.type === 'bool') return typed;
  const { expression, moment, type } = typed;
  if (isNumeric(type) && (context.version === 5 || type === 'na')) {
    return { expression: { kind: 'truth', operand: expression }, type: 'bool', moment };
  }
  if (isNumeric(type)) return context.refuse(place, 'a number is not a condition in version 6', 'Compare it, as in x != 0.');
  return context.refuse(place, `a ${type} is not a condition`, 'Write a comparison.');
}

/** An expression as a number. Returns null after a refusal. */
export function asNumber(context: CheckContext, typed: TypedExpression | null, place: SourcePlace): TypedExpression | null {
  if (typed === null || isNumeric(typed.type)) return typed;
  const remedy = typed.type === 'bool' ? 'Choose numbers with it, as in condition ? 1 : 0.' : 'Use a number.';
  return context.refuse(place, `expected a number, got a ${typed.type}`, remedy);
}

/** An expression as a value of a declared type. Returns null after a refusal. */
export function asType(
  context: CheckContext,
  typed: TypedExpression | null,
  type: ValueType,
  place: SourcePlace,
): TypedExpression | null {
  if (typed === null || typed.type === type) return typed;
  if (type === 'bool') return asCondition(context, typed, place);
  if (type === 'drawing') return DRAWING;
  const fits = typed.type === 'na' ? isNumeric(type) : type === 'float' && typed.type === 'int';
  if (fits) return { ...typed, type };
  const remedy =
    type === 'int' && typed.type === 'float' ? 'Declare the variable as float, or use math.round.' : `Use a ${type}.`;
  return context.refuse(place, `expected a value of type ${type}, got ${typed.type}`, remedy);
}
