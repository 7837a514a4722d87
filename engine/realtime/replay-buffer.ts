/**
 * The replay buffer: the changes of the newest records, in a ring buffer of fixed size. A group lies before its first record:
 * length u32 · JSON. A record: length u32 · time f64 · isMarketWide u8 · account count u16 · market count u16 · their numbers u32
 * · packed changes. The numbers let a replay skip records that do not concern it.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { affectedAccounts } from './account-updates.ts';
import { ChangesPacker, type Columns } from './packed-changes.ts';

type Window = Pick<RealtimeLimits, 'replayWindowMs' | 'replayWindowBytes' | 'replayWindowRecords'>;

/** The target of a replay: a record matters to it if it concerns it; to an account also if it concerns a whole market. */
export type ReplayTarget = { readonly account: number } | { readonly market: number };

/** Consecutive records as the buffer stores them, and the columns that they are packed in. */
export interface BufferedRecords {
  readonly columns: Columns;
  readonly records: readonly BufferedRecord[];
}

export interface BufferedRecord {
  readonly sequence: number;
  readonly group: CoveringGroup;
  readonly record: Buffer;
}

const EPOCH_MS_AT = 4;
const IS_MARKET_WIDE_AT = 12;
const ACCOUNTS_AT = 13;
const MARKETS_AT = 15;
const NUMBERS_AT = 17;

export class ReplayBuffer {
  readonly #windowMs: number;
  readonly #bytes: Buffer;
  readonly #packer = new ChangesPacker();
  /** Offsets of each record and of its group, by the record's sequence. */
  readonly #records: Uint32Array;
  readonly #groups: Uint32Array;
  /** The group of the newest record. */
  #group: { readonly number: number; readonly text: Buffer } | undefined;
  #record = Buffer.alloc(1 << 14);
  #newest: number;
  #count = 0;
  /** Where the next record goes. */
  #end = 0;

  /** Knows no record up to `sequence`. */
  constructor({ replayWindowMs, replayWindowBytes, replayWindowRecords }: Window, sequence: number) {
    this.#windowMs = replayWindowMs;
    // Filled, so that the memory is allocated at the start.
    this.#bytes = Buffer.alloc(replayWindowBytes, 1);
    this.#records = new Uint32Array(replayWindowRecords);
    this.#groups = new Uint32Array(replayWindowRecords);
    this.#newest = sequence;
  }

  /** Restores records of the replay log up to the newest sequence: all of them, or no record if it throws. Call it before `add`. */
  restore({ columns, records }: BufferedRecords): void {
    const newest = this.#newest;
    try {
      this.#packer.continueFrom(columns);
      this.#newest -= records.length;
      for (const { sequence, group, record } of records) this.#put(sequence, group, record);
    } catch (fault) {
      this.#packer.continueFrom({});
      this.#newest = newest;
      this.#count = 0;
      throw fault;
    }
  }

