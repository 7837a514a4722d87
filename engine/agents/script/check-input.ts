/** Checks inputs: each becomes a parameter of the script with its default, its bounds and its options. */
import { PRICE_NAMES, type PriceName } from '#agents/indicators/bars.ts';
import { matchArguments, type SyntaxCall } from './arguments.ts';
import type { CheckContext, ExpressionCheck, TypedExpression } from './check-context.ts';
import { LIMITS } from './limits.ts';
import type { Parameter } from './program.ts';
import { excerpt } from './refusal.ts';
import type { SyntaxExpression } from './syntax.ts';

/** Arguments without effect on the value. */
const SHOWN = ['tooltip', 'inline', 'group', 'confirm', 'display', 'active'];
const RANGE = ['defval', 'title', 'minval', 'maxval', 'step', 'options', ...SHOWN];
const INPUT_ARGUMENTS = new Map<string, readonly string[]>([
  ['input', ['defval', 'title', ...SHOWN]],
  ['input.int', RANGE],
  ['input.float', RANGE],
  ['input.bool', ['defval', 'title', ...SHOWN]],
  ['input.string', ['defval', 'title', 'options', ...SHOWN]],
  ['input.source', ['defval', 'title', ...SHOWN]],
]);

export function isInputCall(name: string): boolean {
  return INPUT_ARGUMENTS.has(name);
}

export class InputCheck {
  readonly #context: CheckContext;
  readonly #expressions: ExpressionCheck;

  constructor(context: CheckContext, expressions: ExpressionCheck) {
    this.#context = context;
    this.#expressions = expressions;
  }

  /** @param variable the variable that receives the input, its name for the parameter; null without one */
  check(call: SyntaxCall, variable: string | null): TypedExpression | null {
    const context = this.#context;
    const order = INPUT_ARGUMENTS.get(call.name)!;
    // The third argument by position is the smallest value, or the options.
    const third = call.arguments[2];
    const hasOptions = third?.name === null && third.value.kind === 'list';
    const given = matchArguments(context, call, hasOptions ? ['defval', 'title', 'options', ...SHOWN] : order);
    if (given === null) return null;
    const preset = given.get('defval');
    if (preset === undefined)
      return context.refuse(call, `${call.name} has no default`, 'Write the default first, as in input.int(14).');
    const title = given.has('title') ? this.#text(given.get('title')!) : (variable ?? '');
    if (title === null) return null;
    const name = variable ?? title;
    if (name === '') return context.refuse(call, 'the input has neither a variable nor a title', 'Assign it to a variable.');
    if (isSource(call, preset)) return this.#source(call, { name, title }, preset);
    const value = this.#constant(preset);
    if (value === null) return null;
    const type = call.name === 'input' ? value.type : call.name.slice('input.'.length);
    const options = given.get('options');
    switch (type) {
      case 'bool':
        return value.type === 'bool'
          ? this.#add(call, { kind: 'bool', name, title, default: context.defaults.numberOf(value.expression) === 1 })
          : context.refuse(preset, `the default of a bool is ${value.type}`, 'Use true or false.');
      case 'int':
      case 'float':
        return this.#number(call, { kind: type, name, title }, value, given);
      case 'text':
      case 'string':
        if (value.type !== 'text') return context.refuse(preset, `the default of a text is ${value.type}`, 'Use a text.');
        return this.#choice(call, { name, title }, this.#text(preset), options);
      default:
        return context.refuse(preset, `an input cannot be ${type}`, 'Use a number, a bool, a text or a price.');
    }
  }

