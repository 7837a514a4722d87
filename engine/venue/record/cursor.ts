/**
 * Moves fields between objects and bytes in either direction. A layout names its fields once. A writer runs it to store the given
 * values; a reader runs it to return the stored values, and ignores the given ones.
 */
import { isWholeLeverage, leverageXOf, ONE_X } from '#units/leverage.ts';

/** A position in bytes. Every method takes a value and returns one: a writer returns the given value, a reader the stored one. */
export interface Cursor {
  /** An integer from 0 to 255. */
  u8(value: number): number;
  /** An integer from 0 to 2^32 − 1. */
  u32<Value extends number>(value: Value): Value;
  /** A leverage in hundredths, in 4 bytes: 0, or at least 1 ×. */
  leverage(hundredths: number): number;
  /** A leverage in hundredths that has no fraction, as a whole number in 4 bytes. */
  wholeLeverage(hundredths: number): number;
  /** A signed safe integer, in 8 bytes. */
  int<Value extends number>(value: Value): Value;
  flag(value: boolean): boolean;
  /** A value of a closed list, as its index in the list. */
  oneOf<Value extends string>(values: readonly Value[], value: Value): Value;
  /** UTF-8, at most 65,535 bytes. */
  text(value: string): string;
  /** A nested object with its own layout. A reader accepts `undefined` as the part. */
  part<Part, Stored extends Part>(part: Part | undefined, layout: (cursor: Cursor, part: Part) => Stored): Stored;
  /** A list of at most 255 items. */
  shortList<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[];
  /** A list of at most {@link MAX_LIST} items. */
  list<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[];
}

/** Bytes that no writer produces, or a value that cannot be written. */
export class MalformedRecord extends Error {
  override readonly name = 'MalformedRecord';
}

const MAX_SHORT = 65_535;
/** The maximum number of items in a list with a 16-bit count. */
export const MAX_LIST = MAX_SHORT;
const utf8Encoder = new TextEncoder();
/** Keeps a byte order mark as a character of the text. */
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Reusable arrays for the character codes of an ASCII text, by its length. The decoder reads longer texts. */
const MAX_ASCII = 64;
const asciiCodes = Array.from({ length: MAX_ASCII + 1 }, (_, length) => new Array<number>(length).fill(0));

/** Appends to a growing buffer. `reset` empties it and keeps its memory. */
export class ByteWriter implements Cursor {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;
  #capacity: number;

