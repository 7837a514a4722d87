/**
 * Parses expressions by precedence (Pine Script user manual, operator precedence): `?:`, `or`, `and`, equality, order, sums,
 * products, signs and `not`, history. Depth is bounded, so hostile nesting is refused before it needs stack.
 */
import type { Token } from './lexer.ts';
import { LIMITS } from './limits.ts';
import type { BinaryOperator, SyntaxArgument, SyntaxExpression } from './syntax.ts';
import type { TokenCursor } from './token-cursor.ts';

const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['or', 1],
  ['and', 2],
  ['==', 3],
  ['!=', 3],
  ['<', 4],
  ['<=', 4],
  ['>', 4],
  ['>=', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['%', 6],
]);

/** Names that structure a script, and cannot name a value. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  'and break by continue else enum export for if import in method not or switch to type var varip while'.split(' '),
);

/** A node without its place. */
type Content<Node> = Node extends SyntaxExpression ? Omit<Node, 'start' | 'end' | 'line' | 'column' | 'depth'> : never;

export class ExpressionParser {
  readonly #cursor: TokenCursor;
  #open = 0;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
  }

  /** Throws {@link SyntaxFault}. */
  parse(): SyntaxExpression {
    const cursor = this.#cursor;
    const first = cursor.current;
    this.#open += 1;
    if (this.#open > LIMITS.nesting) throw this.#tooDeep(first);
    const condition = this.#binary(1);
    let expression = condition;
    if (cursor.skip('sign', '?')) {
      const yes = this.parse();
      cursor.expect('sign', ':', '":" of the condition');
      const no = this.parse();
      expression = this.node(first, { kind: 'choice', condition, yes, no }, [condition, yes, no]);
    }
    this.#open -= 1;
    return expression;
  }

  /** Places a node from its first token to the last one that was taken. */
  node(first: Token, content: Content<SyntaxExpression>, children: readonly SyntaxExpression[]): SyntaxExpression {
    const depth = 1 + children.reduce((deepest, child) => Math.max(deepest, child.depth), 0);
    if (depth > LIMITS.nesting) throw this.#tooDeep(first);
    const { line, column, start } = first;
    return { ...content, line, column, start, end: this.#cursor.previous.end, depth } as SyntaxExpression;
  }

  #binary(minPrecedence: number): SyntaxExpression {
    const first = this.#cursor.current;
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.#cursor.current;
      const precedence = kind === 'sign' || kind === 'name' ? PRECEDENCE.get(text) : undefined;
      if (precedence === undefined || precedence < minPrecedence) return left;
      this.#cursor.take();
      const right = this.#binary(precedence + 1);
      left = this.node(first, { kind: 'binary', operator: text as BinaryOperator, left, right }, [left, right]);
    }
  }

  #unary(): SyntaxExpression {
    const cursor = this.#cursor;
    const first = cursor.current;
    if (!cursor.isAt('sign', '-') && !cursor.isAt('sign', '+') && !cursor.isAt('name', 'not')) return this.#history();
    this.#open += 1;
    if (this.#open > LIMITS.nesting) throw this.#tooDeep(first);
    const operator = cursor.take().text as '-' | '+' | 'not';
    const operand = this.#unary();
    this.#open -= 1;
    return this.node(first, { kind: 'unary', operator, operand }, [operand]);
  }

  #history(): SyntaxExpression {
    const cursor = this.#cursor;
    const first = cursor.current;
    let expression = this.#primary();
    while (cursor.skip('sign', '[')) {
      const age = this.parse();
      cursor.expect('sign', ']', '"]"');
      expression = this.node(first, { kind: 'history', of: expression, age }, [expression, age]);
    }
    if (cursor.isAt('sign', '.')) {
      throw cursor.fault('methods of values are not available', 'Call the function with the value as its argument.');
    }
    return expression;
  }

  #primary(): SyntaxExpression {
    const cursor = this.#cursor;
    const first = cursor.current;
    if (first.kind === 'number') return this.#leaf({ kind: 'number', digits: first.text });
    if (first.kind === 'text') return this.#leaf({ kind: 'text', text: first.text });
    if (first.kind === 'color') return this.#leaf({ kind: 'color' });
    if (cursor.skip('sign', '(')) {
      const inner = this.parse();
      cursor.expect('sign', ')', '")"');
      return inner;
    }
    if (cursor.skip('sign', '[')) {
      const elements: SyntaxExpression[] = [];
      do elements.push(this.parse());
      while (cursor.skip('sign', ','));
      cursor.expect('sign', ']', '"," or "]"');
      return this.node(first, { kind: 'list', elements }, elements);
    }
    if (first.kind === 'name' && KEYWORDS.has(first.text)) {
      throw cursor.fault(
        `"${first.text}" cannot stand inside of an expression`,
        'Declare a variable with it, as in x = if …, and use that.',
      );
    }
    const name = this.#dottedName();
    if (!cursor.skip('sign', '(')) return this.node(first, { kind: 'name', name }, []);
    const values = this.#arguments();
    return this.node(
      first,
      { kind: 'call', name, arguments: values },
      values.map(({ value }) => value),
    );
  }

  #leaf(content: Content<SyntaxExpression>): SyntaxExpression {
    return this.node(this.#cursor.take(), content, []);
  }

  #dottedName(): string {
    const cursor = this.#cursor;
    let name = cursor.expect('name', undefined, 'a value').text;
    while (cursor.isAt('sign', '.') && cursor.peek(1).kind === 'name') {
      cursor.take();
      name += `.${cursor.take().text}`;
    }
    return name;
  }

  #arguments(): SyntaxArgument[] {
    const cursor = this.#cursor;
    const found: SyntaxArgument[] = [];
    while (!cursor.skip('sign', ')')) {
      if (found.length > 0) cursor.expect('sign', ',', '"," or ")"');
      const isNamed = cursor.current.kind === 'name' && cursor.peek(1).kind === 'sign' && cursor.peek(1).text === '=';
      const name = isNamed ? cursor.take().text : null;
      if (isNamed) cursor.take();
      found.push({ name, value: this.parse() });
    }
    return found;
  }

  #tooDeep(place: Token): Error {
    return this.#cursor.fault(
      `expressions are nested deeper than ${LIMITS.nesting}`,
      'Split the expression into variables.',
      place,
    );
  }
}
