/**
 * The digest of a record as the journal has it: SHA-256 of the record's bytes, found by its sequence. Reads the segment of the record up
 * to it, verified and in pieces; one lookup at a time, and the newest results are kept, because a record never changes.
 */
import { type Timers, yieldToEventLoop } from '#time/timers.ts';
import type { ReadableFiles } from './files.ts';
import { hex, recordsOf, sha256 } from './group.ts';
import { RecoveryRefused } from './journal-fault.ts';
import { JournalFollower } from './journal-follower.ts';
import { validRecordLength } from './record.ts';
import type { StoredGroup } from './stored-group.ts';

const MAX_KEPT = 1_000;
const WHY = 'the bytes of a record are read';

export class RecordDigests {
  readonly #files: ReadableFiles;
  readonly #timers: Timers;
  /** By sequence, least recently read first. */
  readonly #kept = new Map<number, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: ReadableFiles, timers: Timers) {
    this.#files = files;
    this.#timers = timers;
  }

  /** In hex; `undefined` if the segment of the record is not in the directory any more. Rejects with `JournalDamaged`. */
  of(sequence: number): Promise<string | undefined> {
    const kept = this.#kept.get(sequence);
    if (kept !== undefined) return Promise.resolve(this.#keep(sequence, kept));
    const found = this.#last.then(async () => this.#kept.get(sequence) ?? this.#keep(sequence, await this.#read(sequence)));
    const present = found.catch((cause: unknown) => {
      if (cause instanceof RecoveryRefused) return undefined;
      throw cause;
    });
    this.#last = present.catch(() => undefined);
    return present;
  }

  async #read(sequence: number): Promise<string> {
    const follower = await JournalFollower.after(this.#files, sequence - 1, WHY);
    let digest: string | undefined;
    await follower.readUntil(
      (group) => {
        if (group.lastSequence >= sequence) digest = digestIn(group, sequence);
        return digest !== undefined;
      },
      () => yieldToEventLoop(this.#timers),
    );
    if (digest === undefined) throw new Error(`the journal has no record ${sequence}`);
    return digest;
  }

  #keep(sequence: number, digest: string): string {
    this.#kept.delete(sequence);
    this.#kept.set(sequence, digest);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest!);
    return digest;
  }
}

/** `undefined` if the group does not have the record. */
function digestIn(group: StoredGroup, sequence: number): string | undefined {
  for (const { record, offset } of recordsOf(group)) if (record.sequence === sequence) return recordDigest(group, offset);
  return undefined;
}

/** SHA-256 of the bytes of the record that starts at the offset in the group, in hex. */
export function recordDigest({ bytes }: Pick<StoredGroup, 'bytes'>, offset: number): string {
  return hex(sha256(bytes.subarray(offset, offset + validRecordLength(bytes, offset, bytes.length)!)));
}
