/**
 * Follows the journal of a running venue: passes on the groups after a place, each verified, and remembers where it stopped. It
 * reads a bounded piece at a time into a reused buffer: allocating new memory would delay the whole process.
 */
import { segmentsAfter } from './anchor.ts';
import { type ChainPosition, ChainWalk, type ScannedGroup } from './chain-walk.ts';
import type { Pause, ReadableFiles, StorageFile } from './files.ts';
import { lastWritten, paddedLength, readGroupHeader } from './group.ts';
import { JournalDamaged } from './journal-fault.ts';
import { openSegment, segmentCapacity } from './segment.ts';
import { segmentWith, surveySegments } from './segment-survey.ts';
import { findBadRecord } from './torn-tail.ts';

/** Some hundred records, which occupy a core for a millisecond or two. The buffer grows with the first longer group. */
const PIECE_BYTES = 128 << 10;

/** Returns whether the group is the last one wanted. The group is valid for the call only. */
export type StopPredicate = (group: ScannedGroup) => boolean;

interface SegmentEnd {
  /** The last wanted group was reached. */
  readonly isLast?: true;
  /** The damage after the last group, unless a group is being written there. */
  readonly unread?: JournalDamaged | undefined;
}

export class JournalFollower {
  readonly #files: ReadableFiles;
  readonly #walk: ChainWalk;
  readonly #why: string;
  #memory = new Uint8Array(PIECE_BYTES);
  /** Where to look for the next group. */
  #segment: number;
  #offset = 0;
  /** The segment that the walk has entered. */
  #entered = 0;

  private constructor(files: ReadableFiles, segment: number, follows: ChainPosition, why: string) {
    this.#files = files;
    this.#walk = new ChainWalk(segment, follows);
    this.#segment = segment;
    this.#why = why;
  }

  /**
   * Starts with the segment that contains what follows a record. `why` goes into the error if an archived segment is needed and
   * missing.
   */
  static async after(files: ReadableFiles, sequence: number, why: string): Promise<JournalFollower> {
    const run = await segmentsAfter(files, sequence, why);
    const begin = sequence === 0 ? undefined : segmentWith(await surveySegments(files, run.segments), sequence);
    return begin === undefined
      ? new JournalFollower(files, run.firstSegment, run.from, why)
      : new JournalFollower(files, begin.segment, begin.follows, why);
  }

  /**
   * Passes on the next groups until the last wanted one. Returns whether that one was found: data after it may be being written.
   * Waits for `pause` after every piece. Throws {@link JournalDamaged} or {@link RecoveryRefused}.
   */
  async readUntil(take: StopPredicate, pause: Pause): Promise<boolean> {
    const { segments } = await segmentsAfter(this.#files, this.#walk.position.sequence, this.#why);
    let unread: JournalDamaged | undefined;
    for (const place of segments) {
      const { segment } = place;
      if (segment < this.#segment) continue;
      if (segment > this.#segment) this.#offset = 0;
      this.#segment = segment;
      const file = await openSegment(this.#files, place);
      try {
        const end = await this.#readSegment(file, take, pause);
        if (end.isLast) return true;
        unread = end.unread;
      } catch (cause) {
        // The next segment does not follow what could be read of the previous one.
        throw cause instanceof JournalDamaged && this.#offset === 0 ? (unread ?? cause) : cause;
      } finally {
        await file.close();
      }
    }
    return false;
  }

  async #readSegment(file: StorageFile, take: StopPredicate, pause: Pause): Promise<SegmentEnd> {
    const capacity = segmentCapacity(await file.size());
    for (;;) {
      const room = this.#memory.subarray(0, Math.max(0, Math.min(this.#memory.length, capacity - this.#offset)));
      const piece = room.subarray(0, await file.read(room, this.#offset));
      if (this.#entered !== this.#segment) this.#walk.enter(this.#segment, piece);
      this.#entered = this.#segment;
      const startOffset = this.#offset;
      if (this.#takePiece(piece, take)) return { isLast: true };
      if (this.#offset === startOffset && !this.#growBuffer(piece, capacity - startOffset))
        return { unread: this.#damageIn(piece) };
      await pause();
    }
  }

  /** No whole group starts the piece. Returns `undefined` if nothing was written there. */
  #damageIn(piece: Uint8Array): JournalDamaged | undefined {
    const end = lastWritten(piece, 0, piece.length) + 1;
    if (end === 0) return undefined;
    const { offset, what, index } = findBadRecord({ bytes: piece, offset: 0, end });
    return this.#walk.damage(this.#segment, this.#offset + offset, what, index);
  }

  /** Takes the whole groups of a piece. Returns whether the last wanted one was among them. */
  #takePiece(piece: Uint8Array, take: StopPredicate): boolean {
    let isLast = false;
    let length = 0;
    for (let at = 0; !isLast; at += length) {
      length = this.#walk.takeGroup(this.#segment, this.#offset, piece, at, (group) => {
        isLast = take(group);
      });
      if (length === 0) return false;
      this.#offset += length;
    }
    return true;
  }

  /** Enlarges the buffer if the next group is longer. Returns whether it did. */
  #growBuffer(piece: Uint8Array, left: number): boolean {
    const header = readGroupHeader(piece, 0);
    const wanted = header === undefined ? 0 : paddedLength(header.byteLength);
    if (wanted <= piece.length || wanted > left) return false;
    this.#memory = new Uint8Array(wanted);
    return true;
  }
}
