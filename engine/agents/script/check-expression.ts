/** Checks expressions: what each name means, and whether the types of operands fit. */
import { checkIndicator, checkMath, isIndicatorName, isMathName } from './check-call.ts';
import type { CheckContext, ExpressionCheck, TypedExpression } from './check-context.ts';
import { InputCheck, isInputCall, isPriceName } from './check-input.ts';
import { isDrawingCall, isDrawingName, REFUSED_NAMES } from './names.ts';
import type { Age, Expression, PositionValue, ValueType } from './program.ts';
import { excerpt } from './refusal.ts';
import { INDICATOR_VARIABLES } from './signatures.ts';
import type { SyntaxChain, SyntaxExpression } from './syntax.ts';
import { asCondition, asNumber, commonType, DRAWING, isNumeric, latest, NA } from './types.ts';

const POSITION_VALUES: ReadonlyMap<string, readonly [PositionValue, ValueType]> = new Map([
  ['bar_index', ['bar_index', 'int']],
  ['strategy.position_size', ['position_size', 'float']],
  ['strategy.position_avg_price', ['position_avg_price', 'float']],
  ['strategy.opentrades', ['opentrades', 'int']],
  ['syminfo.mintick', ['mintick', 'float']],
]);

const number = (value: number, type: ValueType): TypedExpression => ({
  expression: { kind: 'number', value },
  type,
  moment: 'source',
});

const NAMED_CONSTANTS: ReadonlyMap<string, TypedExpression> = new Map([
  ['na', { expression: NA, type: 'na', moment: 'source' }],
  ['true', number(1, 'bool')],
  ['false', number(0, 'bool')],
  ['barstate.isconfirmed', number(1, 'bool')],
  ['strategy.long', number(1, 'direction')],
  ['strategy.short', number(0, 'direction')],
]);

const BAR_INDEX: Expression = { kind: 'position', of: 'bar_index' };

type SyntaxOf<Kind extends SyntaxExpression['kind']> = SyntaxExpression & { readonly kind: Kind };

export class ExpressionChecker implements ExpressionCheck {
  readonly #context: CheckContext;
  readonly inputs: InputCheck;
  /** The statements of branches are checked elsewhere. */
  readonly checkChain: ExpressionCheck['checkChain'];

  constructor(context: CheckContext, checkChain: ExpressionCheck['checkChain']) {
    this.#context = context;
    this.checkChain = checkChain;
    this.inputs = new InputCheck(context, this);
  }

  check(syntax: SyntaxExpression): TypedExpression | null {
    switch (syntax.kind) {
      case 'number':
        return this.#number(syntax);
      case 'text':
        return { expression: { kind: 'text', value: syntax.text }, type: 'text', moment: 'source' };
      case 'color':
        return DRAWING;
      case 'list':
        return this.#context.refuse(syntax, 'lists of values are not available', 'Use one variable for each value.');
      case 'name':
        return this.#name(syntax);
      case 'unary':
        return this.#unary(syntax);
      case 'binary':
        return this.#binary(syntax);
      case 'choice':
        return this.#choice(syntax);
      case 'call':
        return this.#call(syntax);
      case 'history':
        return this.#history(syntax);
      case 'chain':
        return this.checkChain(syntax as SyntaxChain & SyntaxExpression, true);
    }
  }

