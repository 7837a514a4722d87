/**
 * One pass over the bytes of JSON that was parsed: refuses what is nested too deep, and puts a symbol of its text in the place of each number
 * that a double does not represent. Time is linear in the length of the text, at about a nanosecond a byte.
 */
import { hasExponent, isRepresented, MAX_SURE_DIGITS, MAX_SURE_EXPONENT, MAX_SURE_LENGTH } from './json-number.ts';

/** How many objects and lists may be within each other; a batch of orders has four. */
export const MAX_DEPTH = 64;
/**
 * Numbers of more than 15 digits, or near the ends of the range of doubles, in one text: one for each entry of a batch, although no
 * market takes an amount as fine. One with an exponent takes longer to look at, and counts as four.
 */
export const MAX_LONG_NUMBERS = 32;
const EXPONENT_WEIGHT = 4;
/** Characters of a number. */
export const MAX_NUMBER_LENGTH = 1_024;

/** Text that is more than any request needs. */
export class ExcessiveJson extends RangeError {
  override readonly name = 'ExcessiveJson';
  readonly excess: 'nested_too_deep' | 'long_numbers';

  constructor(excess: ExcessiveJson['excess']) {
    super(excess);
    this.excess = excess;
  }
}

/** Of each byte outside of strings: what it means; 0 for nothing. */
const MEANING = new Uint8Array(256);
const [OPENS, CLOSES, NUMBER, STRING, COMMA, COLON] = [1, 2, 3, 4, 5, 6] as const;
for (const [characters, meaning] of [
  ['[{', OPENS],
  [']}', CLOSES],
  ['-0123456789', NUMBER],
  ['"', STRING],
  [',', COMMA],
  [':', COLON],
] as const)
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;

/** At each depth: where the key begins in an object; of a list the complement of the index. One scan at a time uses it. */
const places = new Int32Array(MAX_DEPTH + 1);

/** `value`: what `JSON.parse` made of `text`; it is changed, and returned. `bytes`: the text in UTF-8. Throws {@link ExcessiveJson}. */
export function withoutRounding(value: unknown, text: string, bytes: Uint8Array): unknown {
  // Local: the compiler takes them for constants.
  const [meanings, openList, { length }] = [MEANING, 0x5b, bytes];
  let longNumbers: LongNumbers | undefined;
  let depth = 0;
  let keyAt = 0;
  let at = 0;
  while (at < length) {
    switch (meanings[bytes[at]!]) {
      case 0:
        do at += 1;
        while (meanings[bytes[at]!] === 0);
        break;
      case OPENS:
        depth += 1;
        if (depth > MAX_DEPTH) throw new ExcessiveJson('nested_too_deep');
        places[depth] = bytes[at] === openList ? -1 : 0;
        at += 1;
        break;
      case CLOSES:
        at += 1;
        depth -= 1;
        longNumbers?.close(depth);
        break;
      case NUMBER: {
        let end = at + 1;
        while (meanings[bytes[end]!] === NUMBER) end += 1;
        const isInteger = !continuesNumber(bytes[end]!);
        if (!isInteger || end - at > MAX_SURE_DIGITS) end = endOfNumber(bytes, at);
        if (end < 0) {
          longNumbers ??= new LongNumbers(value, text, bytes);
          longNumbers.take(at, -end, depth);
        }
        at = Math.abs(end);
        break;
      }
      case STRING:
        keyAt = at;
        at = endOfString(bytes, at + 1);
        break;
      case COMMA:
        at += 1;
        if (places[depth]! < 0) places[depth]! -= 1;
        break;
      case COLON:
        at += 1;
        places[depth] = keyAt;
    }
  }
  return longNumbers === undefined ? value : longNumbers.root;
}

/** Behind the quote that closes a string. */
function endOfString(bytes: Uint8Array, start: number): number {
  const [quote, backslash] = [0x22, 0x5c];
  let at = start;
  for (let code = bytes[at]; code !== quote; code = bytes[at]) at += code === backslash ? 2 : 1;
  return at + 1;
}

