/**
 * A reference parser for `parseExactJson` that reads one character at a time, without `JSON.parse`. It compares every number with the shortest
 * decimal of its double and keeps the last of duplicate fields. It has no limits on long numbers.
 */

const MAX_DEPTH = 64;
const MAX_FIELDS = 64;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' };

type Fault = 'nested_too_deep' | 'too_many_fields' | 'escaped_name';

export type PlainReading =
  | { readonly value: unknown }
  /** The first fault in the order of the text; `malformed` if the text is not JSON. */
  | { readonly refused: 'malformed' | Fault };

/** A number that a double cannot represent becomes a symbol with its text. */
export function readPlainJson(text: string): PlainReading {
  const reader = new Reader(text);
  try {
    const value = reader.whole();
    return reader.refused === undefined ? { value } : { refused: reader.refused };
  } catch (error) {
    if (error instanceof SyntaxError) return { refused: 'malformed' };
    throw error;
  }
}

class Reader {
  refused: Fault | undefined;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value();
    if (this.#at !== this.#text.length) throw new SyntaxError('more than one value');
    return value;
  }

  /** Reads a value and the white space around it. */
  #value(): unknown {
    this.#match(/[ \t\n\r]*/y);
    const value = this.#bare();
    this.#match(/[ \t\n\r]*/y);
    return value;
  }

  #bare(): unknown {
    const [literal] = this.#match(/true|false|null|[{["]|/y);
    if (literal === '{') return this.#nested(() => Object.fromEntries(this.#entries('}', (before) => this.#field(before))));
    if (literal === '[') return this.#nested(() => this.#entries(']', () => this.#value()));
    if (literal === '"') return this.#string();
    if (literal !== '') return { true: true, false: false, null: null }[literal];
    const [number] = this.#match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    const double = Number(number);
    return Number.isFinite(double) && canonical(number) === canonical(String(double)) ? double : Symbol(number);
  }

  #nested(read: () => unknown): unknown {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.refused ??= 'nested_too_deep';
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #entries<Entry>(closing: string, read: (before: number) => Entry): Entry[] {
    const entries: Entry[] = [];
    this.#match(/[ \t\n\r]*/y);
    if (this.#text[this.#at] === closing) this.#at += 1;
    else {
      do entries.push(read(entries.length));
      while (this.#match(/[,}\]]/y)[0] === ',');
      if (this.#text[this.#at - 1] !== closing) throw new SyntaxError('closed by another bracket');
    }
    return entries;
  }

  #field(before: number): readonly [string, unknown] {
    this.#match(/[ \t\n\r]*"/y);
    const start = this.#at;
    const name = this.#string();
    if (this.#text.slice(start, this.#at).includes('\\')) this.refused ??= 'escaped_name';
    this.#match(/[ \t\n\r]*:/y);
    if (before === MAX_FIELDS) this.refused ??= 'too_many_fields';
    return [name, this.#value()];
  }

  /** Reads a string after its opening quote. */
  #string(): string {
    let value = '';
    for (;;) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in a string
      value += this.#match(/[^"\\\u0000-\u001f]*/y)[0];
      const [end, escaped, code] = this.#match(/"|\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))/y);
      if (end === '"') return value;
      value += escaped === undefined ? String.fromCharCode(Number.parseInt(code!, 16)) : ESCAPED[escaped];
    }
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw new SyntaxError(`nothing at ${this.#at} matches ${pattern.source}`);
    this.#at = pattern.lastIndex;
    return match;
  }
}

/** Equal for all texts of one number: its significant digits, and the position of the point relative to the first. */
function canonical(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`;
}
