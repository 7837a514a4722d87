/** Reads the saved states beside a journal while a venue may be running, which removes older ones as it saves new ones. */
import type { ReadableFiles } from '#writer/journal/files.ts';
import { readSnapshot, type Snapshot, type SnapshotFile } from '#writer/snapshot/snapshot-store.ts';

/** `damaged`: the file is invalid. `dropped`: it was listed, but has been removed since. */
export async function readSavedState(files: ReadableFiles, file: SnapshotFile): Promise<Snapshot | 'damaged' | 'dropped'> {
  try {
    return (await readSnapshot(files, file)) ?? 'damaged';
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    return 'dropped';
  }
}