  constructor(capacity = 65_536) {
    this.#capacity = capacity;
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** A view of the whole buffer, for access in place. It is valid until the buffer grows. */
  get view(): DataView {
    return this.#view;
  }

  reset(): void {
    this.#length = 0;
  }

  /** A view of the written bytes from `start`. It is valid until the next write or reset. */
  written(start = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#length);
  }

  /** A copy of the written bytes from `start`. */
  copy(start = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(start, this.#length);
  }

  /** Discards the written bytes from `length` on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Overwrites the `u32` at `offset`, for a value that becomes known later. */
  patchU32(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  /** Reserves `size` bytes and returns their offset. The caller writes all of them through {@link view}. */
  claim(size: number): number {
    const start = this.#length;
    if (start + size > this.#capacity) this.#grow(size);
    this.#length = start + size;
    return start;
  }

  /** Overwrites bytes at `offset`. */
  patchBytes(offset: number, value: Uint8Array): void {
    this.#bytes.set(value, offset);
  }

  u8(value: number): number {
    if ((value & 255) !== value) throw new MalformedRecord(`expected an integer from 0 to 255, got ${value}`);
    const at = this.claim(1);
    this.#view.setUint8(at, value);
    return value;
  }

  u32<Value extends number>(value: Value): Value {
    wholeU32(value);
    const at = this.claim(4);
    this.#view.setUint32(at, value, true);
    return value;
  }

  leverage(hundredths: number): number {
    return this.u32(checkedLeverage(hundredths));
  }

  wholeLeverage(hundredths: number): number {
    if (!isWholeLeverage(hundredths)) throw new MalformedRecord(`expected a whole leverage, got ${leverageXOf(hundredths)}`);
    this.u32(leverageXOf(hundredths));
    return hundredths;
  }

  int<Value extends number>(value: Value): Value {
    const at = this.claim(8);
    this.#view.setFloat64(at, value, true);
    return value;
  }

  flag(value: boolean): boolean {
    this.u8(value ? 1 : 0);
    return value;
  }

  oneOf<Value extends string>(values: readonly Value[], value: Value): Value {
    this.u8(indexIn(values, value));
    return value;
  }

  text(value: string): string {
    const length = value.length;
    this.#reserve(2 + length * 3);
    // Most texts are short ASCII: each character is one byte.
    const start = this.#length + 2;
    let at = 0;
    for (; at < length; at += 1) {
      const code = value.charCodeAt(at);
      if (code > 127) return this.#wideText(value);
      this.#bytes[start + at] = code;
    }
    this.#short(length);
    this.#length += length;
    return value;
  }

  #wideText(value: string): string {
    // The encoder would replace a lone surrogate by another character.
    if (!value.isWellFormed()) throw new MalformedRecord('a text has a lone surrogate');
    const { written } = utf8Encoder.encodeInto(value, this.#bytes.subarray(this.#length + 2));
    this.#short(written);
    this.#length += written;
    return value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  part<Part, Stored extends Part>(part: Part | undefined, layout: (cursor: Cursor, part: Part) => Stored): Stored {
    return layout(this, part!);
  }

  shortList<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[] {
    this.u8(items.length);
    for (const item of items) layout(this, item);
    return items;
  }

  list<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[] {
    this.#reserve(2);
    this.#short(items.length);
    for (const item of items) layout(this, item);
    return items;
  }

  #short(value: number): void {
    if (value > MAX_SHORT) throw new MalformedRecord(`longer than ${MAX_SHORT} bytes or items: ${value}`);
    this.#view.setUint16(this.#length, value, true);
    this.#length += 2;
  }

  #reserve(size: number): void {
    if (this.#length + size > this.#capacity) this.#grow(size);
  }

  #grow(size: number): void {
    const grown = new Uint8Array(Math.max(this.#capacity * 2, this.#length + size));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#capacity = grown.length;
    this.#view = new DataView(grown.buffer);
  }
}

/** Returns an integer from 0 to 2^32 − 1; throws {@link MalformedRecord} for any other value, so that it is never written. */
export function wholeU32(value: number): number {
  if (value >>> 0 !== value) throw new MalformedRecord(`expected an integer from 0 to 4294967295, got ${value}`);
  return value;
}

function checkedLeverage(hundredths: number): number {
  if (hundredths > 0 && hundredths < ONE_X)
    throw new MalformedRecord(`expected a leverage of at least 1, got ${leverageXOf(hundredths)}`);
  return hundredths;
}

/** The index of a value in a closed list. Throws {@link MalformedRecord} if the list does not have it. */
export function indexIn<Value extends string>(values: readonly Value[], value: Value): number {
  for (let index = 0; index < values.length; index += 1) if (values[index] === value) return index;
  throw new MalformedRecord(`expected one of ${values.join(', ')}, got ${value}`);
}

/** Reads what a {@link ByteWriter} wrote. Throws {@link MalformedRecord} if the bytes end early or are invalid. */
export class ByteReader implements Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** Continues reading at `offset`, before or after the current one. */
  moveTo(offset: number): void {
    this.#offset = offset;
  }

  u8(_value?: number): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32<Value extends number>(_value?: Value): Value {
    return this.#view.getUint32(this.#take(4), true) as Value;
  }

  leverage(_hundredths?: number): number {
    return checkedLeverage(this.u32());
  }

  wholeLeverage(_hundredths?: number): number {
    return this.u32<number>() * ONE_X;
  }

  int<Value extends number>(_value?: Value): Value {
    const value = this.#view.getFloat64(this.#take(8), true);
    if (!Number.isSafeInteger(value)) throw new MalformedRecord(`expected a safe integer, got ${value}`);
    return value as Value;
  }

  flag(_value?: boolean): boolean {
    const value = this.u8();
    if (value > 1) throw new MalformedRecord(`expected a flag of 0 or 1, got ${value}`);
    return value === 1;
  }

  oneOf<Value extends string>(values: readonly Value[], _value?: Value): Value {
    const index = this.u8();
    const value = values[index];
    if (value === undefined) throw new MalformedRecord(`expected an index into ${values.join(', ')}, got ${index}`);
    return value;
  }

  text(_value?: string): string {
    const length = this.#view.getUint16(this.#take(2), true);
    const start = this.#take(length);
    if (length > MAX_ASCII) return this.#wideText(start, length);
    // Most texts are short ASCII: each byte is one character.
    const bytes = this.#bytes;
    const codes = asciiCodes[length]!;
    let allBits = 0;
    for (let at = 0; at < length; at += 1) {
      const code = bytes[start + at]!;
      allBits |= code;
      codes[at] = code;
    }
    return allBits > 127 ? this.#wideText(start, length) : String.fromCharCode.apply(undefined, codes);
  }

  /** Detects invalid UTF-8: the decoder replaces it, so that encoding the text again gives other bytes. */
  #wideText(start: number, length: number): string {
    const text = utf8Decoder.decode(this.#bytes.subarray(start, start + length));
    const again = utf8Encoder.encode(text);
    let isSame = again.length === length;
    for (let at = 0; isSame && at < length; at += 1) isSame = again[at] === this.#bytes[start + at];
    if (!isSame) throw new MalformedRecord(`not UTF-8: ${length} bytes from byte ${start}`);
    return text;
  }

  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  part<Part, Stored extends Part>(_part: Part | undefined, layout: (cursor: Cursor, part: Part) => Stored): Stored {
    return layout(this, BLANK as Part);
  }

  shortList<Item>(_items: readonly Item[] | undefined, layout: (cursor: Cursor, item: Item) => Item): readonly Item[] {
    const length = this.u8();
    return Array.from({ length }, () => layout(this, BLANK as Item));
  }

  list<Item>(_items: readonly Item[] | undefined, layout: (cursor: Cursor, item: Item) => Item): readonly Item[] {
    const length = this.#view.getUint16(this.#take(2), true);
    return Array.from({ length }, () => layout(this, BLANK as Item));
  }

  #take(size: number): number {
    const start = this.#offset;
    if (start + size > this.#bytes.length)
      throw new MalformedRecord(`ends at byte ${this.#bytes.length}, expected at least ${start + size} bytes`);
    this.#offset = start + size;
    return start;
  }
}

/** The placeholder that a reader passes to a layout as any type. The reader ignores its fields. */
export const BLANK: unknown = Object.freeze({});
