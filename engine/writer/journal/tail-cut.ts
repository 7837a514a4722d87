/**
 * A torn tail that is being cut. A note becomes durable before the first zero is written and is removed when all zeros are
 * synced: a failed sync leaves zeros in the system's cache, where a later start would read them and rely on them.
 */
import { ByteReader, ByteWriter, MalformedRecord } from '#venue/record/cursor.ts';
import type { Files } from './files.ts';
import { appear, readWhole } from './files.ts';
import { RecoveryRefused } from './journal-fault.ts';

const NOTE = 'journal.cut';

/** The range to fill with zeros. */
export interface TailCut {
  readonly segment: number;
  readonly offset: number;
  readonly end: number;
}

/** The cut that an earlier start began and did not finish, if any. Throws {@link RecoveryRefused} if the note is damaged. */
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

/** Restarting the machine empties the system's cache: the next start reads the disk and does not need the note. */
export function damagedNote(what: string): RecoveryRefused {
  return new RecoveryRefused(
    `${NOTE}, which says what an earlier start was cutting off the end of the journal, is damaged (${what}): ` +
      `restart the machine, move ${NOTE} away, and start again`,
  );
}

/** Makes the note of this range durable. */
export async function noteCut(files: Files, { segment, offset, end }: TailCut): Promise<void> {
  const bytes = new ByteWriter(64);
  bytes.u32(segment);
  bytes.int(offset);
  bytes.int(end);
  const file = await appear(files, NOTE, (created) => created.write(bytes.written(), 0));
  await file.close();
}

/** Removes the note once the zeros are on the disk. */
export async function forgetCut(files: Files): Promise<void> {
  await files.remove(NOTE);
  await files.syncDirectory();
}
