/**
 * Parses a script into statements. The first fault ends it: after that the rest has no clear meaning. What the language has
 * elsewhere and not here is refused by its name, with what to write instead.
 */
import { ExpressionParser, KEYWORDS } from './expression-parser.ts';
import { readTokens, type Token } from './lexer.ts';
import { excerpt } from './refusal.ts';
import type { BinaryOperator, SyntaxBranch, SyntaxChain, SyntaxExpression, SyntaxStatement } from './syntax.ts';
import { TokenCursor } from './token-cursor.ts';

export interface SyntaxTree {
  readonly version: 5 | 6;
  readonly source: string;
  readonly statements: readonly SyntaxStatement[];
}

/** Statements that are refused by their first word. */
const REFUSED_WORDS: ReadonlyMap<string, readonly [reason: string, remedy: string]> = new Map([
  ['while', ['"while" has no bound', 'Use for … to … with a bound.']],
  [
    'import',
    ['libraries cannot be imported: a script is reviewed as a whole', 'Copy what you need of the library into the script.'],
  ],
  ['export', ['a strategy exports nothing', 'Remove "export".']],
  ['type', ['types of your own are not available', 'Use one variable for each field.']],
  ['enum', ['enumerations are not available', 'Use input.string with options.']],
  ['method', ['functions of your own are not available', 'Write the calculation where it is used.']],
  ['varip', ['"varip" changes inside of a bar, and a script runs once for each closed bar', 'Use "var".']],
]);

/** Types of declarations such as `array<float> x`. */
const COLLECTIONS: ReadonlySet<string> = new Set(['array', 'map', 'matrix']);

const ASSIGNMENTS: ReadonlyMap<string, BinaryOperator | null> = new Map([
  [':=', null],
  ['+=', '+'],
  ['-=', '-'],
  ['*=', '*'],
  ['/=', '/'],
  ['%=', '%'],
]);

/** Throws {@link SyntaxFault}. */
export function parseScript(text: string): SyntaxTree {
  const source = text.replace(/\r\n?/g, '\n');
  const { version, tokens } = readTokens(source);
  const cursor = new TokenCursor(source, tokens);
  return { version, source, statements: new StatementParser(cursor).parseAll() };
}

