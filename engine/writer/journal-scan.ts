/**
 * Reads the whole journal in order and settles its end. Every group's digest and its link in the chain are checked. What
 * a power cut can leave of the one group that was being written is cut off; any other damage is an error that says where.
 */
import type { Sequence } from '#units/ids.ts';
import type { Files, StorageFile } from './files.ts';
import { readWhole } from './files.ts';
import type { StoredGroup } from './group.ts';
import { CHAIN_START, isBlank, lastWritten, paddedLength, readGroup, readGroupHeader, SECTOR_BYTES } from './group.ts';
import { listSegments, segmentName, writeZeros } from './segment.ts';
import type { BadPlace } from './torn-tail.ts';
import { findBadRecord, isTorn } from './torn-tail.ts';

/** The journal is not what was written: nothing is started on it and nothing in it is changed. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  /** The file, the place in it, and the record that is at fault, where there is one. */
  readonly place: { readonly segment: string; readonly offset: number; readonly sequence: number | undefined };

  constructor(segment: number, offset: number, sequence: number | undefined, what: string) {
    const record = sequence === undefined ? '' : `, record ${sequence}`;
    super(`the journal is damaged in ${segmentName(segment)} at byte ${offset}${record}: ${what}`);
    this.place = { segment: segmentName(segment), offset, sequence };
  }
}

/** A group and where it lies. */
export interface ScannedGroup extends StoredGroup {
  readonly segment: number;
  readonly offset: number;
  readonly lastSequence: Sequence;
}

/** The unfinished group that was cut off the end: it was never acknowledged. */
export interface TornTail {
  readonly segment: string;
  readonly offset: number;
  readonly byteLength: number;
}

/** Where the next group goes, and what it follows. */
export interface JournalEnd {
  readonly groupNumber: number;
  readonly sequence: Sequence;
  readonly digest: Uint8Array;
  readonly segment: number;
  readonly offset: number;
  readonly tornTail: TornTail | undefined;
}

/**
 * Hands every group to `take`, in order, the last one when the journal's end is settled: whoever hears of a group may
 * rely on it. Throws {@link JournalDamaged}.
 */
export async function scanJournal(files: Files, take: (group: ScannedGroup) => void): Promise<JournalEnd> {
  const scan = new Scan(take);
  const segments = await listSegments(files);
  for (const [index, segment] of segments.entries()) {
    if (segment !== index + 1) throw new JournalDamaged(index + 1, 0, scan.sequence + 1, 'the segment is missing');
    scan.segment(segment, await readWhole(files, segmentName(segment)));
  }
  await scan.settle(files);
  return scan.end();
}

class Scan {
  readonly #take: (group: ScannedGroup) => void;
  /** The last group found, kept back until it is known whether it is the journal's last. */
  #held: ScannedGroup | undefined;
  #torn: (BadPlace & { readonly segment: number }) | undefined;
  sequence = 0 as Sequence;

  constructor(take: (group: ScannedGroup) => void) {
    this.#take = take;
  }

  segment(segment: number, bytes: Uint8Array): void {
    let offset = 0;
    while (offset < bytes.length && !isBlank(bytes, offset, offset + SECTOR_BYTES)) {
      const group = this.#torn === undefined ? this.#groupAt(segment, bytes, offset) : undefined;
      if (group === undefined) break;
      this.#found(group);
      offset += paddedLength(group.header.byteLength);
    }
    if (bytes.length % SECTOR_BYTES !== 0) throw this.#cut(segment, bytes, offset);
    const end = lastWritten(bytes, offset, bytes.length) + 1;
    if (end > 0) this.#bad({ segment, bytes, offset, end });
  }

  #groupAt(segment: number, bytes: Uint8Array, offset: number): ScannedGroup | undefined {
    const header = readGroupHeader(bytes, offset);
    const group = header && readGroup(bytes, offset, header);
    if (group === undefined) return undefined;
    if (Buffer.compare(group.header.previousDigest, this.#held?.digest ?? CHAIN_START) !== 0) {
      throw this.#damage(segment, offset, 'it does not follow the group before it: groups are missing or out of place');
    }
    const lastSequence = (group.header.firstSequence + group.header.recordCount - 1) as Sequence;
    return { ...group, segment, offset, lastSequence };
  }

  #found(group: ScannedGroup): void {
    if (this.#held !== undefined) this.#take(this.#held);
    this.#held = group;
    this.sequence = group.lastSequence;
  }

  /** No group where one could be. Only a torn tail is let pass, and nothing may come after that. */
  #bad(place: BadPlace & { readonly segment: number }): void {
    if (this.#torn !== undefined) {
      throw this.#damage(this.#torn.segment, this.#torn.offset, 'no whole group, but there is data in later segments');
    }
    if (!isTorn(place)) {
      const bad = findBadRecord(place);
      throw this.#damage(place.segment, bad.offset, bad.what, bad.index);
    }
    this.#torn = place;
  }

  /** Segments are whole sectors. `offset` is where the whole groups end: what comes first after that is named. */
  #cut(segment: number, bytes: Uint8Array, offset: number): JournalDamaged {
    const what = `the file ends within a sector, at byte ${bytes.length}`;
    if (readGroupHeader(bytes, offset) === undefined) return this.#damage(segment, offset, what);
    const bad = findBadRecord({ bytes, offset, end: bytes.length });
    return this.#damage(segment, bad.offset, what, bad.index);
  }

  #damage(segment: number, offset: number, what: string, index = 0): JournalDamaged {
    return new JournalDamaged(segment, offset, this.sequence + 1 + index, what);
  }

  /**
   * Cuts the torn tail, and writes the last group once more before anyone hears of it: an earlier process may have
   * failed to sync it, and then it is in the system's cache, where it was read just now, but not on the disk.
   */
  async settle(files: Files): Promise<void> {
    if (this.#torn !== undefined) {
      const { segment, offset, end } = this.#torn;
      await withFile(files, segment, (file) => writeZeros(file, offset, end));
    }
    const last = this.#held;
    if (last === undefined) return;
    await withFile(files, last.segment, (file) => file.write(last.bytes, last.offset));
    this.#take(last);
  }

  end(): JournalEnd {
    const last = this.#held;
    const torn = this.#torn;
    return {
      groupNumber: last?.header.number ?? 0,
      sequence: this.sequence,
      digest: last?.digest ?? CHAIN_START,
      segment: last?.segment ?? 1,
      offset: last === undefined ? 0 : last.offset + paddedLength(last.header.byteLength),
      tornTail: torn && { segment: segmentName(torn.segment), offset: torn.offset, byteLength: torn.end - torn.offset },
    };
  }
}

async function withFile(files: Files, segment: number, change: (file: StorageFile) => Promise<void>): Promise<void> {
  const file = await files.open(segmentName(segment));
  try {
    await change(file);
    await file.datasync();
  } finally {
    await file.close();
  }
}
