/**
 * One pass over the bytes of JSON that was parsed: refuses excessive nesting, objects of too many fields, too many long numbers and escapes in names, and collects the places
 * of the long numbers. Time is linear in the length of the text, at about a nanosecond a byte.
 */
import { MAX_SURE_DIGITS, MAX_SURE_EXPONENT, MAX_SURE_LENGTH } from './json-number.ts';
import { JsonRefusal, MAX_DEPTH, MAX_FIELDS, MAX_LONG_NUMBERS, MAX_NUMBER_LENGTH } from './json-refusal.ts';

const EXPONENT_WEIGHT = 4;

/** The meaning of each byte outside of strings; 0 if it has none. */
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

/** What a scan returns. Rare exits return a number: the first throw or call there would make the compiler discard the loop's code. */
const [COMPLETE, TOO_DEEP, TOO_MANY_LONG, ESCAPED_NAME, TOO_MANY_FIELDS] = [0, 1, 2, 3, 4] as const;
const REASONS = {
  [TOO_DEEP]: 'nested_too_deep',
  [TOO_MANY_LONG]: 'long_numbers',
  [ESCAPED_NAME]: 'escaped_name',
  [TOO_MANY_FIELDS]: 'too_many_fields',
} as const;

/** At each depth: where the key begins in an object; of a list the complement of the index. One scan at a time uses it. */
const places = new Int32Array(MAX_DEPTH + 1);
/** At each depth: how many fields the object has so far, and how many long numbers came before it. */
const fieldCounts = new Int32Array(MAX_DEPTH + 1);
const firsts = new Int32Array(MAX_DEPTH + 1);

/** The numbers of a text that a double may not represent, in the order of the text. The next scan overwrites it. */
export class LongNumbers {
  count = 0;
  readonly starts = new Int32Array(MAX_LONG_NUMBERS);
  readonly ends = new Int32Array(MAX_LONG_NUMBERS);
  readonly depths = new Int32Array(MAX_LONG_NUMBERS);
  readonly #paths = new Int32Array(MAX_LONG_NUMBERS * MAX_DEPTH);
  readonly #fieldCounts = new Int32Array(MAX_LONG_NUMBERS * MAX_DEPTH);
  #weight = 0;

  clear(): void {
    this.count = 0;
    this.#weight = 0;
  }