  #number(syntax: SyntaxOf<'number'>): TypedExpression | null {
    const value = Number(syntax.digits);
    if (!Number.isFinite(value)) return this.#context.refuse(syntax, 'the number is too large', 'Write a smaller number.');
    return number(value, /^[0-9]+$/.test(syntax.digits) && Number.isSafeInteger(value) ? 'int' : 'float');
  }

  #name(syntax: SyntaxOf<'name'>): TypedExpression | null {
    const { name } = syntax;
    const context = this.#context;
    const found = context.lookUp(name);
    if (found?.kind === 'value') return found.typed;
    if (found?.kind === 'variable')
      return { expression: { kind: 'variable', slot: found.slot }, type: found.type, moment: 'bar' };
    const constant = NAMED_CONSTANTS.get(name);
    if (constant !== undefined) return constant;
    if (isPriceName(name)) {
      context.facts.prices.add(name);
      return { expression: { kind: 'price', price: { name }, age: null }, type: 'float', moment: 'bar' };
    }
    const position = POSITION_VALUES.get(name);
    if (position !== undefined) return { expression: { kind: 'position', of: position[0] }, type: position[1], moment: 'bar' };
    if (name === 'barstate.isfirst') {
      const expression: Expression = {
        kind: 'binary',
        operator: '==',
        left: BAR_INDEX,
        right: { kind: 'number', value: 0 },
        form: 'numbers',
      };
      return { expression, type: 'bool', moment: 'bar' };
    }
    if (INDICATOR_VARIABLES.has(name)) return this.#call({ ...syntax, kind: 'call', arguments: [] });
    return isDrawingName(name) ? DRAWING : this.#unknown(syntax, name);
  }

  #unknown(syntax: SyntaxExpression, name: string): null {
    for (const [pattern, reason, remedy] of REFUSED_NAMES) {
      if (pattern.test(name)) return this.#context.refuse(syntax, `${excerpt(name)}: ${reason}`, remedy);
    }
    return this.#context.refuse(
      syntax,
      `"${excerpt(name)}" is not known`,
      'Declare it before its use, or compare it with the list of names.',
    );
  }

  #unary(syntax: SyntaxOf<'unary'>): TypedExpression | null {
    const typed = this.check(syntax.operand);
    if (typed?.type === 'drawing') return typed;
    if (syntax.operator === 'not') {
      const operand = asCondition(this.#context, typed, syntax.operand);
      return operand && { ...operand, expression: { kind: 'not', operand: operand.expression } };
    }
    const operand = asNumber(this.#context, typed, syntax.operand);
    if (operand === null || syntax.operator === '+') return operand;
    return { ...operand, expression: { kind: 'negation', operand: operand.expression } };
  }

  #binary(syntax: SyntaxOf<'binary'>): TypedExpression | null {
    const { operator } = syntax;
    if (operator === 'and' || operator === 'or') return this.#logic(syntax, operator);
    const context = this.#context;
    const left = this.check(syntax.left);
    const right = this.check(syntax.right);
    if (left === null || right === null) return null;
    const operands = [left, right];
    if (operands.some(({ type }) => type === 'drawing')) return DRAWING;
    const isEquality = operator === '==' || operator === '!=';
    if (isEquality && operands.some(({ type }) => type === 'na')) {
      return context.refuse(syntax, 'a comparison with na is always false', 'Use na(x), or not na(x).');
    }
    const moment = latest(operands);
    const build = (type: ValueType, form: 'numbers' | 'texts' | 'whole'): TypedExpression => ({
      expression: { kind: 'binary', operator, left: left.expression, right: right.expression, form },
      type,
      moment,
    });
    if (left.type === 'text' && right.type === 'text' && (isEquality || operator === '+'))
      return build(isEquality ? 'bool' : 'text', 'texts');
    if (isEquality && left.type === right.type && left.type !== 'text') return build('bool', 'numbers');
    if (operator === '+' && operands.some(({ type }) => type === 'text')) return DRAWING;
    if (asNumber(context, left, syntax.left) === null || asNumber(context, right, syntax.right) === null) return null;
    if (isEquality || /^[<>]/.test(operator)) return build('bool', 'numbers');
    const type = left.type === 'int' && right.type === 'int' ? 'int' : 'float';
    // Version 5 cuts the fraction of a quotient of two constants only (migration guide to version 6).
    return build(type, operator === '/' && type === 'int' && moment === 'source' && context.version === 5 ? 'whole' : 'numbers');
  }

  /** Version 6 evaluates the right side only if the left does not decide (migration guide); version 5 evaluates both. */
  #logic(syntax: SyntaxOf<'binary'>, operator: 'and' | 'or'): TypedExpression | null {
    const context = this.#context;
    const isLazy = context.version === 6;
    const left = asCondition(context, this.check(syntax.left), syntax.left);
    const checkRight = () => asCondition(context, this.check(syntax.right), syntax.right);
    const right = isLazy ? context.onSomeBars(checkRight) : checkRight();
    if (left === null || right === null) return null;
    const form = isLazy ? 'lazy' : 'strict';
    const expression: Expression = { kind: 'binary', operator, left: left.expression, right: right.expression, form };
    return { expression, type: 'bool', moment: latest([left, right]) };
  }

  #choice(syntax: SyntaxOf<'choice'>): TypedExpression | null {
    const context = this.#context;
    const condition = asCondition(context, this.check(syntax.condition), syntax.condition);
    const yes = context.onSomeBars(() => this.check(syntax.yes));
    const no = context.onSomeBars(() => this.check(syntax.no));
    if (condition === null || yes === null || no === null) return null;
    const type = commonType(yes.type, no.type);
    if (type === null) return context.refuse(syntax, `the branches are ${yes.type} and ${no.type}`, 'Use values of one type.');
    const moment = latest([condition, yes, no]);
    // A text that changes from bar to bar is only shown.
    if (type === 'drawing' || (type === 'text' && moment === 'bar')) return DRAWING;
    const expression: Expression = { kind: 'choice', condition: condition.expression, yes: yes.expression, no: no.expression };
    return { expression, type, moment };
  }

  #call(syntax: SyntaxOf<'call'>): TypedExpression | null {
    const { name } = syntax;
    const context = this.#context;
    if (isInputCall(name)) return this.inputs.check(syntax, null);
    if (isDrawingCall(name)) {
      context.facts.ignored.set(`${name}()`, 'draws or notifies');
      return DRAWING;
    }
    if (name === 'bool') return this.#boolCast(syntax);
    if (isMathName(name)) return checkMath(context, this, syntax, name);
    if (!isIndicatorName(name)) {
      if (/^strategy\.(entry|close|close_all|exit)$|^strategy$/.test(name)) {
        return context.refuse(syntax, `${name} has no value`, 'Write it on a line of its own.');
      }
      return this.#unknown(syntax, name);
    }
    const indicator = checkIndicator(context, this, syntax, name);
    if (indicator === null) return null;
    if (indicator.results.length === 1) return { expression: indicator.call, type: indicator.results[0]!, moment: 'bar' };
    const names = indicator.results.map((_, index) => 'abc'[index]).join(', ');
    return context.refuse(
      syntax,
      `${name} has ${indicator.results.length} results`,
      `Declare them, as in [${names}] = ${name}(…).`,
    );
  }

  #boolCast(syntax: SyntaxOf<'call'>): TypedExpression | null {
    const [argument] = syntax.arguments;
    if (argument === undefined || syntax.arguments.length > 1)
      return this.#context.refuse(syntax, 'bool() takes one argument', 'Write a comparison.');
    const typed = this.check(argument.value);
    if (typed === null || !isNumeric(typed.type)) return asCondition(this.#context, typed, argument.value);
    return { expression: { kind: 'truth', operand: typed.expression }, type: 'bool', moment: typed.moment };
  }

  #history(syntax: SyntaxOf<'history'>): TypedExpression | null {
    const context = this.#context;
    const of = this.check(syntax.of);
    const age = asNumber(context, this.check(syntax.age), syntax.age);
    if (of === null || age === null) return null;
    const { expression, type } = of;
    if (type === 'drawing') return of;
    if (type === 'text' || type === 'direction')
      return context.refuse(syntax, `a ${type} has no history`, 'Use the value itself.');
    // What is known before the first bar was the same on every bar.
    if (of.moment !== 'bar') return of;
    const isBool = type === 'bool';
    const back: Age = { bars: age.expression, line: syntax.line, column: syntax.column };
    if (expression.kind === 'price' && expression.age === null) {
      return { expression: { ...expression, age: back }, type, moment: 'bar' };
    }
    if (expression.kind === 'variable') {
      const named = syntax.of.kind === 'name' ? context.lookUp(syntax.of.name) : undefined;
      if (named?.kind === 'variable' && !named.isGlobal) {
        return context.refuse(
          syntax,
          'the history of a variable inside of a block has gaps',
          'Declare the variable before the block.',
        );
      }
      return { expression: { kind: 'past-variable', slot: expression.slot, age: back, isBool }, type, moment: 'bar' };
    }
    if (context.reach === 'repeated') {
      return context.refuse(
        syntax,
        'the history of an expression in a loop has several values on one bar',
        'Assign it to a variable before the loop.',
      );
    }
    return { expression: { kind: 'past', of: expression, age: back, isBool }, type, moment: 'bar' };
  }
}
