/**
 * Checks the declaration and the orders of a strategy. An argument either has its effect, or is refused, or is listed as ignored
 * because the deployment decides it.
 */
import { matchArguments, type SyntaxCall } from './arguments.ts';
import type { CheckContext, ExpressionCheck, OrderFact } from './check-context.ts';
import { LIMITS } from './limits.ts';
import { EXIT_LEVELS, type ExitLevel, type Expression, type OrderStatement } from './program.ts';
import { excerpt } from './refusal.ts';
import type { SyntaxExpression } from './syntax.ts';
import { asCondition, asNumber } from './types.ts';

const MESSAGES = [
  'comment',
  'alert_message',
  'disable_alert',
  'immediately',
  'comment_profit',
  'comment_loss',
  'comment_trailing',
];
const EXIT_MESSAGES = ['alert_profit', 'alert_loss', 'alert_trailing'];

const ORDER_ARGUMENTS = new Map<string, readonly string[]>([
  ['strategy.entry', ['id', 'direction', 'qty', 'limit', 'stop', 'oca_name', 'oca_type', ...MESSAGES, 'when']],
  ['strategy.close', ['id', 'comment', 'qty', 'qty_percent', 'alert_message', 'immediately', 'disable_alert', 'when']],
  ['strategy.close_all', ['comment', 'alert_message', 'immediately', 'disable_alert', 'when']],
  [
    'strategy.exit',
    ['id', 'from_entry', 'qty', 'qty_percent', ...EXIT_LEVELS, 'oca_name', ...MESSAGES, ...EXIT_MESSAGES, 'when'],
  ],
]);

/** Arguments that would change the result in a way that orders at the close of a bar do not have. */
const REFUSED_ARGUMENTS = new Map<string, readonly [reason: string, remedy: string]>([
  ['limit', ['no entry rests in the book', 'Compare the close with the price, and enter when it is reached.']],
  ['stop', ['no entry rests in the book', 'Compare the close with the price, and enter when it is reached.']],
  ['oca_name', ['orders are not grouped', 'Remove the argument.']],
  ['oca_type', ['orders are not grouped', 'Remove the argument.']],
  ['qty_percent', ['a position is closed as a whole', 'Remove the argument.']],
]);
/** A quantity is an argument of entries only. */
const WHOLE_POSITION = ['qty', ['a position is closed as a whole', 'Remove the argument.']] as const;

/** Arguments of the declaration whose value must be as here: another would change the result. */
const DEMANDED: ReadonlyMap<string, readonly [value: number, remedy: string]> = new Map([
  ['pyramiding', [0, 'Use pyramiding = 0: one entry in each direction.']],
  ['calc_on_order_fills', [0, 'Use false: a script runs once for each closed bar.']],
  ['calc_on_every_tick', [0, 'Use false: a script runs once for each closed bar.']],
  ['use_bar_magnifier', [0, 'Use false: a script sees closed bars only.']],
]);
const DEPLOYMENT = 'the deployment and its market decide it';
const REPLACED: ReadonlyMap<string, string> = new Map(
  [
    'default_qty_type',
    'default_qty_value',
    'initial_capital',
    'currency',
    'commission_type',
    'commission_value',
    'slippage',
    'margin_long',
    'margin_short',
    'risk_free_rate',
  ].map((name) => [name, DEPLOYMENT]),
);
const WITHOUT_EFFECT = [
  'shorttitle',
  'overlay',
  'format',
  'precision',
  'scale',
  'max_bars_back',
  'process_orders_on_close',
  'close_entries_rule',
  'max_lines_count',
  'max_labels_count',
  'max_boxes_count',
  'max_polylines_count',
  'backtest_fill_limits_assumption',
  'fill_orders_on_standard_ohlc',
  'explicit_plot_zorder',
  'dynamic_requests',
  'behind_chart',
  'timeframe',
  'timeframe_gaps',
  'calc_bars_count',
];

export function isOrderCall(name: string): boolean {
  return ORDER_ARGUMENTS.has(name);
}

/** The title of the strategy. Returns null after a refusal. */
export function checkDeclaration(context: CheckContext, expressions: ExpressionCheck, call: SyntaxCall): string | null {
  const given = matchArguments(context, call, [
    'title',
    'shorttitle',
    'overlay',
    'format',
    'precision',
    'scale',
    ...DEMANDED.keys(),
    ...REPLACED.keys(),
    ...WITHOUT_EFFECT,
  ]);
  if (given === null) return null;
  for (const [name, value] of given) {
    const demanded = DEMANDED.get(name);
    if (demanded !== undefined) {
      const typed = expressions.check(value);
      if (typed === null) return null;
      if (typed.moment !== 'source' || context.defaults.numberOf(typed.expression) !== demanded[0]) {
        return context.refuse(value, `${name} would change what the strategy does`, demanded[1]);
      }
    } else if (name !== 'title') context.facts.ignored.set(name, REPLACED.get(name) ?? 'has no effect here');
  }
  const title = given.get('title');
  if (title === undefined) return context.refuse(call, 'the strategy has no title', 'Write strategy("title").');
  return constantText(context, expressions, title);
}