class StatementParser {
  readonly #cursor: TokenCursor;
  readonly #expressions: ExpressionParser;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
    this.#expressions = new ExpressionParser(cursor);
  }

  parseAll(): SyntaxStatement[] {
    const statements: SyntaxStatement[] = [];
    while (!this.#cursor.isAt('end')) this.#parseLine(statements);
    return statements;
  }

  /** One line: statements between commas, or one with blocks. */
  #parseLine(statements: SyntaxStatement[]): void {
    const cursor = this.#cursor;
    if (cursor.isAt('indent'))
      throw cursor.fault('the line is indented without a block', 'Start it in the column of the line before.');
    do statements.push(this.#statement());
    while (cursor.skip('sign', ','));
    // A block has taken the end of its last line.
    if (cursor.previous.kind === 'dedent' || cursor.previous.kind === 'newline') return;
    cursor.expect('newline', undefined, 'the end of the line');
  }

  #block(owner: string): SyntaxStatement[] {
    const cursor = this.#cursor;
    cursor.expect('newline', undefined, `the end of the line after "${owner}"`);
    cursor.expect('indent', undefined, `an indented line after "${owner}"`);
    const statements: SyntaxStatement[] = [];
    while (!cursor.skip('dedent')) this.#parseLine(statements);
    return statements;
  }

  #statement(): SyntaxStatement {
    const cursor = this.#cursor;
    const first = cursor.current;
    const refused = first.kind === 'name' ? REFUSED_WORDS.get(first.text) : undefined;
    if (refused !== undefined && !this.#isAssignedNext()) throw cursor.fault(...refused);
    if (COLLECTIONS.has(first.text) && cursor.peek(1).text === '<') {
      throw cursor.fault('collections are not available', 'Use variables and history, as in x[1].');
    }
    if (cursor.isAt('name', 'if') || cursor.isAt('name', 'switch')) {
      return this.#place(first, { kind: 'expression', expression: this.#chain() });
    }
    if (cursor.skip('name', 'for')) return this.#for(first);
    if (cursor.skip('name', 'break')) return this.#place(first, { kind: 'break' });
    if (cursor.skip('name', 'continue')) return this.#place(first, { kind: 'continue' });
    if (cursor.isAt('sign', '[')) return this.#tuple(first);
    this.#refuseFunction();
    if (cursor.isAt('name', 'var') || (first.kind === 'name' && this.#isDeclared())) return this.#declaration(first);
    const operator = cursor.peek(1).kind === 'sign' ? ASSIGNMENTS.get(cursor.peek(1).text) : undefined;
    if (first.kind === 'name' && operator !== undefined) return this.#assignment(first, operator);
    return this.#place(first, { kind: 'expression', expression: this.#expressions.parse() });
  }

  #isAssignedNext(): boolean {
    const next = this.#cursor.peek(1);
    return next.kind === 'sign' && (next.text === '=' || ASSIGNMENTS.has(next.text));
  }

  /** `x = …`, `float x = …`, `series float x = …`. */
  #isDeclared(): boolean {
    let distance = 1;
    while (distance < 3 && this.#cursor.peek(distance).kind === 'name') distance += 1;
    const next = this.#cursor.peek(distance);
    return next.kind === 'sign' && next.text === '=' && !KEYWORDS.has(this.#cursor.current.text);
  }

  /** `f(x) =>` declares a function. */
  #refuseFunction(): void {
    const cursor = this.#cursor;
    if (cursor.current.kind !== 'name' || cursor.peek(1).kind !== 'sign' || cursor.peek(1).text !== '(') return;
    let depth = 0;
    let distance = 1;
    for (; ; distance += 1) {
      const { kind, text } = cursor.peek(distance);
      if (kind === 'newline' || kind === 'end') return;
      if (kind === 'sign' && text === '(') depth += 1;
      if (kind === 'sign' && text === ')') depth -= 1;
      if (depth === 0) break;
    }
    const arrow = cursor.peek(distance + 1);
    if (arrow.kind !== 'sign' || arrow.text !== '=>') return;
    throw cursor.fault(
      `functions of your own are not available, such as ${excerpt(cursor.current.text)}(…)`,
      'Write the calculation where it is used.',
    );
  }

  #declaration(first: Token): SyntaxStatement {
    const cursor = this.#cursor;
    const isPersistent = cursor.skip('name', 'var');
    let name = cursor.expect('name', undefined, 'a name');
    let type: string | null = null;
    while (cursor.isAt('name')) {
      type = name.text;
      name = cursor.take();
    }
    this.#refuseKeyword(name);
    cursor.expect('sign', '=', '"=" after the name');
    return this.#place(first, { kind: 'declaration', name: name.text, isPersistent, type, value: this.#value() });
  }

  #assignment(first: Token, operator: BinaryOperator | null): SyntaxStatement {
    const cursor = this.#cursor;
    this.#refuseKeyword(first);
    cursor.take();
    const variable = this.#expressions.node(first, { kind: 'name', name: first.text }, []);
    cursor.take();
    const right = this.#value();
    if (operator === null) return this.#place(first, { kind: 'assignment', name: first.text, value: right });
    const value = this.#expressions.node(first, { kind: 'binary', operator, left: variable, right }, [variable, right]);
    return this.#place(first, { kind: 'assignment', name: first.text, value });
  }

  #tuple(first: Token): SyntaxStatement {
    const cursor = this.#cursor;
    cursor.take();
    const names: string[] = [];
    do {
      const name = cursor.expect('name', undefined, 'a name of the tuple');
      this.#refuseKeyword(name);
      names.push(name.text);
    } while (cursor.skip('sign', ','));
    cursor.expect('sign', ']', '"]" after the names of the tuple');
    cursor.expect('sign', '=', '"=" after the tuple');
    return this.#place(first, { kind: 'tuple', names, value: this.#value() });
  }

  /** The right side of a declaration: an expression, or `if` and `switch` with blocks. */
  #value(): SyntaxExpression {
    const cursor = this.#cursor;
    if (cursor.isAt('name', 'if') || cursor.isAt('name', 'switch')) return this.#chain();
    if (cursor.isAt('name', 'for'))
      throw cursor.fault('a loop has no value here', 'Declare the variable before the loop and assign it inside with ":=".');
    return this.#expressions.parse();
  }

  #chain(): SyntaxExpression {
    const first = this.#cursor.take();
    const chain = first.text === 'if' ? this.#if() : this.#switch(first);
    return this.#expressions.node(first, chain, []);
  }

  #if(): SyntaxChain {
    const cursor = this.#cursor;
    const branches: SyntaxBranch[] = [];
    let otherwise: SyntaxStatement[] | null = null;
    branches.push({ condition: this.#expressions.parse(), body: this.#block('if') });
    while (cursor.skip('name', 'else')) {
      if (cursor.skip('name', 'if')) branches.push({ condition: this.#expressions.parse(), body: this.#block('else if') });
      else {
        otherwise = this.#block('else');
        break;
      }
    }
    return { kind: 'chain', branches, otherwise };
  }

  /** Compares a value with each arm, or without a value takes the first arm that is true. */
  #switch(first: Token): SyntaxChain {
    const cursor = this.#cursor;
    const subject = cursor.isAt('newline') ? null : this.#expressions.parse();
    cursor.expect('newline', undefined, 'the end of the line after "switch"');
    cursor.expect('indent', undefined, 'an indented line after "switch"');
    const branches: SyntaxBranch[] = [];
    let otherwise: SyntaxStatement[] | null = null;
    while (!cursor.skip('dedent')) {
      const place = cursor.current;
      if (otherwise !== null)
        throw cursor.fault('the arm after the default is never reached', 'Put the default arm, "=> …", last.');
      if (cursor.skip('sign', '=>')) {
        otherwise = this.#arm();
        continue;
      }
      const value = this.#expressions.parse();
      const condition =
        subject === null
          ? value
          : this.#expressions.node(place, { kind: 'binary', operator: '==', left: subject, right: value }, [subject, value]);
      cursor.expect('sign', '=>', '"=>" of the arm');
      branches.push({ condition, body: this.#arm() });
    }
    if (branches.length === 0)
      throw cursor.fault('the switch has no arm with a condition', 'Add an arm, as in condition => value.', first);
    return { kind: 'chain', branches, otherwise };
  }

  #arm(): SyntaxStatement[] {
    if (this.#cursor.isAt('newline')) return this.#block('=>');
    const statements: SyntaxStatement[] = [];
    this.#parseLine(statements);
    return statements;
  }

  #for(first: Token): SyntaxStatement {
    const cursor = this.#cursor;
    if (cursor.isAt('sign', '[') || (cursor.current.kind === 'name' && cursor.peek(1).text === 'in')) {
      throw cursor.fault('loops over lists are not available', 'Use for i = 0 to n.');
    }
    const name = cursor.expect('name', undefined, 'the name of the counter');
    this.#refuseKeyword(name);
    cursor.expect('sign', '=', '"=" after the counter');
    const from = this.#expressions.parse();
    cursor.expect('name', 'to', '"to"');
    const to = this.#expressions.parse();
    const by = cursor.skip('name', 'by') ? this.#expressions.parse() : null;
    return this.#place(first, { kind: 'for', name: name.text, from, to, by, body: this.#block('for') });
  }

  #refuseKeyword(name: Token): void {
    if (KEYWORDS.has(name.text))
      throw this.#cursor.fault(`"${name.text}" is a word of the language`, 'Choose another name.', name);
  }

  #place<Content extends object>(
    first: Token,
    content: Content,
  ): Content & { line: number; column: number; start: number; end: number } {
    const { line, column, start } = first;
    return { ...content, line, column, start, end: this.#cursor.previous.end };
  }
}
