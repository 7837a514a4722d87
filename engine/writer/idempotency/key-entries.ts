/**
 * The entry of each idempotency key, addressed by a small number: the first 128 bits of its digest, its links in the lists, its
 * record's position and time, and its account. Memory grows in pieces without copying, so growth causes no pause.
 */

/** The number of no entry. */
export const NONE = 0;
/** The stored part of a digest, in words of 32 bits. */
export const KEY_WORDS = 4;

const PIECE_BITS = 12;
const PIECE_LENGTH = 1 << PIECE_BITS;
const PIECE_MASK = PIECE_LENGTH - 1;

/** Words of the key · next younger of the account · older · younger. */
const NARROW = KEY_WORDS + 3;
const NEXT_OF_ACCOUNT = KEY_WORDS;
const OLDER = KEY_WORDS + 1;
const NEWER = KEY_WORDS + 2;
/** Position · time · account. */
const WIDE = 3;
const POSITION = 0;
const EPOCH_MS = 1;
const ACCOUNT = 2;

/** The memory of the entries, transferable between threads. */
export interface KeyEntryPieces {
  readonly narrow: Uint32Array<ArrayBuffer>[];
  readonly wide: Float64Array<ArrayBuffer>[];
}

export class KeyEntries {
  readonly #narrow: Uint32Array<ArrayBuffer>[];
  readonly #wide: Float64Array<ArrayBuffer>[];

  constructor(pieces: KeyEntryPieces = { narrow: [], wide: [] }) {
    this.#narrow = pieces.narrow;
    this.#wide = pieces.wide;
  }

  get pieces(): KeyEntryPieces {
    return { narrow: this.#narrow, wide: this.#wide };
  }

  /** Fills a new entry, at most one piece after the last. It is in no list yet. */
  fill(entry: number, words: Uint32Array, account: number, epochMs: number, position: number): void {
    const piece = entry >>> PIECE_BITS;
    if (piece === this.#narrow.length) {
      this.#narrow.push(new Uint32Array(PIECE_LENGTH * NARROW));
      this.#wide.push(new Float64Array(PIECE_LENGTH * WIDE));
    }
    const narrow = this.#narrow[piece]!;
    const at = (entry & PIECE_MASK) * NARROW;
    for (let word = 0; word < KEY_WORDS; word += 1) narrow[at + word] = words[word]!;
    narrow[at + NEXT_OF_ACCOUNT] = NONE;
    narrow[at + OLDER] = NONE;
    narrow[at + NEWER] = NONE;
    const wide = this.#wide[piece]!;
    const wideAt = (entry & PIECE_MASK) * WIDE;
    wide[wideAt + POSITION] = position;
    wide[wideAt + EPOCH_MS] = epochMs;
    wide[wideAt + ACCOUNT] = account;
  }

  /** Whether the entry belongs to the key. */
  isOf(entry: number, words: Uint32Array): boolean {
    const narrow = this.#narrow[entry >>> PIECE_BITS]!;
    const at = (entry & PIECE_MASK) * NARROW;
    for (let word = 0; word < KEY_WORDS; word += 1) if (narrow[at + word] !== words[word]) return false;
    return true;
  }

  /** Copies the key of an entry into `words`. */
  cacheDigest(entry: number, words: Uint32Array): void {
    const narrow = this.#narrow[entry >>> PIECE_BITS]!;
    const at = (entry & PIECE_MASK) * NARROW;
    for (let word = 0; word < KEY_WORDS; word += 1) words[word] = narrow[at + word]!;
  }

  positionOf(entry: number): number {
    return this.#wideOf(entry, POSITION);
  }

  epochMsOf(entry: number): number {
    return this.#wideOf(entry, EPOCH_MS);
  }

  accountOf(entry: number): number {
    return this.#wideOf(entry, ACCOUNT);
  }

  /** The next younger key of the same account. */
  nextOfAccount(entry: number): number {
    return this.#narrowOf(entry, NEXT_OF_ACCOUNT);
  }

  setNextOfAccount(entry: number, next: number): void {
    this.#setNarrow(entry, NEXT_OF_ACCOUNT, next);
  }

  /** The previous entry of any account. */
  olderThan(entry: number): number {
    return this.#narrowOf(entry, OLDER);
  }

  setOlder(entry: number, older: number): void {
    this.#setNarrow(entry, OLDER, older);
  }

  /** The next entry of any account. Unused entries are chained by it too. */
  newerThan(entry: number): number {
    return this.#narrowOf(entry, NEWER);
  }

  setNewer(entry: number, newer: number): void {
    this.#setNarrow(entry, NEWER, newer);
  }

  #narrowOf(entry: number, column: number): number {
    return this.#narrow[entry >>> PIECE_BITS]![(entry & PIECE_MASK) * NARROW + column]!;
  }

  #setNarrow(entry: number, column: number, value: number): void {
    this.#narrow[entry >>> PIECE_BITS]![(entry & PIECE_MASK) * NARROW + column] = value;
  }

  #wideOf(entry: number, column: number): number {
    return this.#wide[entry >>> PIECE_BITS]![(entry & PIECE_MASK) * WIDE + column]!;
  }
}
