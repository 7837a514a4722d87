/**
 * A torn tail that is being cut. It is noted durably before the first zero is written and forgotten when all of them are
 * synced: a sync that fails leaves zeros in the system's cache, where a later start would read them and rely on them.
 */
import { ByteReader, ByteWriter, MalformedRecord } from '#venue/record/cursor.ts';
import type { Files } from './files.ts';
import { appear, readWhole } from './files.ts';
import { RecoveryRefused } from './journal-fault.ts';

const NOTE = 'journal.cut';

/** From where to where zeros belong. */
export interface TailCut {
  readonly segment: number;
  readonly offset: number;
  readonly end: number;
}

/** The cut that an earlier start has begun and not finished, if so. Throws {@link RecoveryRefused} where the note is damaged. */
export async function unfinishedCut(files: Files): Promise<TailCut | undefined> {
  if (!(await files.list()).includes(NOTE)) return undefined;
  const bytes = new ByteReader(await readWhole(files, NOTE));
  try {
    return { segment: bytes.u32(), offset: bytes.int(), end: bytes.int() };
  } catch (cause) {
    if (!(cause instanceof MalformedRecord)) throw cause;
    throw damagedNote('it is too short');
  }
}

/** A restart of the machine empties the system's cache: the next start reads what is on the disk, and does not need the note. */
export function damagedNote(what: string): RecoveryRefused {
  return new RecoveryRefused(
    `${NOTE}, which says what an earlier start was cutting off the end of the journal, is damaged (${what}): ` +
      `restart the machine, move ${NOTE} away, and start again`,
  );
}

/** Makes it durable that this range is being cut. */
export async function noteCut(files: Files, { segment, offset, end }: TailCut): Promise<void> {
  const bytes = new ByteWriter(64);
  bytes.u32(segment);
  bytes.int(offset);
  bytes.int(end);
  const file = await appear(files, NOTE, (made) => made.write(bytes.written(), 0));
  await file.close();
}

/** The zeros are on the disk. */
export async function forgetCut(files: Files): Promise<void> {
  await files.remove(NOTE);
  await files.syncDirectory();
}
