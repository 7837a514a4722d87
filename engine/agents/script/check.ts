/**
 * Checks a script: resolves its names, types its expressions and orders, and collects what the review shows. Every fault that it
 * finds is refused with its place; a script with a refusal has no program.
 */
import { checkIndicator, isIndicatorName } from './check-call.ts';
import { CheckContext, type CheckedBody, type ScriptFacts, type TypedExpression } from './check-context.ts';
import { ExpressionChecker } from './check-expression.ts';
import { isInputCall } from './check-input.ts';
import { checkDeclaration, checkOrder, isOrderCall } from './check-order.ts';
import { DRAWING_TYPES, isDrawingCall } from './names.ts';
import { parseScript, type SyntaxTree } from './parser.ts';
import type { Block, Chain, Program, Statement, ValueType } from './program.ts';
import { excerpt, type ScriptRefusal, type SourcePlace, SyntaxFault } from './refusal.ts';
import type { SyntaxChain, SyntaxExpression, SyntaxStatement } from './syntax.ts';
import { asCondition, asNumber, asType, commonType, DRAWING, NA } from './types.ts';

export type CheckResult =
  | { readonly program: Program; readonly facts: ScriptFacts }
  | { readonly refusals: readonly ScriptRefusal[] };

const DECLARED_TYPES: ReadonlyMap<string, ValueType> = new Map([
  ['int', 'int'],
  ['float', 'float'],
  ['bool', 'bool'],
  ['string', 'text'],
]);
/** Words that say when a value is known, which the check finds itself. */
const QUALIFIERS: ReadonlySet<string> = new Set(['series', 'simple', 'const', 'input']);

export function checkScript(source: string): CheckResult {
  let tree: SyntaxTree;
  try {
    tree = parseScript(source);
  } catch (error) {
    if (error instanceof SyntaxFault) return { refusals: [error.refusal] };
    throw error;
  }
  return new ScriptChecker(tree).check();
}

class ScriptChecker {
  readonly #tree: SyntaxTree;
  readonly #context: CheckContext;
  readonly #expressions: ExpressionChecker;
  #loops = 0;

  constructor(tree: SyntaxTree) {
    this.#tree = tree;
    this.#context = new CheckContext(tree.version, tree.source, new Set(assignedNames(tree.statements)));
    this.#expressions = new ExpressionChecker(this.#context, (chain, isValue) => this.#chain(chain, isValue));
  }

  check(): CheckResult {
    const context = this.#context;
    const [declaration, ...rest] = this.#tree.statements;
    const call = declaration?.kind === 'expression' && declaration.expression.kind === 'call' ? declaration.expression : null;
    let title: string | null = null;
    if (call?.name === 'strategy') title = checkDeclaration(context, this.#expressions, call);
    else if (call?.name === 'indicator' || call?.name === 'study' || call?.name === 'library') this.#expressions.check(call);
    else
      context.refuse(
        declaration ?? { line: 1, column: 1 },
        'the script does not start with strategy(…)',
        'Write strategy("title") in the first line after the version.',
      );
    const body: Block = { statements: this.#statements(rest), value: null };
    if (context.refusals.length === 0 && context.facts.entries.length === 0) {
      context.refuse({ line: 1, column: 1 }, 'the script never enters a position', 'Add strategy.entry.');
    }
    if (title === null || context.refusals.length > 0) return { refusals: context.refusals };
    const { parameters, constants, slots, version, facts } = context;
    return { program: { title, version, parameters, constants, slots, body }, facts };
  }

  #statements(statements: readonly SyntaxStatement[]): Statement[] {
    return statements.flatMap((statement) => this.#statement(statement));
  }

  #statement(syntax: SyntaxStatement): readonly Statement[] {
    switch (syntax.kind) {
      case 'declaration':
        return this.#declaration(syntax);
      case 'tuple':
        return this.#tuple(syntax);
      case 'assignment':
        return this.#assignment(syntax);
      case 'expression':
        return this.#expression(syntax.expression);
      case 'for':
        return this.#for(syntax);
      case 'break':
      case 'continue':
        if (this.#loops > 0) return [{ kind: syntax.kind }];
        this.#context.refuse(syntax, `"${syntax.kind}" is outside of a loop`, 'Remove it.');
        return [];
    }
  }

  #declaration(syntax: SyntaxStatement & { readonly kind: 'declaration' }): readonly Statement[] {
    const context = this.#context;
    const { name, value: valueSyntax } = syntax;
    const declared = this.#declaredType(syntax, syntax.type);
    const isInput = valueSyntax.kind === 'call' && isInputCall(valueSyntax.name);
    const found = isInput ? this.#expressions.inputs.check(valueSyntax, name) : this.#expressions.check(valueSyntax);
    const typed = declared === null || declared === undefined ? found : asType(context, found, declared, valueSyntax);
    if (typed === null || declared === null) {
      // A later use would be refused as unknown: one fault is reported once.
      context.declareValue(name, DRAWING, syntax);
      return [];
    }
    if (typed.type === 'na') {
      context.refuse(syntax, `the type of "${excerpt(name)}" is not known`, `Declare it, as in float ${excerpt(name)} = na.`);
      context.declareValue(name, DRAWING, syntax);
      return [];
    }
    if (typed.type === 'drawing') {
      context.declareValue(name, DRAWING, syntax);
      return typed.expression.kind === 'chain' ? [{ kind: 'evaluate', value: typed.expression }] : [];
    }
    if (!syntax.isPersistent && !context.isReassigned(name)) {
      if (typed.moment !== 'bar') context.declareValue(name, context.addConstant(typed), syntax);
      // A source that the parameters choose stays a price: its history is that of the price.
      else if (context.isGlobal && typed.expression.kind === 'price' && typed.expression.age === null)
        context.declareValue(name, typed, syntax);
      else return this.#store(syntax, name, typed);
      return [];
    }
    if (typed.type === 'text' || typed.type === 'direction') {
      context.refuse(syntax, `the ${typed.type} "${excerpt(name)}" changes`, 'Use a number or a bool for what changes.');
      context.declareValue(name, DRAWING, syntax);
      return [];
    }
    return this.#store(syntax, name, typed);
  }

  #store(syntax: SyntaxStatement & { readonly kind: 'declaration' }, name: string, typed: TypedExpression): readonly Statement[] {
    const slot = this.#context.declareVariable(name, typed.type, syntax);
    if (slot === null) return [];
    return [{ kind: syntax.isPersistent ? 'assign-once' : 'assign', slot, value: typed.expression }];
  }