/** Returns null after a refusal. */
export function checkOrder(context: CheckContext, expressions: ExpressionCheck, call: SyntaxCall): OrderStatement | null {
  const given = matchArguments(context, call, ORDER_ARGUMENTS.get(call.name)!);
  if (given === null) return null;
  const isEntry = call.name === 'strategy.entry';
  for (const [name, value] of given) {
    const isLevel = call.name === 'strategy.exit' && (name === 'limit' || name === 'stop');
    const refused = !isEntry && name === 'qty' ? WHOLE_POSITION[1] : isLevel ? undefined : REFUSED_ARGUMENTS.get(name);
    if (refused !== undefined) return context.refuse(value, `${name} of ${call.name}: ${refused[0]}`, refused[1]);
    if (MESSAGES.includes(name) || EXIT_MESSAGES.includes(name))
      context.facts.ignored.set(`${name} of ${call.name}`, 'is a message');
  }
  const whenSyntax = given.get('when');
  if (whenSyntax !== undefined && context.version === 6) {
    return context.refuse(whenSyntax, `${call.name} has no argument "when" in version 6`, 'Put the call into an if.');
  }
  const when = whenSyntax === undefined ? null : asCondition(context, expressions.check(whenSyntax), whenSyntax);
  if (when === null && whenSyntax !== undefined) return null;
  const condition = when?.expression ?? null;
  const { entries, exits } = context.facts;
  if (entries.length + exits.length >= LIMITS.orders) {
    return context.refuse(call, `the script has more than ${LIMITS.orders} orders`, 'Join conditions of equal orders with "or".');
  }
  const conditions = whenSyntax === undefined ? context.conditions : [...context.conditions, context.textOf(whenSyntax)];
  const fact: OrderFact = { line: call.line, text: context.textOf(call), conditions: [...conditions] };
  (isEntry ? entries : exits).push(fact);
  if (call.name === 'strategy.close_all') return { kind: 'close-all', when: condition };
  const id = given.get('id');
  if (id === undefined)
    return context.refuse(call, `${call.name} has no id`, 'Name the order first, as in strategy.entry("Long", …).');
  if (constantText(context, expressions, id) === null) return null;
  const order = { context, expressions, call, given, id: expressions.check(id)!.expression, when: condition };
  if (isEntry) return checkEntry(order);
  if (call.name === 'strategy.close') return { kind: 'close', id: order.id, when: condition };
  return checkExit(order);
}

/** A call whose arguments have places, with its id and its condition. */
interface NamedOrder {
  readonly context: CheckContext;
  readonly expressions: ExpressionCheck;
  readonly call: SyntaxCall;
  readonly given: ReadonlyMap<string, SyntaxExpression>;
  readonly id: Expression;
  readonly when: Expression | null;
}

function checkEntry({ context, expressions, call, given, id, when }: NamedOrder): OrderStatement | null {
  const direction = given.get('direction');
  if (direction === undefined) return context.refuse(call, 'the entry has no direction', 'Use strategy.long or strategy.short.');
  const isLong = expressions.check(direction);
  if (isLong === null) return null;
  if (isLong.type !== 'direction')
    return context.refuse(direction, `a direction is expected, got ${isLong.type}`, 'Use strategy.long or strategy.short.');
  const size = given.get('qty');
  const quantity = size === undefined ? null : asNumber(context, expressions.check(size), size);
  if (size !== undefined && quantity === null) return null;
  return { kind: 'entry', id, isLong: isLong.expression, quantity: quantity?.expression ?? null, when };
}

function checkExit({ context, expressions, call, given, id, when }: NamedOrder): OrderStatement | null {
  const from = given.get('from_entry');
  if (from !== undefined && constantText(context, expressions, from) === null) return null;
  const levels: Partial<Record<ExitLevel, Expression>> = {};
  for (const level of EXIT_LEVELS) {
    const value = given.get(level);
    if (value === undefined) continue;
    const typed = asNumber(context, expressions.check(value), value);
    if (typed === null) return null;
    levels[level] = typed.expression;
  }
  const isTrailing = levels.trail_price !== undefined || levels.trail_points !== undefined;
  if (isTrailing !== (levels.trail_offset !== undefined)) {
    return context.refuse(
      call,
      'a trailing exit needs a start and a distance',
      'Give trail_points or trail_price, and trail_offset.',
    );
  }
  if (Object.keys(levels).length === 0) {
    return context.refuse(call, 'the exit has no price', 'Give profit, limit, loss, stop or trail_…; or use strategy.close.');
  }
  const fromEntry = from === undefined ? null : expressions.check(from)!.expression;
  return { kind: 'exit', id, fromEntry, levels, prefersPrices: context.version === 5, when };
}

/** A text that is known before the first bar. Returns null after a refusal. */
function constantText(context: CheckContext, expressions: ExpressionCheck, syntax: SyntaxExpression): string | null {
  const typed = expressions.check(syntax);
  if (typed === null) return null;
  if (typed.type !== 'text' || typed.moment === 'bar') {
    return context.refuse(syntax, `expected a text that does not change, got ${typed.type}`, 'Write the text in quotes.');
  }
  const text = context.defaults.textOf(typed.expression);
  if (text.length > 0 && text.length <= LIMITS.textLength) return text;
  return context.refuse(
    syntax,
    `the text "${excerpt(text)}" is empty or longer than ${LIMITS.textLength} characters`,
    'Write a short text.',
  );
}