  #source(call: SyntaxCall, names: Names, preset: SyntaxExpression): TypedExpression | null {
    const context = this.#context;
    if (preset.kind !== 'name' || !isPriceName(preset.name)) {
      return context.refuse(preset, 'the default of a source is not a price', `Use one of ${PRICE_NAMES.join(', ')}.`);
    }
    const index = context.addParameter({ kind: 'source', ...names, default: preset.name, options: PRICE_NAMES }, call);
    if (index === null) return null;
    context.facts.prices.add(preset.name);
    return { expression: { kind: 'price', price: { parameter: index }, age: null }, type: 'float', moment: 'bar' };
  }

  #number(
    call: SyntaxCall,
    base: Names & { kind: 'int' | 'float' },
    value: TypedExpression,
    given: ReadonlyMap<string, SyntaxExpression>,
  ): TypedExpression | null {
    const context = this.#context;
    const preset = context.defaults.numberOf(value.expression);
    const isFitting = base.kind === 'int' ? Number.isSafeInteger(preset) : Number.isFinite(preset);
    if ((value.type !== 'int' && value.type !== 'float') || !isFitting) {
      return context.refuse(
        call,
        `the default is not of type ${base.kind}`,
        `Use ${base.kind === 'int' ? 'an integer' : 'a number'}.`,
      );
    }
    const bounds: (number | null)[] = [];
    for (const name of ['minval', 'maxval', 'step']) {
      const bound = given.get(name);
      const typed = bound === undefined ? undefined : this.#constant(bound);
      if (typed === null) return null;
      const limit = typed === undefined ? null : context.defaults.numberOf(typed.expression);
      if (limit !== null && !Number.isFinite(limit)) return context.refuse(bound!, `${name} is not a number`, 'Use a number.');
      bounds.push(limit);
    }
    const [min = null, max = null, step = null] = bounds;
    if ((min !== null && preset < min) || (max !== null && preset > max)) {
      return context.refuse(
        call,
        `the default ${preset} is outside of ${min ?? '−∞'} to ${max ?? '∞'}`,
        'Change the default or the bounds.',
      );
    }
    const options = this.#options(given.get('options'), (element) => {
      const typed = this.#constant(element);
      if (typed === null || typed.type === 'int' || typed.type === base.kind)
        return typed && context.defaults.numberOf(typed.expression);
      return context.refuse(element, `an option is ${typed.type}`, `Use options of type ${base.kind}.`);
    });
    if (options === undefined) return null;
    if (options?.includes(preset) === false)
      return context.refuse(call, `the default ${preset} is not an option`, 'Add it to the options.');
    return this.#add(call, { ...base, default: preset, min, max, step, options });
  }

  /** The options of an input, null without any, undefined after a refusal. */
  #options<Value>(
    options: SyntaxExpression | undefined,
    read: (element: SyntaxExpression) => Value | null,
  ): Value[] | null | undefined {
    if (options === undefined) return null;
    if (options.kind !== 'list') {
      this.#context.refuse(options, 'the options are not a list', 'Write them as in options = ["A", "B"].');
      return undefined;
    }
    const values: Value[] = [];
    for (const element of options.elements) {
      const value = read(element);
      if (value === null) return undefined;
      values.push(value);
    }
    return values;
  }

  #choice(call: SyntaxCall, names: Names, preset: string | null, options: SyntaxExpression | undefined): TypedExpression | null {
    if (preset === null) return null;
    const texts = this.#options(options, (element) => this.#text(element));
    if (texts === undefined) return null;
    if (texts?.includes(preset) === false)
      return this.#context.refuse(call, `the default "${preset}" is not an option`, 'Add it to the options.');
    return this.#add(call, { kind: 'text', ...names, default: preset, options: texts });
  }

  #add(call: SyntaxCall, parameter: Parameter): TypedExpression | null {
    const index = this.#context.addParameter(parameter, call);
    if (index === null) return null;
    const type = parameter.kind === 'source' ? 'float' : parameter.kind;
    return { expression: { kind: 'parameter', index }, type, moment: 'parameters' };
  }

  /** A value of the source. */
  #constant(syntax: SyntaxExpression): TypedExpression | null {
    const typed = this.#expressions.check(syntax);
    if (typed === null || typed.moment === 'source') return typed;
    return this.#context.refuse(syntax, 'an argument of an input depends on something else', 'Write a plain value.');
  }

  #text(syntax: SyntaxExpression): string | null {
    const typed = this.#constant(syntax);
    if (typed === null) return null;
    const text = typed.type === 'text' ? this.#context.defaults.textOf(typed.expression) : null;
    if (text !== null && text.length <= LIMITS.textLength) return text;
    return this.#context.refuse(
      syntax,
      `expected a text of at most ${LIMITS.textLength} characters, got ${excerpt(text ?? typed.type)}`,
      'Write a short text.',
    );
  }
}

interface Names {
  readonly name: string;
  readonly title: string;
}

function isSource(call: SyntaxCall, preset: SyntaxExpression): boolean {
  return call.name === 'input.source' || (call.name === 'input' && preset.kind === 'name' && isPriceName(preset.name));
}

export function isPriceName(name: string): name is PriceName {
  return (PRICE_NAMES as readonly string[]).includes(name);
}