  /** Returns false if these are too many. */
  add(bytes: Uint8Array, start: number, end: number, depth: number): boolean {
    this.#weight += hasExponent(bytes, start, end) ? EXPONENT_WEIGHT : 1;
    if (this.#weight > MAX_LONG_NUMBERS) return false;
    const index = this.count;
    this.starts[index] = start;
    this.ends[index] = end;
    this.depths[index] = depth;
    for (let level = 0; level < depth; level += 1) this.#paths[index * MAX_DEPTH + level] = places[level + 1]!;
    this.count += 1;
    return true;
  }

  /** At the end of an object or list with long numbers in it. */
  countFields(depth: number): void {
    const fieldCount = fieldCounts[depth]!;
    for (let index = firsts[depth]!; index < this.count; index += 1)
      this.#fieldCounts[index * MAX_DEPTH + depth - 1] = fieldCount;
  }

  /** How many fields the text has in the object at that level, duplicates of a name included. */
  fieldsOf(index: number, level: number): number {
    return this.#fieldCounts[index * MAX_DEPTH + level]!;
  }

  /** In the container at that level, 0 for the outermost: where the key of the field begins, or the complement of the index in a list. */
  placeOf(index: number, level: number): number {
    return this.#paths[index * MAX_DEPTH + level]!;
  }
}

const longNumbers = new LongNumbers();

/** `bytes`: JSON text in UTF-8 without errors of syntax. Throws {@link JsonRefusal}. */
export function scanJson(bytes: Uint8Array): LongNumbers {
  longNumbers.clear();
  const outcome = collectLongNumbers(bytes);
  if (outcome !== COMPLETE) throw new JsonRefusal(REASONS[outcome]);
  return longNumbers;
}

function collectLongNumbers(bytes: Uint8Array): typeof COMPLETE | keyof typeof REASONS {
  // Local: the compiler takes them for constants.
  const [meanings, openList, quote, backslash, { length }] = [MEANING, 0x5b, 0x22, 0x5c, bytes];
  let depth = 0;
  let stringAt = 0;
  let escapeAt = 0;
  let at = 0;
  while (at < length) {
    switch (meanings[bytes[at]!]) {
      case 0:
        do at += 1;
        while (meanings[bytes[at]!] === 0);
        break;
      case OPENS:
        depth += 1;
        if (depth > MAX_DEPTH) return TOO_DEEP;
        places[depth] = bytes[at] === openList ? -1 : 0;
        fieldCounts[depth] = 0;
        firsts[depth] = longNumbers.count;
        at += 1;
        break;
      case CLOSES:
        at += 1;
        if (longNumbers.count > firsts[depth]!) longNumbers.countFields(depth);
        depth -= 1;
        break;
      case NUMBER: {
        let end = at + 1;
        while (meanings[bytes[end]!] === NUMBER) end += 1;
        const isInteger = !continuesNumber(bytes[end]!);
        if (!isInteger || end - at > MAX_SURE_DIGITS) end = endOfNumber(bytes, at);
        if (end === at) return TOO_MANY_LONG;
        if (end < 0 && !longNumbers.add(bytes, at, -end, depth)) return TOO_MANY_LONG;
        at = end < 0 ? -end : end;
        break;
      }
      case STRING:
        stringAt = at;
        at += 1;
        for (let code = bytes[at]; code !== quote; code = bytes[at]) {
          if (code === backslash) {
            escapeAt = at;
            at += 1;
          }
          at += 1;
        }
        at += 1;
        break;
      case COMMA:
        at += 1;
        if (places[depth]! < 0) places[depth]! -= 1;
        break;
      case COLON:
        // V8 may compare the characters of an escaped name, as they are written, with a name that it expects from another text.
        if (escapeAt > stringAt) return ESCAPED_NAME;
        at += 1;
        places[depth] = stringAt;
        fieldCounts[depth]! += 1;
        if (fieldCounts[depth]! > MAX_FIELDS) return TOO_MANY_FIELDS;
    }
  }
  return COMPLETE;
}

/** Behind its digits: a point or an exponent. */
function continuesNumber(code: number): boolean {
  const [point, lowerE, lowerCase] = [0x2e, 0x65, 0x20];
  return code === point || (code | lowerCase) === lowerE;
}

function hasExponent(bytes: Uint8Array, start: number, end: number): boolean {
  const [lowerE, lowerCase] = [0x65, 0x20];
  for (let at = start; at < end; at += 1) if ((bytes[at]! | lowerCase) === lowerE) return true;
  return false;
}

/** Returns the index behind a number, negative if a double may not represent it; `start` if it is longer than a number may be. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  const [minus, point, zero, nine, upperE, lowerE] = [0x2d, 0x2e, 0x30, 0x39, 0x45, 0x65];
  let at = bytes[start] === minus ? start + 1 : start;
  const limit = start + MAX_NUMBER_LENGTH;
  let digits = 0;
  let significant = 0;
  let code = bytes[at]!;
  for (; (code >= zero && code <= nine) || code === point; code = bytes[at]!) {
    if (at >= limit) return start;
    if (code > zero) {
      digits += 1;
      significant = digits;
    } else if (code === zero && digits > 0) digits += 1;
    at += 1;
  }
  let exponent = 0;
  if (code === lowerE || code === upperE) {
    at += 1;
    // Its sign.
    if (bytes[at]! < zero) at += 1;
    for (code = bytes[at]!; code >= zero && code <= nine; code = bytes[at]!) {
      if (at >= limit) return start;
      // Beyond this its size is decided, and an overflow would make the compiler discard this code.
      if (exponent <= MAX_SURE_EXPONENT) exponent = exponent * 10 + code - zero;
      at += 1;
    }
  }
  const isSure = significant <= MAX_SURE_DIGITS && exponent <= MAX_SURE_EXPONENT && at - start <= MAX_SURE_LENGTH;
  return isSure || significant === 0 ? at : -at;
}
