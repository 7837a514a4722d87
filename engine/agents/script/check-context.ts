/**
 * What the parts of the check share: the refusals, the names in scope, and the facts that the review shows. A part that has refused
 * something returns null, so one fault is reported once.
 */
import type { PriceName } from '#agents/indicators/bars.ts';
import { Constants, type ConstantValue } from './constant.ts';
import { LIMITS } from './limits.ts';
import type { Block, Expression, Moment, Parameter, ValueType } from './program.ts';
import { excerpt, type ScriptRefusal, type SourcePlace } from './refusal.ts';
import type { SyntaxChain, SyntaxExpression } from './syntax.ts';

/** A checked expression with its type. */
export interface TypedExpression {
  readonly expression: Expression;
  readonly type: ValueType;
  readonly moment: Moment;
}

/** What a name stands for. */
export type NamedValue =
  | { readonly kind: 'variable'; readonly slot: number; readonly type: ValueType; readonly isGlobal: boolean }
  | { readonly kind: 'value'; readonly typed: TypedExpression };

/** An order of the script: where it is, what it does, and under which conditions. */
export interface OrderFact {
  readonly line: number;
  readonly text: string;
  readonly conditions: readonly string[];
}

/** What the review shows besides the program. */
export class ScriptFacts {
  readonly prices = new Set<PriceName>();
  readonly indicators = new Set<string>();
  readonly entries: OrderFact[] = [];
  readonly exits: OrderFact[] = [];
  /** Ignored calls and arguments, with the reason. */
  readonly ignored = new Map<string, string>();
  readonly warnings: string[] = [];
}

/** The check of an expression or a chain: the parts of the check call each other through it. */
export interface ExpressionCheck {
  check(syntax: SyntaxExpression): TypedExpression | null;
  /** The value of a chain, or null for its statements alone. */
  checkChain(chain: SyntaxChain & SourcePlace, isValue: boolean): TypedExpression | null;
}

/** Where the check is: only the body of a script runs exactly once on each bar. */
export type Reach = 'every-bar' | 'some-bars' | 'repeated';

export class CheckContext {
  readonly version: 5 | 6;
  readonly facts = new ScriptFacts();
  readonly refusals: ScriptRefusal[] = [];
  readonly parameters: Parameter[] = [];
  readonly constants: Expression[] = [];
  /** Conditions that surround the current statement, as they are written. */
  readonly conditions: string[] = [];
  readonly #source: string;
  readonly #reassigned: ReadonlySet<string>;
  readonly #scopes: Map<string, NamedValue>[] = [new Map()];
  /** With the parameters at their defaults. */
  readonly #parameterDefaults: ConstantValue[] = [];
  readonly defaults = new Constants(this.#parameterDefaults);
  reach: Reach = 'every-bar';
  slots = 0;
  indicators = 0;

  /** @param reassigned the names that the script assigns after their declaration, in any scope */
  constructor(version: 5 | 6, source: string, reassigned: ReadonlySet<string>) {
    this.version = version;
    this.#source = source;
    this.#reassigned = reassigned;
  }

  /** Adds a refusal and returns null. Beyond the limit further refusals are dropped. */
  refuse({ line, column }: SourcePlace, reason: string, remedy: string): null {
    if (this.refusals.length < LIMITS.refusals) this.refusals.push({ line, column, reason, remedy });
    return null;
  }

  /** A piece of the source as the reviewer reads it. */
  textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return excerpt(this.#source.slice(start, end));
  }

  lookUp(name: string): NamedValue | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const found = this.#scopes[index]!.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  isReassigned(name: string): boolean {
    return this.#reassigned.has(name);
  }

  get isGlobal(): boolean {
    return this.#scopes.length === 1;
  }

  /** Runs a check in a scope of its own. */
  inScope<Result>(reach: Reach, check: () => Result): Result {
    const outer = this.reach;
    this.reach = outer === 'repeated' ? outer : reach;
    this.#scopes.push(new Map());
    const result = check();
    this.#scopes.pop();
    this.reach = outer;
    return result;
  }

  /** Runs a check of an operand that is not evaluated on each bar. */
  onSomeBars<Result>(check: () => Result): Result {
    const outer = this.reach;
    if (outer === 'every-bar') this.reach = 'some-bars';
    const result = check();
    this.reach = outer;
    return result;
  }

  /** Declares a name for a value that is known, or that has no cell. */
  declareValue(name: string, typed: TypedExpression, place: SourcePlace): void {
    if (name === '_' || this.#isTaken(name, place)) return;
    this.#scopes.at(-1)!.set(name, { kind: 'value', typed });
  }

  /** Declares a variable and returns its slot, or null. */
  declareVariable(name: string, type: ValueType, place: SourcePlace): number | null {
    if (this.#isTaken(name, place)) return null;
    if (this.slots >= LIMITS.variables) {
      return this.refuse(place, `the script has more than ${LIMITS.variables} variables`, 'Remove unused variables.');
    }
    const slot = this.slots;
    this.slots += 1;
    this.#scopes.at(-1)!.set(name, { kind: 'variable', slot, type, isGlobal: this.isGlobal });
    return slot;
  }

  /** Stores a constant once, so that its use costs nothing. */
  addConstant(typed: TypedExpression): TypedExpression {
    const index = this.constants.length;
    this.constants.push(typed.expression);
    this.defaults.add(typed.expression);
    return { ...typed, expression: { kind: 'constant', index } };
  }

  /** Returns the index of the parameter, or null. */
  addParameter(parameter: Parameter, place: SourcePlace): number | null {
    if (this.parameters.length >= LIMITS.parameters) {
      return this.refuse(place, `the script has more than ${LIMITS.parameters} inputs`, 'Write rarely changed inputs as values.');
    }
    if (this.parameters.some(({ name }) => name === parameter.name)) {
      return this.refuse(place, `two inputs have the name "${parameter.name}"`, 'Give each input a variable of its own.');
    }
    this.parameters.push(parameter);
    this.#parameterDefaults.push(defaultOf(parameter));
    return this.parameters.length - 1;
  }

  #isTaken(name: string, place: SourcePlace): boolean {
    if (!this.#scopes.at(-1)!.has(name)) return false;
    this.refuse(place, `"${excerpt(name)}" is already declared`, 'Assign it with ":=", or choose another name.');
    return true;
  }
}

/** The default as the value that expressions see. */
function defaultOf(parameter: Parameter): ConstantValue {
  return parameter.kind === 'bool' ? Number(parameter.default) : parameter.default;
}

/** The body of a branch of a chain. */
export interface CheckedBody {
  readonly block: Block;
  readonly value: TypedExpression | null;
}
