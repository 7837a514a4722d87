/**
 * What the newest records have changed, so far back as the service can replay: in memory of a fixed size, which goes round. A record lies
 * there as its length u32 · time f64 · whether it is about whole markets u8 · how many accounts u16 · how many markets u16 · their numbers u32 ·
 * itself, packed: what a replay does not need it passes over without a look at more than the numbers.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import { accountsToldOf } from './account-updates.ts';
import { packed, unpacked } from './packed-changes.ts';

type Window = Pick<RealtimeLimits, 'replayWindowMs' | 'replayWindowBytes'>;

/** Whose updates are replayed: then those records matter that are about it, and of an account those about whole markets too. */
export type ReplayOf = { readonly account: number } | { readonly market: number };

/** More records are not kept, however small they are. */
const MOST_RECORDS = 1 << 17;
const EPOCH_MS_AT = 4;
const IS_MARKET_WIDE_AT = 12;
const ACCOUNTS_AT = 13;
const MARKETS_AT = 15;
const NUMBERS_AT = 17;

export class RecentChanges {
  readonly #windowMs: number;
  readonly #bytes: Buffer;
  readonly #offsets = new Uint32Array(MOST_RECORDS);
  #newest: number;
  #count = 0;
  /** Where the next one goes. */
  #end = 0;

  /** Nothing before the record after `sequence` is known. */
  constructor({ replayWindowMs, replayWindowBytes }: Window, sequence: number) {
    this.#windowMs = replayWindowMs;
    // Touched as a whole: it takes its room at the start, and no more later.
    this.#bytes = Buffer.alloc(replayWindowBytes, 1);
    this.#newest = sequence;
  }

  add(changes: RecordChanges): void {
    const { sequence, epochMs } = changes;
    const accounts = [...accountsToldOf(changes)];
    const markets = [...marketsOf(changes)];
    const text = packed(changes);
    const textAt = NUMBERS_AT + 4 * (accounts.length + markets.length);
    const length = textAt + Buffer.byteLength(text);
    if (!this.#makeRoom(length)) {
      this.#newest = sequence;
      return;
    }
    const at = this.#end;
    const bytes = this.#bytes;
    bytes.writeUInt32LE(length, at);
    bytes.writeDoubleLE(epochMs, at + EPOCH_MS_AT);
    bytes.writeUInt8(isMarketWide(changes) ? 1 : 0, at + IS_MARKET_WIDE_AT);
    bytes.writeUInt16LE(accounts.length, at + ACCOUNTS_AT);
    bytes.writeUInt16LE(markets.length, at + MARKETS_AT);
    let numberAt = at + NUMBERS_AT;
    for (const number of [...accounts, ...markets]) numberAt = bytes.writeUInt32LE(number, numberAt);
    bytes.write(text, at + textAt);
    this.#offsets[sequence % MOST_RECORDS] = at;
    this.#newest = sequence;
    this.#count += 1;
    this.#end = at + length;
    while (this.#count > MOST_RECORDS - 1 || bytes.readDoubleLE(this.#oldestOffset + EPOCH_MS_AT) < epochMs - this.#windowMs)
      this.#count -= 1;
  }

  /** The lowest sequence that everything after is known of. */
  get oldest(): number {
    return this.#newest - this.#count;
  }

  get newest(): number {
    return this.#newest;
  }

  /** Whether a record that is kept is about them. */
  matters(sequence: number, whose: ReplayOf): boolean {
    const bytes = this.#bytes;
    const at = this.#offsets[sequence % MOST_RECORDS]!;
    const accounts = bytes.readUInt16LE(at + ACCOUNTS_AT);
    if ('account' in whose) {
      return bytes[at + IS_MARKET_WIDE_AT] === 1 || this.#holds(whose.account, at + NUMBERS_AT, accounts);
    }
    return this.#holds(whose.market, at + NUMBERS_AT + 4 * accounts, bytes.readUInt16LE(at + MARKETS_AT));
  }

  /** Of a record that is kept. */
  bytesOf(sequence: number): number {
    return this.#bytes.readUInt32LE(this.#offsets[sequence % MOST_RECORDS]!);
  }

  /** One that is kept. */
  read(sequence: number): RecordChanges {
    const at = this.#offsets[sequence % MOST_RECORDS]!;
    const numbers = this.#bytes.readUInt16LE(at + ACCOUNTS_AT) + this.#bytes.readUInt16LE(at + MARKETS_AT);
    return unpacked(this.#bytes.toString('utf8', at + NUMBERS_AT + 4 * numbers, at + this.bytesOf(sequence)));
  }

  #holds(number: number, at: number, count: number): boolean {
    for (let index = 0; index < count; index += 1) if (this.#bytes.readUInt32LE(at + 4 * index) === number) return true;
    return false;
  }

  /** Drops the oldest ones where the next one goes. One that is larger than the whole has no room: then nothing is known. */
  #makeRoom(length: number): boolean {
    if (length > this.#bytes.length) {
      this.#count = 0;
      this.#end = 0;
      return false;
    }
    if (this.#end + length > this.#bytes.length) {
      while (this.#count > 0 && this.#oldestOffset >= this.#end) this.#count -= 1;
      this.#end = 0;
    }
    while (this.#count > 0 && this.#oldestOffset >= this.#end && this.#oldestOffset < this.#end + length) this.#count -= 1;
    return true;
  }

  get #oldestOffset(): number {
    return this.#offsets[(this.oldest + 1) % MOST_RECORDS]!;
  }
}

/** Prices, funding and statuses matter to everybody who is in the market. */
function isMarketWide({ priced, settled, markets }: RecordChanges): boolean {
  return priced.length + settled.length + markets.length > 0;
}

function marketsOf({ trades, priced, settled, markets, observed }: RecordChanges): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { market } of [...trades, ...priced, ...settled, ...observed]) found.add(market);
  for (const { after } of markets) found.add(after.market);
  return found;
}
