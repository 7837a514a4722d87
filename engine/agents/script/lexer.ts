/**
 * Splits a source into tokens. Line breaks and indentation are tokens, as the language uses them for blocks: a line that is
 * indented by a multiple of four starts a statement, any other indentation continues the line before.
 */
import { LIMITS } from './limits.ts';
import { excerpt, type SourcePlace, SyntaxFault } from './refusal.ts';

export type TokenKind = 'name' | 'number' | 'text' | 'color' | 'sign' | 'newline' | 'indent' | 'dedent' | 'end';

export interface Token extends SourcePlace {
  readonly kind: TokenKind;
  /** The name, the sign, the digits, or the content of a text. */
  readonly text: string;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
}

export interface TokenStream {
  readonly version: 5 | 6;
  readonly tokens: readonly Token[];
}

const SIGNS = [
  ':=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '==',
  '!=',
  '<=',
  '>=',
  '=>',
  '+',
  '-',
  '*',
  '/',
  '%',
  '<',
  '>',
  '=',
  '?',
  ':',
];
const ALL_SIGNS = [...SIGNS, '(', ')', '[', ']', ',', '.'];
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const COLOR = /#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?(?![0-9A-Za-z_])/y;
const VERSION = /^[ \t]*\/\/[ \t]*@version[ \t]*=[ \t]*([0-9]+)/m;
const INDENT_WIDTH = 4;

/** Throws {@link SyntaxFault}. */
export function readTokens(source: string): TokenStream {
  const start: SourcePlace = { line: 1, column: 1 };
  const bytes = new TextEncoder().encode(source).length;
  if (bytes > LIMITS.sourceBytes) {
    throw new SyntaxFault(
      start,
      `the script has ${bytes} bytes, the limit is ${LIMITS.sourceBytes}`,
      'Remove drawings and comments.',
    );
  }
  return { version: readVersion(source), tokens: new Lexer(source.replace(/\r\n?/g, '\n')).read() };
}

function readVersion(source: string): 5 | 6 {
  const digits = VERSION.exec(source)?.[1];
  if (digits === '5') return 5;
  if (digits === '6') return 6;
  const reason = digits === undefined ? 'the script names no version' : `version ${excerpt(digits)} is not supported`;
  throw new SyntaxFault(
    { line: 1, column: 1 },
    reason,
    'Write //@version=6 in the first line, or convert the script to version 5 or 6.',
  );
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #level = 0;
  /** Inside of parentheses or brackets a line break has no meaning. */
  #openBrackets = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): readonly Token[] {
    while (this.#offset < this.#source.length) this.#readLine();
    this.#closeLine();
    while (this.#level > 0) this.#dedent();
    this.#push('end', '', this.#offset);
    return this.#tokens;
  }

  /** One line, with its break. */
  #readLine(): void {
    const indent = this.#skipSpaces();
    const isEmpty = this.#isAtLineEnd();
    if (!isEmpty && this.#openBrackets === 0) this.#startLine(indent);
    while (!this.#isAtLineEnd()) {
      this.#readToken();
      this.#skipSpaces();
    }
    const next = this.#source.indexOf('\n', this.#offset);
    this.#offset = next < 0 ? this.#source.length : next + 1;
    this.#line += 1;
    this.#lineStart = this.#offset;
  }

  #startLine(indent: number): void {
    const continues = indent % INDENT_WIDTH !== 0 && this.#tokens.length > 0;
    if (continues) return;
    const level = indent / INDENT_WIDTH;
    if (!Number.isInteger(level)) throw this.#fault('the first statement is indented', 'Start it in the first column.');
    this.#closeLine();
    if (level > this.#level + 1)
      throw this.#fault('the line is indented by more than one level', 'Indent a block by four spaces.');
    if (level > LIMITS.nesting)
      throw this.#fault(`blocks are nested deeper than ${LIMITS.nesting}`, 'Split the condition into variables.');
    if (level > this.#level) {
      this.#push('indent', '', this.#offset);
      this.#level = level;
    }
    while (level < this.#level) this.#dedent();
  }

  #dedent(): void {
    this.#push('dedent', '', this.#offset);
    this.#level -= 1;
  }

  /** Ends the line after its last token, not where the next one starts. */
  #closeLine(): void {
    const last = this.#tokens.at(-1);
    if (last === undefined || last.kind === 'newline' || last.kind === 'indent' || last.kind === 'dedent') return;
    const { line, column, start, end } = last;
    this.#tokens.push({ kind: 'newline', text: '', line, column: column + end - start, start: end, end });
  }

  /** The width of the skipped spaces; a tab is four. */
  #skipSpaces(): number {
    let width = 0;
    for (; this.#offset < this.#source.length; this.#offset += 1) {
      const character = this.#source[this.#offset];
      if (character === '\t') width += INDENT_WIDTH;
      else if (character === ' ' || character === '\u00a0') width += 1;
      else break;
    }
    return width;
  }

  #isAtLineEnd(): boolean {
    const character = this.#source[this.#offset];
    return character === undefined || character === '\n' || this.#source.startsWith('//', this.#offset);
  }

  #readToken(): void {
    const start = this.#offset;
    const character = this.#source[start]!;
    if (character === '"' || character === "'") {
      this.#readText(character);
      return;
    }
    for (const [kind, pattern] of [
      ['number', NUMBER],
      ['name', NAME],
      ['color', COLOR],
    ] as const) {
      pattern.lastIndex = start;
      const text = pattern.exec(this.#source)?.[0];
      if (text === undefined) continue;
      this.#offset += text.length;
      this.#push(kind, text, start);
      return;
    }
    const sign = ALL_SIGNS.find((candidate) => this.#source.startsWith(candidate, start));
    if (sign === undefined) {
      const shown = String.fromCodePoint(this.#source.codePointAt(start)!);
      throw this.#fault(`the character ${JSON.stringify(shown)} has no meaning here`, 'Remove it.');
    }
    if (sign === '(' || sign === '[') this.#openBrackets += 1;
    if ((sign === ')' || sign === ']') && this.#openBrackets > 0) this.#openBrackets -= 1;
    this.#offset += sign.length;
    this.#push('sign', sign, start);
  }

  #readText(quote: string): void {
    const start = this.#offset;
    let content = '';
    for (let index = start + 1; ; index += 1) {
      const character = this.#source[index];
      if (character === undefined || character === '\n')
        throw this.#fault('the text has no closing quote', `Close it with ${quote}.`);
      if (character === quote) {
        this.#offset = index + 1;
        break;
      }
      if (character === '\\' && this.#source[index + 1] !== '\n') index += 1;
      content += this.#source[index] ?? '';
    }
    this.#push('text', content, start);
  }

  #push(kind: TokenKind, text: string, start: number): void {
    if (this.#tokens.length >= LIMITS.tokens) {
      throw this.#fault(`the script has more than ${LIMITS.tokens} words and signs`, 'Remove drawings and unused parts.');
    }
    this.#tokens.push({ kind, text, start, end: this.#offset, line: this.#line, column: start - this.#lineStart + 1 });
  }

  #fault(reason: string, remedy: string): SyntaxFault {
    return new SyntaxFault({ line: this.#line, column: this.#offset - this.#lineStart + 1 }, reason, remedy);
  }
}
