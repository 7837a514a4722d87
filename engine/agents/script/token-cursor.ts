/** Walks over the tokens of a script. The parsers of expressions and statements share one. */

import type { Token, TokenKind } from './lexer.ts';
import { excerpt, SyntaxFault } from './refusal.ts';

export class TokenCursor {
  readonly source: string;
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  /** The last token is the end, so there always is one. */
  get current(): Token {
    return this.peek(0);
  }

  get previous(): Token {
    return this.peek(-1);
  }

  peek(distance: number): Token {
    return this.#tokens[Math.min(Math.max(this.#index + distance, 0), this.#tokens.length - 1)]!;
  }

  isAt(kind: TokenKind, text?: string): boolean {
    const { current } = this;
    return current.kind === kind && (text === undefined || current.text === text);
  }

  take(): Token {
    const token = this.current;
    this.#index += 1;
    return token;
  }

  /** Takes the token if it is as described. */
  skip(kind: TokenKind, text?: string): boolean {
    if (!this.isAt(kind, text)) return false;
    this.take();
    return true;
  }

  /** Throws {@link SyntaxFault} if the token is another. */
  expect(kind: TokenKind, text: string | undefined, meaning: string): Token {
    if (this.isAt(kind, text)) return this.take();
    throw this.fault(
      `expected ${meaning}, got ${describeToken(this.current)}`,
      'Compare the line with the examples of the documentation.',
    );
  }

  fault(reason: string, remedy: string, place: Token = this.current): SyntaxFault {
    return new SyntaxFault(place, reason, remedy);
  }
}

function describeToken({ kind, text }: Token): string {
  switch (kind) {
    case 'newline':
    case 'dedent':
      return 'the end of the line';
    case 'indent':
      return 'an indented line';
    case 'end':
      return 'the end of the script';
    case 'text':
      return `the text "${excerpt(text)}"`;
    default:
      return `"${excerpt(text)}"`;
  }
}
