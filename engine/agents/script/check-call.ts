/** Checks calls that have a value: functions of numbers, and indicators with their settings. */
import { INDICATORS, type IndicatorName } from '#agents/indicators/catalog.ts';
import { matchArguments, type SyntaxCall } from './arguments.ts';
import { MATH_FUNCTIONS, type MathName } from './arithmetic.ts';
import type { CheckContext, ExpressionCheck, TypedExpression } from './check-context.ts';
import { LIMITS } from './limits.ts';
import type { Expression, IndicatorCall, IndicatorSetting, ValueType } from './program.ts';
import { INDICATOR_SIGNATURES, type IndicatorArgument, MATH_SIGNATURES } from './signatures.ts';
import type { SyntaxExpression } from './syntax.ts';
import { asCondition, asNumber, commonType, latest } from './types.ts';

export function isMathName(name: string): name is MathName {
  return Object.hasOwn(MATH_FUNCTIONS, name);
}

export function isIndicatorName(name: string): name is IndicatorName {
  return Object.hasOwn(INDICATORS, name);
}

export function checkMath(
  context: CheckContext,
  expressions: ExpressionCheck,
  call: SyntaxCall,
  name: MathName,
): TypedExpression | null {
  const signature = MATH_SIGNATURES[name];
  const { repeated = signature.names.length } = signature;
  const names = [
    ...signature.names,
    ...Array.from({ length: repeated - signature.names.length }, (_, index) => `number${index + 2}`),
  ];
  const given = matchArguments(context, call, names);
  if (given === null) return null;
  if (given.size < signature.required || ![...given.keys()].every((key, index) => key === names[index])) {
    return context.refuse(call, `${name} lacks an argument`, `Its arguments are: ${signature.names.join(', ')}.`);
  }
  const operands: TypedExpression[] = [];
  for (const value of given.values()) {
    const typed = expressions.check(value);
    if (typed?.type === 'drawing') return typed;
    if (typed?.type === 'bool' && (name === 'na' || name === 'nz')) {
      return context.refuse(value, `a bool is never na here, so ${name}() has no use for it`, `Remove ${name}().`);
    }
    const operand = asNumber(context, typed, value);
    if (operand === null) return null;
    operands.push(operand);
  }
  const last = operands.at(-1)!;
  if (signature.whole !== undefined && operands.length === signature.names.length) {
    const [min, max] = signature.whole;
    const whole = last.moment === 'source' ? context.defaults.numberOf(last.expression) : Number.NaN;
    if (!Number.isInteger(whole) || whole < min || whole > max) {
      const place = [...given.values()].at(-1)!;
      return context.refuse(
        place,
        `${signature.names.at(-1)} of ${name} is not an integer from ${min} to ${max}`,
        'Write it as a number.',
      );
    }
  }
  const same = operands.map(({ type }) => type).reduce((common, type) => commonType(common, type) ?? 'float');
  const named: ValueType = signature.result === 'same' ? same : signature.result;
  const type = name === 'math.round' && operands.length === 1 ? 'int' : named;
  return {
    expression: { kind: 'math', name, operands: operands.map(({ expression }) => expression) },
    type,
    moment: latest(operands),
  };
}

export interface TypedIndicator {
  readonly call: IndicatorCall;
  readonly results: readonly ValueType[];
}

export function checkIndicator(
  context: CheckContext,
  expressions: ExpressionCheck,
  call: SyntaxCall,
  name: IndicatorName,
): TypedIndicator | null {
  const signature = INDICATOR_SIGNATURES[name];
  if (context.reach === 'repeated') {
    return context.refuse(
      call,
      `${name} in a loop would run several times on one bar`,
      'Call it before the loop and use its variable.',
    );
  }
  if (context.indicators >= LIMITS.indicators) {
    return context.refuse(
      call,
      `the script has more than ${LIMITS.indicators} indicators`,
      'Store a result in a variable and use it again.',
    );
  }
  context.indicators += 1;
  const names = signature.arguments.map((argument) => argument.name);
  const isShort = signature.shortSource !== undefined && call.arguments.length === 1 && call.arguments[0]!.name !== names[0];
  const given = matchArguments(context, call, isShort ? names.slice(1) : names);
  if (given === null) return null;
  const inputs: Expression[] = [];
  const settings: IndicatorSetting[] = [];
  for (const [index, argument] of signature.arguments.entries()) {
    const value = given.get(argument.name);
    if (value !== undefined) {
      if (!checkArgument(context, expressions, name, argument, value, inputs, settings)) return null;
    } else if (isShort && index === 0) {
      context.facts.prices.add(signature.shortSource);
      inputs.push({ kind: 'price', price: { name: signature.shortSource }, age: null });
    } else if (argument.default !== undefined && argument.kind !== 'series' && argument.kind !== 'condition') {
      settings.push({ kind: argument.kind, value: { kind: 'number', value: argument.default } });
    } else
      return context.refuse(call, `${name} lacks the argument "${argument.name}"`, `Its arguments are: ${names.join(', ')}.`);
  }
  const text = context.textOf(call);
  context.facts.indicators.add(text);
  if (context.reach === 'some-bars') {
    context.facts.warnings.push(
      `Line ${call.line}: ${text} advances only on bars that reach it, as in Pine. Assign it to a variable before the condition to advance it on every bar.`,
    );
  }
  return {
    call: { kind: 'indicator', name, inputs, settings, line: call.line, column: call.column },
    results: signature.results,
  };
}

/** Adds the argument to the inputs or settings. Returns false after a refusal. */
function checkArgument(
  context: CheckContext,
  expressions: ExpressionCheck,
  name: IndicatorName,
  argument: IndicatorArgument,
  value: SyntaxExpression,
  inputs: Expression[],
  settings: IndicatorSetting[],
): boolean {
  const typed = expressions.check(value);
  const { kind } = argument;
  if (kind === 'series' || kind === 'condition') {
    const input = kind === 'series' ? asNumber(context, typed, value) : asCondition(context, typed, value);
    if (input === null) return false;
    inputs.push(input.expression);
    return true;
  }
  const setting = kind === 'flag' ? asCondition(context, typed, value) : asNumber(context, typed, value);
  if (setting === null) return false;
  if (setting.moment === 'bar') {
    context.refuse(
      value,
      `"${argument.name}" of ${name} changes from bar to bar`,
      'Use a number or an input: the review bounds memory and work by it.',
    );
    return false;
  }
  if (setting.type === 'float' && (kind === 'length' || kind === 'count')) {
    context.refuse(value, `"${argument.name}" of ${name} is a fraction`, 'Use an integer, or int(…) around it.');
    return false;
  }
  settings.push({ kind, value: setting.expression });
  return true;
}
