/**
 * The writing end of the journal: one group at a time goes into the current segment, and into the next one when that is full. The
 * next segment is prepared early, so that commits do not wait for it.
 */
import { ByteReader } from '#venue/record/cursor.ts';
import { WriterBusy } from '#writer/port/submit.ts';
import type { Files, StorageFile } from './files.ts';
import { JournalDamaged } from './journal-fault.ts';
import type { JournalEnd } from './journal-scan.ts';
import { OpenSegments } from './open-segments.ts';
import type { StoredRecord } from './record.ts';
import { RECORD_PREFIX_BYTES, readRecord, validRecordLength } from './record.ts';
import type { JournalPosition } from './segment.ts';
import {
  createSegment,
  journalPosition,
  listSegments,
  offsetOf,
  PIECE_BYTES,
  segmentCapacity,
  segmentName,
  segmentOf,
} from './segment.ts';
import { SegmentPace } from './segment-pace.ts';

/** The next segment is made this many times as fast as the current one fills, so that it is ready before it is needed. */
const AHEAD = 2;
/** Most records are shorter and need one read. */
const FIRST_READ_BYTES = 2048;

interface OpenSegment {
  readonly number: number;
  readonly file: StorageFile;
  /** How many bytes of groups fit. */
  readonly capacity: number;
}

interface NextSegment {
  readonly pace: SegmentPace;
  /** Resolves with `undefined` if it could not be made. */
  readonly created: Promise<OpenSegment | undefined>;
}

export class Journal {
  readonly #files: Files;
  /** The capacity of a new segment. */
  readonly #capacity: number;
  readonly #open: OpenSegments;
  #current: OpenSegment;
  #offset: number;
  #next: NextSegment | undefined;

  private constructor(files: Files, capacity: number, current: OpenSegment, offset: number) {
    this.#files = files;
    this.#capacity = capacity;
    this.#open = new OpenSegments(files);
    this.#open.retain(current.number, current.file);
    this.#current = current;
    this.#offset = offset;
  }

  /** Continues at the end that a scan found; creates the first segment if the scan found no segment. */
  static async open(files: Files, segmentBytes: number, end: JournalEnd): Promise<Journal> {
    const capacity = segmentCapacity(segmentBytes);
    return new Journal(files, capacity, await openOrCreate(files, end.segment, capacity), end.offset);
  }

  /**
   * Writes a sealed group. Resolves with its position when it is durable. A rejection is final: the content of the disk is then
   * unknown until a scan, and nothing may be appended. One append at a time.
   */
  async append(group: Uint8Array): Promise<JournalPosition> {
    while (this.#offset + group.length > this.#current.capacity) await this.#advance(group.length);
    const offset = this.#offset;
    await this.#current.file.write(group, offset);
    await this.#current.file.datasync();
    this.#offset += group.length;
    this.#prepareNext();
    return journalPosition(this.#current.number, offset);
  }

  /**
   * Reads the record at a position that `append` made durable. Throws {@link JournalDamaged} if its checksum is wrong, and
   * {@link WriterBusy} if the system cannot read it now, for example without a free file handle.
   */
  async readRecord(position: JournalPosition): Promise<StoredRecord> {
    const offset = offsetOf(position);
    const bytes = await this.#open
      .read(segmentOf(position), (file) => readRecordBytes(file, offset))
      .catch((cause: unknown) => {
        throw new WriterBusy('an earlier response cannot be read just now: try again soon', { cause });
      });
    if (validRecordLength(bytes, 0, bytes.length) === undefined) {
      throw JournalDamaged.at(segmentOf(position), offset, undefined, 'the check sum of the record is wrong');
    }
    return readRecord(new ByteReader(bytes));
  }

  /** Closes the files. No append may be in progress. */
  async close(): Promise<void> {
    await this.#open.close();
    this.#next?.pace.abandon();
    await (await this.#next?.created)?.file.close().catch(() => undefined);
  }

  async #advance(atLeast: number): Promise<void> {
    const full = this.#current;
    const capacity = Math.max(atLeast, this.#capacity);
    // An early attempt that failed may succeed now: the operator may have freed space on the disk.
    this.#next?.pace.finishNow();
    this.#current = (await this.#next?.created) ?? (await openOrCreate(this.#files, full.number + 1, capacity));
    this.#next = undefined;
    this.#offset = 0;
    this.#open.retain(this.#current.number, this.#current.file);
    this.#open.release(full.number);
  }

  /** Starts the next segment when a whole piece of it may be made, and allows it to grow with the current one. */
  #prepareNext(): void {
    const allowed = this.#offset * AHEAD;
    if (allowed >= Math.min(PIECE_BYTES, this.#current.capacity)) this.#next ??= this.#createNext();
    this.#next?.pace.allow(allowed);
  }

  /** A failure does no harm: the current segment still has room, and the attempt is repeated when the next one is needed. */
  #createNext(): NextSegment {
    const pace = new SegmentPace();
    const created = openOrCreate(this.#files, this.#current.number + 1, this.#capacity, pace).catch(() => undefined);
    return { pace, created };
  }
}

async function openOrCreate(files: Files, number: number, capacity: number, pace?: SegmentPace): Promise<OpenSegment> {
  const exists = (await listSegments(files)).some(({ segment }) => segment === number);
  // Its maker may have ended before its name was durable.
  if (exists) await files.syncDirectory();
  const file = exists ? await files.open(segmentName(number)) : await createSegment(files, number, capacity, pace);
  return { number, file, capacity: segmentCapacity(await file.size()) };
}

/** Reads the length that the record states, limited to the file: a damaged length may have any value. */
async function readRecordBytes(file: StorageFile, offset: number): Promise<Buffer> {
  const first = await readUpTo(file, offset, FIRST_READ_BYTES);
  if (first.length < FIRST_READ_BYTES) return first;
  const length = first.readUInt32LE(RECORD_PREFIX_BYTES - 4);
  if (length <= first.length) return first;
  return readUpTo(file, offset, Math.min(length, (await file.size()) - offset));
}

async function readUpTo(file: StorageFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
