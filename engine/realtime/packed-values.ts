/**
 * Numbers, strings and `null` in few bytes: offset of the strings u32 · per value its kind u8, and a number as i32 or f64 · the
 * strings as JSON. Writes into a reused buffer, so that packing creates no garbage.
 */
export type Value = number | string | null;

/** Most numbers fit. */
const SMALL = 0;
const LARGE = 1;
const TEXT = 2;
const NULL = 3;

const VALUES_AT = 4;
const BYTES_OF: readonly number[] = [5, 9, 1, 1];
const MAX_BYTES = 9;

export class ValueWriter {
  #bytes = Buffer.alloc(1 << 14);
  #view = viewOf(this.#bytes);
  #at = VALUES_AT;
  #texts: string[] = [];

  begin(): void {
    this.#at = VALUES_AT;
    this.#texts = [];
  }

  put(value: Value): void {
    this.#grow(MAX_BYTES);
    if (typeof value === 'number') {
      this.#putNumber(value);
      return;
    }
    if (value !== null && typeof value !== 'string') throw new TypeError(`a ${typeof value} cannot be packed`);
    this.#view.setUint8(this.#at, value === null ? NULL : TEXT);
    this.#at += 1;
    if (value !== null) this.#texts.push(value);
  }

  /** Reserves a small number that is known later; the returned function sets it. */
  putLater(): (value: number) => void {
    const at = this.#at;
    this.put(0);
    return (value) => this.#view.setInt32(at + 1, value);
  }

  /** The packed values since `start`; valid until the next `start`. */
  end(): Buffer {
    const texts = JSON.stringify(this.#texts);
    const textsAt = this.#at;
    const byteLength = Buffer.byteLength(texts);
    this.#grow(byteLength);
    this.#view.setUint32(0, textsAt);
    this.#bytes.write(texts, textsAt);
    return this.#bytes.subarray(0, textsAt + byteLength);
  }

  #putNumber(value: number): void {
    // Numbers outside 32 bits, fractions and -0 are changed by `| 0`.
    const isSmall = Object.is(value | 0, value);
    this.#view.setUint8(this.#at, isSmall ? SMALL : LARGE);
    if (isSmall) this.#view.setInt32(this.#at + 1, value);
    else this.#view.setFloat64(this.#at + 1, value);
    this.#at += isSmall ? 5 : 9;
  }

  #grow(byteLength: number): void {
    const needed = this.#at + byteLength;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * needed);
    this.#bytes.copy(larger);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

export class ValueReader {
  readonly #view: DataView;
  readonly #texts: readonly string[];
  readonly #end: number;
  #at = VALUES_AT;
  #read = 0;

  /** `bytes` as {@link ValueWriter} packed them. */
  constructor(bytes: Buffer) {
    this.#view = viewOf(bytes);
    this.#end = this.#view.getUint32(0);
    this.#texts = JSON.parse(bytes.toString('utf8', this.#end)) as string[];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  read(): Value {
    const at = this.#at;
    const kind = this.#view.getUint8(at);
    this.#at += BYTES_OF[kind]!;
    if (kind === SMALL) return this.#view.getInt32(at + 1);
    if (kind === LARGE) return this.#view.getFloat64(at + 1);
    if (kind === NULL) return null;
    this.#read += 1;
    return this.#texts[this.#read - 1]!;
  }

  readNumber(): number {
    return this.read() as number;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
