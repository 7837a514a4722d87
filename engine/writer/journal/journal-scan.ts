/**
 * Reads the end of the journal from a segment on, and settles it. Cuts off what a power cut left of the one group that was being
 * written; any other damage is an error that names its place.
 */
import type { SegmentRun } from './anchor.ts';
import { type ChainPosition, ChainWalk, type ScannedGroup } from './chain-walk.ts';
import type { Files, ReadableFiles, StorageFile } from './files.ts';
import { ReadMemory } from './files.ts';
import { isBlank, lastWritten, paddedLength } from './group.ts';
import { JournalDamaged } from './journal-fault.ts';
import type { ReadProgress } from './read-progress.ts';
import { listSegments, type SegmentFile, segmentCapacity, segmentName, writeZeros } from './segment.ts';
import { damagedNote, forgetCut, noteCut, type TailCut, unfinishedCut } from './tail-cut.ts';
import type { BadRecord } from './torn-tail.ts';
import { isTorn } from './torn-tail.ts';

export { JournalDamaged };

/** The unfinished group that was cut off the end. It was never acknowledged. */
export interface TornTail {
  readonly segment: string;
  readonly offset: number;
  readonly byteLength: number;
}

/** Where the next group goes, and the place that it follows. */
export interface JournalEnd extends ChainPosition {
  readonly segment: number;
  readonly offset: number;
  readonly tornTail: TornTail | undefined;
}

/** The end that was found; nothing has been changed yet. */
export interface FoundEnd {
  readonly end: JournalEnd;
  /**
   * Cuts the torn tail and writes the last group again before it is relied on: an earlier process may have failed to sync it, and
   * then it is in the system's cache, from which it was just read, but not on the disk.
   */
  settle(files: Files): Promise<void>;
}

/** Passes every group of the segments to `take`, in order. Throws {@link JournalDamaged}. Changes nothing. */
export async function scanJournal(
  files: ReadableFiles,
  { firstSegment, segments, from }: SegmentRun,
  take: (group: ScannedGroup) => void,
  progress?: ReadProgress,
): Promise<FoundEnd> {
  const scan = new Scan(firstSegment, from, (group) => {
    take(group);
    progress?.read(paddedLength(group.header.byteLength));
  });
  // Three buffers: for the segment with the last group, for the one being walked, and for the next one, being read.
  const memories = [new ReadMemory(), new ReadMemory(), new ReadMemory()];
  let [held, walked] = [memories[0], memories[1]];
  let reading = readAhead(files, segments[0], walked!);
  for (const [index, { segment }] of segments.entries()) {
    const bytes = await reading;
    progress?.leaveOut(blankBytes(bytes!));
    const free = memories.find((memory) => memory !== held && memory !== walked)!;
    reading = readAhead(files, segments[index + 1], free);
    scan.segment(segment, bytes!);
    if (scan.lastSegment === segment) held = walked;
    walked = free;
  }
  return { end: scan.end(), settle: (writable) => scan.settle(writable) };
}

/** The length of the unused end of a segment. */
function blankBytes(segment: Uint8Array): number {
  const end = Math.max(0, segmentCapacity(segment.length));
  return segment.length - paddedLength(lastWritten(segment, 0, end) + 1);
}

/** Prevents an unhandled rejection: the read is not awaited if an earlier segment fails. */
function readAhead(files: ReadableFiles, file: SegmentFile | undefined, into: ReadMemory): Promise<Uint8Array | undefined> {
  const reading = file === undefined ? Promise.resolve(undefined) : into.read(files, file.name);
  reading.catch(() => undefined);
  return reading;
}

class Scan {
  readonly #walk: ChainWalk;
  readonly #take: (group: ScannedGroup) => void;
  readonly #firstSegment: number;
  #last: ScannedGroup | undefined;
  #torn: (BadRecord & { readonly segment: number }) | undefined;

  constructor(firstSegment: number, from: ChainPosition, take: (group: ScannedGroup) => void) {
    this.#firstSegment = firstSegment;
    this.#walk = new ChainWalk(firstSegment, from);
    this.#take = take;
  }

  /** The segment with the last group. */
  get lastSegment(): number | undefined {
    return this.#last?.segment;
  }

  segment(segment: number, bytes: Uint8Array): void {
    const torn = this.#torn;
    if (torn !== undefined && !isBlank(bytes, 0, segmentCapacity(bytes.length))) {
      throw this.#walk.damage(torn.segment, torn.offset, 'no whole group, but there is data in later segments');
    }
    const bad = this.#walk.walk(segment, bytes, (group) => {
      this.#last = group;
      this.#take(group);
    });
    if (bad === undefined) return;
    if (!isTorn(bad)) throw this.#walk.damageAt(segment, bad);
    this.#torn = { ...bad, segment };
  }

  async settle(files: Files): Promise<void> {
    await this.#cutTail(files);
    const last = this.#last;
    if (last !== undefined) await changeFile(files, last.segment, (file) => file.write(last.bytes, last.offset));
  }

  /** Cuts the current torn tail, or repeats the cut of an earlier start that may not have reached the disk. */
  async #cutTail(files: Files): Promise<void> {
    const cutNote = await unfinishedCut(files);
    if (cutNote !== undefined) await this.#refuseDamagedNote(files, cutNote);
    const torn = this.#torn;
    const cut = torn ?? cutNote;
    if (cut === undefined) return;
    const isSame = torn !== undefined && cutNote?.segment === torn.segment && cutNote.offset === torn.offset;
    await this.#cut(files, isSame ? { ...torn, end: Math.max(torn.end, cutNote.end) } : cut);
  }

  /** The note has no checksum. Throws unless its range is after the last group, in a segment that exists. */
  async #refuseDamagedNote(files: Files, { segment, offset, end }: TailCut): Promise<void> {
    const last = this.end();
    if (segment < last.segment || (segment === last.segment && offset < last.offset))
      throw damagedNote(`it names byte ${offset} of ${segmentName(segment)}, where groups are`);
    const exists = (await listSegments(files)).some((file) => file.segment === segment);
    const capacity = exists ? await withFile(files, segment, async (file) => segmentCapacity(await file.size())) : 0;
    if (end < offset || end > capacity) throw damagedNote(`it names bytes ${offset} to ${end} of ${segmentName(segment)}`);
  }

  async #cut(files: Files, cut: TailCut): Promise<void> {
    await noteCut(files, cut);
    await changeFile(files, cut.segment, (file) => writeZeros(file, cut.offset, cut.end));
    await forgetCut(files);
  }

  end(): JournalEnd {
    const last = this.#last;
    const torn = this.#torn;
    return {
      ...this.#walk.position,
      segment: last?.segment ?? this.#firstSegment,
      offset: last === undefined ? 0 : last.offset + paddedLength(last.header.byteLength),
      tornTail: torn && { segment: segmentName(torn.segment), offset: torn.offset, byteLength: torn.end - torn.offset },
    };
  }
}

function changeFile(files: Files, segment: number, change: (file: StorageFile) => Promise<void>): Promise<void> {
  return withFile(files, segment, async (file) => {
    await change(file);
    await file.datasync();
  });
}

async function withFile<Result>(files: Files, segment: number, use: (file: StorageFile) => Promise<Result>): Promise<Result> {
  const file = await files.open(segmentName(segment));
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
