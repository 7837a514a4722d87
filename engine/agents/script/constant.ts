/** Evaluates what is known before the first bar: parameters, and variables that only they decide. */
import type { PriceName } from '#agents/indicators/bars.ts';
import { BINARY_OPERATIONS, divideWhole, MATH_FUNCTIONS } from './arithmetic.ts';
import type { Expression } from './program.ts';

/** A number, a bool as 0 or 1, or a text. */
export type ConstantValue = number | string;

export class Constants {
  readonly #parameters: readonly ConstantValue[];
  readonly #values: ConstantValue[] = [];

  /** @param parameters their values in the order of the program; bools as 0 or 1, sources by name */
  constructor(parameters: readonly ConstantValue[]) {
    this.#parameters = parameters;
  }

  /** Adds the next constant of the program. */
  add(expression: Expression): void {
    this.#values.push(this.valueOf(expression));
  }

  /** The price that a source parameter names. */
  sourceOf(parameter: number): PriceName {
    return this.#parameters[parameter] as PriceName;
  }

  numberOf(expression: Expression): number {
    const value = this.valueOf(expression);
    return typeof value === 'number' ? value : Number.NaN;
  }

  textOf(expression: Expression): string {
    return String(this.valueOf(expression));
  }

  valueOf(expression: Expression): ConstantValue {
    switch (expression.kind) {
      case 'number':
      case 'text':
        return expression.value;
      case 'parameter':
        return this.#parameters[expression.index]!;
      case 'constant':
        return this.#values[expression.index]!;
      case 'negation':
        return -this.numberOf(expression.operand);
      case 'not':
        return this.numberOf(expression.operand) === 1 ? 0 : 1;
      case 'truth':
        return isTrue(this.numberOf(expression.operand));
      case 'choice':
        return this.valueOf(this.numberOf(expression.condition) === 1 ? expression.yes : expression.no);
      case 'math':
        return MATH_FUNCTIONS[expression.name](expression.operands.map((operand) => this.numberOf(operand)));
      case 'binary':
        return this.#binary(expression);
      default:
        throw new Error(`${expression.kind} is not known before the first bar`);
    }
  }

  #binary({ operator, left, right, form }: Expression & { kind: 'binary' }): ConstantValue {
    if (form === 'texts') {
      if (operator === '+') return this.textOf(left) + this.textOf(right);
      return (this.textOf(left) === this.textOf(right)) === (operator === '==') ? 1 : 0;
    }
    const first = this.numberOf(left);
    const second = this.numberOf(right);
    if (operator === 'and') return first === 1 && second === 1 ? 1 : 0;
    if (operator === 'or') return first === 1 || second === 1 ? 1 : 0;
    return form === 'whole' ? divideWhole(first, second) : BINARY_OPERATIONS[operator](first, second);
  }
}

/** A number as a condition: zero and `na` are false. */
export function isTrue(value: number): 0 | 1 {
  return value === 0 || Number.isNaN(value) ? 0 : 1;
}
