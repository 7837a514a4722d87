/**
 * What the newest records have changed, as far back as the service can replay: in memory of a fixed size, which goes round. Before the first record
 * of a group lies its group: length u32 · JSON. A record is its length u32 · time f64 · whether it is about whole markets u8 · how many
 * accounts u16 · how many markets u16 · their numbers u32 · itself, packed: what a replay does not need it passes over by the numbers alone.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { accountsToldOf } from './account-updates.ts';
import { ChangesPacker, type Columns } from './packed-changes.ts';

type Window = Pick<RealtimeLimits, 'replayWindowMs' | 'replayWindowBytes' | 'replayWindowRecords'>;

/** Whose updates are replayed: then those records matter that are about it, and of an account those about whole markets too. */
export type ReplayOf = { readonly account: number } | { readonly market: number };

/** Records as they are kept, one after the other, and the columns that they are packed in. */
export interface KeptRecords {
  readonly columns: Columns;
  readonly records: readonly KeptRecord[];
}

export interface KeptRecord {
  readonly sequence: number;
  readonly group: CoveringGroup;
  readonly record: Buffer;
}

const EPOCH_MS_AT = 4;
const IS_MARKET_WIDE_AT = 12;
const ACCOUNTS_AT = 13;
const MARKETS_AT = 15;
const NUMBERS_AT = 17;

export class RecentChanges {
  readonly #windowMs: number;
  readonly #bytes: Buffer;
  readonly #packer = new ChangesPacker();
  /** Of each record, by its sequence, where it lies, and where its group does. */
  readonly #records: Uint32Array;
  readonly #groups: Uint32Array;
  /** That of the newest record. */
  #group: { readonly number: number; readonly text: Buffer } | undefined;
  #record = Buffer.alloc(1 << 14);
  #newest: number;
  #count = 0;
  /** Where the next one goes. */
  #end = 0;

  /** Nothing before the record after `sequence` is known. */
  constructor({ replayWindowMs, replayWindowBytes, replayWindowRecords }: Window, sequence: number) {
    this.#windowMs = replayWindowMs;
    // Touched as a whole: it takes its room at the start, and no more later.
    this.#bytes = Buffer.alloc(replayWindowBytes, 1);
    this.#records = new Uint32Array(replayWindowRecords);
    this.#groups = new Uint32Array(replayWindowRecords);
    this.#newest = sequence;
  }

  /** Takes in what was kept of the records up to the newest, in files: all of it, or none where it throws. Before any is added. */
  restore({ columns, records }: KeptRecords): void {
    const newest = this.#newest;
    try {
      this.#packer.goOnFrom(columns);
      this.#newest -= records.length;
      for (const { sequence, group, record } of records) this.#put(sequence, group, record);
    } catch (fault) {
      this.#packer.goOnFrom({});
      this.#newest = newest;
      this.#count = 0;
      throw fault;
    }
  }

  /** Answers the record as it is kept; good until the next one is added. */
  add(changes: RecordChanges): Buffer {
    const { sequence, group } = changes;
    const record = this.#recordOf(changes);
    // What was restored cannot be read by columns that are others.
    if (this.#packer.hasOtherColumns) this.#count = 0;
    this.#put(sequence, group, record);
    return record;
  }

  /** By which what was added is read. */
  get columns(): Columns {
    return this.#packer.columns;
  }

  #recordOf(changes: RecordChanges): Buffer {
    const accounts = accountsToldOf(changes);
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
    // To make room may take the group away that the record is of: then it is written again.
    if (!this.#makeRoom(4 + this.#group!.text.length + record.length)) {
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

  /** The lowest sequence that everything after is known of. */
  get oldest(): number {
    return this.#newest - this.#count;
  }

  get newest(): number {
    return this.#newest;
  }

  /** Of a record that is kept. */
  bytesOf(sequence: number): number {
    return this.#bytes.readUInt32LE(this.#placeOf(sequence));
  }

  /** One that is kept. */
  read(sequence: number): RecordChanges {
    const bytes = this.#bytes;
    const [at, groupAt] = [this.#placeOf(sequence), this.#groups[sequence % this.#groups.length]!];
    const numbers = bytes.readUInt16LE(at + ACCOUNTS_AT) + bytes.readUInt16LE(at + MARKETS_AT);
    const group = JSON.parse(bytes.toString('utf8', groupAt + 4, groupAt + 4 + bytes.readUInt32LE(groupAt))) as CoveringGroup;
    return this.#packer.unpack(bytes.subarray(at + NUMBERS_AT + 4 * numbers, at + bytes.readUInt32LE(at)), group);
  }

  /** Whether a record that is kept is about them. */
  matters(sequence: number, whose: ReplayOf): boolean {
    const bytes = this.#bytes;
    const at = this.#placeOf(sequence);
    const accounts = bytes.readUInt16LE(at + ACCOUNTS_AT);
    if ('account' in whose) {
      return bytes[at + IS_MARKET_WIDE_AT] === 1 || this.#holds(whose.account, at + NUMBERS_AT, accounts);
    }
    return this.#holds(whose.market, at + NUMBERS_AT + 4 * accounts, bytes.readUInt16LE(at + MARKETS_AT));
  }

  #placeOf(sequence: number): number {
    return this.#records[sequence % this.#records.length]!;
  }

  #holds(number: number, at: number, count: number): boolean {
    for (let index = 0; index < count; index += 1) if (this.#bytes.readUInt32LE(at + 4 * index) === number) return true;
    return false;
  }

  /** Answers where it is. */
  #writeGroup(): number {
    const { text } = this.#group!;
    const at = this.#end;
    this.#bytes.writeUInt32LE(text.length, at);
    text.copy(this.#bytes, at + 4);
    this.#end = at + 4 + text.length;
    return at;
  }

  /** Drops the oldest ones where the next one goes. One that is larger than the whole has no room: then nothing is known. */
  #makeRoom(length: number): boolean {
    if (length > this.#bytes.length) {
      this.#count = 0;
      this.#end = 0;
      return false;
    }
    if (this.#end + length > this.#bytes.length) {
      while (this.#count > 0 && this.#beginning >= this.#end) this.#count -= 1;
      this.#end = 0;
    }
    while (this.#count > 0 && this.#beginning >= this.#end && this.#beginning < this.#end + length) this.#count -= 1;
    return true;
  }

  /** Where what is kept begins: with the group of the oldest record, without which none of its records is kept. */
  get #beginning(): number {
    return this.#groups[(this.oldest + 1) % this.#groups.length]!;
  }

  get #oldestEpochMs(): number {
    return this.#bytes.readDoubleLE(this.#records[(this.oldest + 1) % this.#records.length]! + EPOCH_MS_AT);
  }
}

/** Prices, funding and statuses matter to everybody who is in the market. */
function isMarketWide({ priced, settled, markets }: RecordChanges): boolean {
  return priced.length + settled.length + markets.length > 0;
}

function marketsOf({ trades, priced, settled, markets, observed }: RecordChanges): ReadonlySet<number> {
  const found = new Set<number>();
  for (const rows of [trades, priced, settled, observed]) for (const { market } of rows) found.add(market);
  for (const { after } of markets) found.add(after.market);
  return found;
}