  /** The declared type, undefined without one, null after a refusal. */
  #declaredType(place: SourcePlace, type: string | null): ValueType | null | undefined {
    if (type === null || QUALIFIERS.has(type)) return undefined;
    if (DRAWING_TYPES.has(type)) return 'drawing';
    return (
      DECLARED_TYPES.get(type) ??
      this.#context.refuse(place, `the type "${excerpt(type)}" is not available`, 'Use int, float, bool or string.')
    );
  }

  #tuple(syntax: SyntaxStatement & { readonly kind: 'tuple' }): readonly Statement[] {
    const context = this.#context;
    const { value, names } = syntax;
    if (value.kind !== 'call' || !isIndicatorName(value.name)) {
      context.refuse(value, 'only an indicator with several results declares a tuple', 'Declare each variable alone.');
      return [];
    }
    const indicator = checkIndicator(context, this.#expressions, value, value.name);
    if (indicator === null) {
      for (const name of names) context.declareValue(name, DRAWING, syntax);
      return [];
    }
    const { results, call } = indicator;
    if (results.length !== names.length || results.length === 1) {
      context.refuse(
        syntax,
        `${value.name} has ${results.length} results, the tuple ${names.length} names`,
        'Name each result; _ skips one.',
      );
      return [];
    }
    const slots = names.map((name, index) => (name === '_' ? null : context.declareVariable(name, results[index]!, syntax)));
    return [{ kind: 'assign-tuple', slots, call }];
  }

  #assignment(syntax: SyntaxStatement & { readonly kind: 'assignment' }): readonly Statement[] {
    const context = this.#context;
    const named = context.lookUp(syntax.name);
    const typed = this.#expressions.check(syntax.value);
    if (named === undefined) {
      context.refuse(syntax, `"${excerpt(syntax.name)}" is not declared`, 'Declare it with "=" before.');
      return [];
    }
    if (named.kind === 'value') {
      if (named.typed.type === 'drawing') return [];
      context.refuse(syntax, `"${excerpt(syntax.name)}" cannot be assigned`, 'Declare another variable.');
      return [];
    }
    const value = asType(context, typed, named.type, syntax.value);
    return value === null ? [] : [{ kind: 'assign', slot: named.slot, value: value.expression }];
  }

  #expression(syntax: SyntaxExpression): readonly Statement[] {
    const context = this.#context;
    if (syntax.kind === 'chain') {
      const chain = this.#chain(syntax, false);
      return chain === null ? [] : [{ kind: 'evaluate', value: chain.expression }];
    }
    if (syntax.kind === 'call') {
      if (isOrderCall(syntax.name)) {
        const order = checkOrder(context, this.#expressions, syntax);
        return order === null ? [] : [order];
      }
      if (syntax.name === 'strategy') {
        context.refuse(syntax, 'the strategy is declared twice', 'Remove one of the declarations.');
        return [];
      }
      if (isDrawingCall(syntax.name)) {
        this.#expressions.check(syntax);
        return [];
      }
      if (isIndicatorName(syntax.name)) {
        const indicator = checkIndicator(context, this.#expressions, syntax, syntax.name);
        return indicator === null ? [] : [{ kind: 'evaluate', value: indicator.call }];
      }
    }
    const typed = this.#expressions.check(syntax);
    return typed === null || typed.moment !== 'bar' || typed.type === 'drawing'
      ? []
      : [{ kind: 'evaluate', value: typed.expression }];
  }

  #for(syntax: SyntaxStatement & { readonly kind: 'for' }): readonly Statement[] {
    const context = this.#context;
    const bound = (bounding: SyntaxExpression) => asNumber(context, this.#expressions.check(bounding), bounding);
    const from = bound(syntax.from);
    const to = bound(syntax.to);
    const by = syntax.by === null ? null : bound(syntax.by);
    const checked = context.inScope('repeated', () => {
      const type = from?.type === 'int' && (by === null || by.type === 'int') ? 'int' : 'float';
      const slot = context.declareVariable(syntax.name, type, syntax);
      this.#loops += 1;
      const statements = this.#statements(syntax.body);
      this.#loops -= 1;
      return { slot, statements };
    });
    if (from === null || to === null || (by === null && syntax.by !== null) || checked.slot === null) return [];
    const body: Block = { statements: checked.statements, value: null };
    const place = { line: syntax.line, column: syntax.column };
    return [
      { kind: 'for', place, slot: checked.slot, from: from.expression, to: to.expression, by: by?.expression ?? null, body },
    ];
  }

  #chain(syntax: SyntaxChain, isValue: boolean): TypedExpression | null {
    const context = this.#context;
    const branches: { readonly condition: TypedExpression; readonly body: CheckedBody }[] = [];
    const passed: string[] = [];
    for (const [index, { condition, body }] of syntax.branches.entries()) {
      const checkCondition = () => asCondition(context, this.#expressions.check(condition), condition);
      const typed = index === 0 ? checkCondition() : context.onSomeBars(checkCondition);
      const text = context.textOf(condition);
      const checked = this.#body(body, [...passed, text], isValue);
      passed.push(`not (${text})`);
      if (typed !== null) branches.push({ condition: typed, body: checked });
    }
    const otherwise = syntax.otherwise === null ? null : this.#body(syntax.otherwise, passed, isValue);
    if (branches.length < syntax.branches.length) return null;
    const bodies = [...branches.map(({ body }) => body), ...(otherwise === null ? [] : [otherwise])];
    const type = isValue ? this.#commonType(syntax.branches[0]!.condition, bodies) : 'na';
    if (type === null) return null;
    const hasValue = isValue && type !== 'drawing';
    const blockOf = ({ block, value }: CheckedBody): Block => ({ ...block, value: hasValue ? (value?.expression ?? NA) : null });
    const chain: Chain = {
      kind: 'chain',
      branches: branches.map(({ condition, body }) => ({ condition: condition.expression, body: blockOf(body) })),
      otherwise: otherwise === null ? null : blockOf(otherwise),
    };
    return { expression: chain, type, moment: 'bar' };
  }

  /** The type of a chain's value. A text that a chain chooses is only shown. */
  #commonType(place: SourcePlace, bodies: readonly CheckedBody[]): ValueType | null {
    let type: ValueType = 'na';
    for (const { value } of bodies) {
      if (value === null) return null;
      const common = commonType(type, value.type === 'text' ? 'drawing' : value.type);
      if (common === null)
        return this.#context.refuse(
          place,
          `the branches have values of type ${type} and ${value.type}`,
          'Use values of one type.',
        );
      type = common;
    }
    return type;
  }

  #body(statements: readonly SyntaxStatement[], conditions: readonly string[], isValue: boolean): CheckedBody {
    const context = this.#context;
    context.conditions.push(...conditions);
    // A branch with a value always ends with it.
    const loops = this.#loops;
    if (isValue) this.#loops = 0;
    const body = context.inScope('some-bars', (): CheckedBody => {
      const last = statements.at(-1);
      if (!isValue || last === undefined)
        return { block: { statements: this.#statements(statements), value: null }, value: null };
      const before = this.#statements(statements.slice(0, -1));
      if (last.kind !== 'expression') {
        context.refuse(last, 'the branch does not end with a value', 'End it with an expression.');
        return { block: { statements: before, value: null }, value: null };
      }
      return { block: { statements: before, value: null }, value: this.#expressions.check(last.expression) };
    });
    this.#loops = loops;
    context.conditions.length -= conditions.length;
    return body;
  }
}

/** Every name that is assigned by `:=` and its relatives. */
function* assignedNames(statements: readonly SyntaxStatement[]): Generator<string> {
  for (const statement of statements) {
    if (statement.kind === 'assignment') yield statement.name;
    if (statement.kind === 'for') yield* assignedNames(statement.body);
    const chain = statement.kind === 'expression' ? statement.expression : 'value' in statement ? statement.value : undefined;
    if (chain?.kind !== 'chain') continue;
    for (const { body } of chain.branches) yield* assignedNames(body);
    if (chain.otherwise !== null) yield* assignedNames(chain.otherwise);
  }
}
