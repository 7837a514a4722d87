/**
 * Moves fields between objects and bytes, in either direction. A layout names its fields once and is run by a writer,
 * which stores the values it is given, or by a reader, which ignores them and answers what was stored.
 */

/** A place in a run of bytes. Every method takes a value and answers one: the writer the same, the reader the stored. */
export interface Cursor {
  /** A whole number from 0 to 255. */
  u8(value: number): number;
  /** A whole number from 0 to 2^32 − 1. */
  u32<Value extends number>(value: Value): Value;
  /** Any exact integer, signed, in 8 bytes. */
  int<Value extends number>(value: Value): Value;
  flag(value: boolean): boolean;
  /** One of a closed list, as its place in it. */
  oneOf<Value extends string>(values: readonly Value[], value: Value): Value;
  /** UTF-8, at most 65,535 bytes. */
  text(value: string): string;
  /** Fields of its own layout; `undefined` is for readers. */
  part<Part, Stored extends Part>(part: Part | undefined, layout: (cursor: Cursor, part: Part) => Stored): Stored;
  /** A list of at most 255 items. */
  shortList<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[];
  /** A list of at most 65,535 items. */
  list<Item>(items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item): readonly Item[];
}

/** Bytes that cannot be what was written. */
export class MalformedRecord extends Error {
  override readonly name = 'MalformedRecord';
}

const MAX_SHORT = 65_535;
const utf8Encoder = new TextEncoder();
/** A mark of byte order at the start is a character of the text like any other. */
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** A list for the characters of a plain text, by its length. Longer texts are left to the decoder. */
const MAX_PLAIN = 64;
const plainCodes = Array.from({ length: MAX_PLAIN + 1 }, (_, length) => new Array<number>(length).fill(0));

/** Appends to a buffer that grows. `reset` starts over in the same memory. */
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

  /** The memory that is written to, for checking it in place: valid until it grows. */
  get view(): DataView {
    return this.#view;
  }

  reset(): void {
    this.#length = 0;
  }

  /** A view of what was written from `start`: valid until the next write or reset. */
  written(start = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#length);
  }

  /** A copy of what was written from `start`. */
  copy(start = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(start, this.#length);
  }

  /** Forgets what was written from `length` on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Overwrites a number that was written as `u32` at `offset`, once its value is known. */
  patchU32(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  /** Room for `size` bytes that the caller writes into {@link view}, all of them; answers where they begin. */
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
    if ((value & 255) !== value) throw new MalformedRecord(`not a whole number below 2^8: ${value}`);
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
    // Most texts are short and plain: each character is its byte.
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
    // What cannot be written as UTF-8 would come back as something else.
    if (!value.isWellFormed()) throw new MalformedRecord('a text has half of a surrogate pair');
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
    if (value > MAX_SHORT) throw new MalformedRecord(`longer than ${MAX_SHORT}: ${value}`);
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

/** A number that 32 bits hold, or {@link MalformedRecord}: a wrong one must never be written. */
export function wholeU32(value: number): number {
  if (value >>> 0 !== value) throw new MalformedRecord(`not a whole number below 2^32: ${value}`);
  return value;
}

/** The place of a value in a closed list; throws {@link MalformedRecord} where it is not one of them. */
export function indexIn<Value extends string>(values: readonly Value[], value: Value): number {
  for (let index = 0; index < values.length; index += 1) if (values[index] === value) return index;
  throw new MalformedRecord(`not one of ${values.join(', ')}: ${value}`);
}

/** Reads what a {@link ByteWriter} wrote; throws {@link MalformedRecord} where the bytes end early or make no sense. */
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

  /** Goes on reading at `offset`, which may lie before or behind. */
  moveTo(offset: number): void {
    this.#offset = offset;
  }

  u8(_value?: number): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32<Value extends number>(_value?: Value): Value {
    return this.#view.getUint32(this.#take(4), true) as Value;
  }

  int<Value extends number>(_value?: Value): Value {
    const value = this.#view.getFloat64(this.#take(8), true);
    if (!Number.isSafeInteger(value)) throw new MalformedRecord(`not an exact integer: ${value}`);
    return value as Value;
  }

  flag(_value?: boolean): boolean {
    const value = this.u8();
    if (value > 1) throw new MalformedRecord(`not a flag: ${value}`);
    return value === 1;
  }

  oneOf<Value extends string>(values: readonly Value[], _value?: Value): Value {
    const index = this.u8();
    const value = values[index];
    if (value === undefined) throw new MalformedRecord(`no entry ${index} in ${values.join(', ')}`);
    return value;
  }

  text(_value?: string): string {
    const length = this.#view.getUint16(this.#take(2), true);
    const start = this.#take(length);
    if (length > MAX_PLAIN) return this.#wideText(start, length);
    // Most texts are short and plain: each byte is its character.
    const bytes = this.#bytes;
    const codes = plainCodes[length]!;
    let seen = 0;
    for (let at = 0; at < length; at += 1) {
      const code = bytes[start + at]!;
      seen |= code;
      codes[at] = code;
    }
    return seen > 127 ? this.#wideText(start, length) : String.fromCharCode.apply(undefined, codes);
  }

  /** What is no UTF-8 is decoded to something, which does not come to the same bytes again. */
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
      throw new MalformedRecord(`ends at byte ${this.#bytes.length}, wanted ${start + size}`);
    this.#offset = start + size;
    return start;
  }
}

/** What a layout is given to read into: it has every field, all of them meaningless. */
export const BLANK: unknown = Object.freeze({});