/** Behind its digits: a point or an exponent. */
function continuesNumber(code: number): boolean {
  const [point, lowerE, lowerCase] = [0x2e, 0x65, 0x20];
  return code === point || (code | lowerCase) === lowerE;
}

/** Behind a number; negative where a double may not represent it. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  const [minus, point, zero, nine, upperE, lowerE] = [0x2d, 0x2e, 0x30, 0x39, 0x45, 0x65];
  let at = bytes[start] === minus ? start + 1 : start;
  const limit = start + MAX_NUMBER_LENGTH;
  let digits = 0;
  let code = bytes[at]!;
  for (; (code >= zero && code <= nine) || code === point; code = bytes[at]!) {
    if (at >= limit) throw new ExcessiveJson('long_numbers');
    if (code !== point && (digits > 0 || code !== zero)) digits += 1;
    at += 1;
  }
  let exponent = 0;
  if (code === lowerE || code === upperE) {
    at += 1;
    // Its sign.
    if (bytes[at]! < zero) at += 1;
    for (code = bytes[at]!; code >= zero && code <= nine; code = bytes[at]!) {
      if (at >= limit) throw new ExcessiveJson('long_numbers');
      exponent = exponent * 10 + code - zero;
      at += 1;
    }
  }
  const isSure = digits <= MAX_SURE_DIGITS && exponent <= MAX_SURE_EXPONENT && at - start <= MAX_SURE_LENGTH;
  return isSure || digits === 0 ? at : -at;
}

/** Numbers of a text that a double may not represent, in the order of the text. */
class LongNumbers {
  /** The value with a symbol in the place of each number that a double does not represent. */
  root: unknown;
  readonly #text: string;
  readonly #bytes: Uint8Array;
  /** Whether a byte is a character. */
  readonly #isAscii: boolean;
  /** The objects and lists around the place of the scan as far as they were looked up, the outermost first. */
  readonly #containers: unknown[] = [];
  #weight = 0;

  constructor(value: unknown, text: string, bytes: Uint8Array) {
    this.root = value;
    this.#text = text;
    this.#bytes = bytes;
    this.#isAscii = text.length === bytes.length;
  }

  /** An object or list ends. */
  close(depth: number): void {
    if (this.#containers.length > depth) this.#containers.length = depth;
  }

  take(start: number, end: number, depth: number): void {
    const source = this.#textOf(start, end);
    this.#weight += hasExponent(source) ? EXPONENT_WEIGHT : 1;
    if (this.#weight > MAX_LONG_NUMBERS) throw new ExcessiveJson('long_numbers');
    if (isRepresented(source)) return;
    if (depth === 0) this.root = Symbol(source);
    else this.#put(source, depth);
  }

  /** Of two fields with one name the value has the second: the first is passed over, unless both round to the same number. */
  #put(source: string, depth: number): void {
    const containers = this.#containers;
    for (let level = containers.length; level < depth; level += 1)
      containers.push(level === 0 ? this.root : this.#fieldOf(containers[level - 1], level)?.value);
    const container = containers[depth - 1];
    const field = this.#fieldOf(container, depth);
    if (field?.value === Number(source)) (container as Record<string | number, unknown>)[field.name] = Symbol(source);
  }

  /** That the scan has come to, of a container at that depth. */
  #fieldOf(container: unknown, depth: number): { readonly name: string | number; readonly value: unknown } | undefined {
    const place = places[depth]!;
    if (Array.isArray(container)) return place < 0 ? { name: ~place, value: container[~place] } : undefined;
    if (place < 0 || typeof container !== 'object' || container === null) return undefined;
    const name = JSON.parse(this.#textOf(place, endOfString(this.#bytes, place + 1))) as string;
    return { name, value: Object.hasOwn(container, name) ? (container as Record<string, unknown>)[name] : undefined };
  }

  #textOf(start: number, end: number): string {
    if (this.#isAscii) return this.#text.slice(start, end);
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + start, end - start).toString();
  }
}