  /** Returns the record as the buffer stores it; valid until the next call. */
  add(changes: RecordChanges): Buffer {
    const { sequence, group } = changes;
    const record = this.#recordOf(changes);
    // Restored records cannot be read with other columns.
    if (this.#packer.hasOtherColumns) this.#count = 0;
    this.#put(sequence, group, record);
    return record;
  }

  /** The columns by which the stored records are read. */
  get columns(): Columns {
    return this.#packer.columns;
  }

  #recordOf(changes: RecordChanges): Buffer {
    const accounts = affectedAccounts(changes);
    const markets = marketsOf(changes);
    const packed = this.#packer.pack(changes);
    const packedAt = NUMBERS_AT + 4 * (accounts.size + markets.size);
    const length = packedAt + packed.length;
    if (length > this.#record.length) this.#record = Buffer.alloc(2 * length);
    const record = this.#record;
    record.writeUInt32LE(length, 0);
    record.writeDoubleLE(changes.epochMs, EPOCH_MS_AT);
    record.writeUInt8(isMarketWide(changes) ? 1 : 0, IS_MARKET_WIDE_AT);
    record.writeUInt16LE(accounts.size, ACCOUNTS_AT);
    record.writeUInt16LE(markets.size, MARKETS_AT);
    let numberAt = NUMBERS_AT;
    for (const account of accounts) numberAt = record.writeUInt32LE(account, numberAt);
    for (const market of markets) numberAt = record.writeUInt32LE(market, numberAt);
    packed.copy(record, packedAt);
    return record.subarray(0, length);
  }

  #put(sequence: number, group: CoveringGroup, record: Buffer): void {
    const isNewGroup = this.#group?.number !== group.number;
    if (isNewGroup) this.#group = { number: group.number, text: Buffer.from(JSON.stringify(group)) };
    // Evicting may remove the group of the record: then it is written again.
    if (!this.#evict(4 + this.#group!.text.length + record.length)) {
      this.#newest = sequence;
      return;
    }
    const groupAt = isNewGroup || this.#count === 0 ? this.#writeGroup() : this.#groups[this.#newest % this.#groups.length]!;
    const at = this.#end;
    record.copy(this.#bytes, at);
    this.#records[sequence % this.#records.length] = at;
    this.#groups[sequence % this.#groups.length] = groupAt;
    this.#newest = sequence;
    this.#count += 1;
    this.#end = at + record.length;
    const newestEpochMs = record.readDoubleLE(EPOCH_MS_AT);
    while (this.#count > this.#records.length || this.#oldestEpochMs < newestEpochMs - this.#windowMs) this.#count -= 1;
  }

  /** The lowest sequence after which every record is in the buffer. */
  get oldest(): number {
    return this.#newest - this.#count;
  }

  get newest(): number {
    return this.#newest;
  }

  /** The size of a record in the buffer. */
  bytesOf(sequence: number): number {
    return this.#bytes.readUInt32LE(this.#placeOf(sequence));
  }

  /** Unpacks a record in the buffer. O(size of the record). */
  read(sequence: number): RecordChanges {
    const bytes = this.#bytes;
    const [at, groupAt] = [this.#placeOf(sequence), this.#groups[sequence % this.#groups.length]!];
    const numbers = bytes.readUInt16LE(at + ACCOUNTS_AT) + bytes.readUInt16LE(at + MARKETS_AT);
    const group = JSON.parse(bytes.toString('utf8', groupAt + 4, groupAt + 4 + bytes.readUInt32LE(groupAt))) as CoveringGroup;
    return this.#packer.unpack(bytes.subarray(at + NUMBERS_AT + 4 * numbers, at + bytes.readUInt32LE(at)), group);
  }

  /** Whether a record in the buffer matters to the target. */
  matters(sequence: number, target: ReplayTarget): boolean {
    const bytes = this.#bytes;
    const at = this.#placeOf(sequence);
    const accounts = bytes.readUInt16LE(at + ACCOUNTS_AT);
    if ('account' in target) {
      return bytes[at + IS_MARKET_WIDE_AT] === 1 || this.#holds(target.account, at + NUMBERS_AT, accounts);
    }
    return this.#holds(target.market, at + NUMBERS_AT + 4 * accounts, bytes.readUInt16LE(at + MARKETS_AT));
  }

  #placeOf(sequence: number): number {
    return this.#records[sequence % this.#records.length]!;
  }

  #holds(number: number, at: number, count: number): boolean {
    for (let index = 0; index < count; index += 1) if (this.#bytes.readUInt32LE(at + 4 * index) === number) return true;
    return false;
  }

  /** Returns its offset. */
  #writeGroup(): number {
    const { text } = this.#group!;
    const at = this.#end;
    this.#bytes.writeUInt32LE(text.length, at);
    text.copy(this.#bytes, at + 4);
    this.#end = at + 4 + text.length;
    return at;
  }

  /** Evicts the oldest records to make room for the next one. False if that exceeds the whole buffer: then it is empty. */
  #evict(length: number): boolean {
    if (length > this.#bytes.length) {
      this.#count = 0;
      this.#end = 0;
      return false;
    }
    if (this.#end + length > this.#bytes.length) {
      while (this.#count > 0 && this.#firstSequence >= this.#end) this.#count -= 1;
      this.#end = 0;
    }
    while (this.#count > 0 && this.#firstSequence >= this.#end && this.#firstSequence < this.#end + length) this.#count -= 1;
    return true;
  }

  /** Where the stored data begins: with the group of the oldest record, which must be evicted together with its records. */
  get #firstSequence(): number {
    return this.#groups[(this.oldest + 1) % this.#groups.length]!;
  }

  get #oldestEpochMs(): number {
    return this.#bytes.readDoubleLE(this.#records[(this.oldest + 1) % this.#records.length]! + EPOCH_MS_AT);
  }
}

/** Prices, funding and statuses matter to every account in the market. */
function isMarketWide({ priced, settled, markets }: RecordChanges): boolean {
  return priced.length + settled.length + markets.length > 0;
}

function marketsOf({ trades, priced, settled, markets, observed }: RecordChanges): ReadonlySet<number> {
  const found = new Set<number>();
  for (const rows of [trades, priced, settled, observed]) for (const { market } of rows) found.add(market);
  for (const { after } of markets) found.add(after.market);
  return found;
}
