/**
 * A consistent view of a journal that a venue may be writing. The segments in use are read at once, later bytes before earlier
 * ones: if any part of a group is seen, the groups before it are seen whole. All other segments no longer change.
 */
import type { ReadableFiles, StorageFile } from '#writer/journal/files.ts';
import { openSegment, type SegmentFile, segmentsAmong } from '#writer/journal/segment.ts';

/** The current segment and the prepared next one, which may have become current by the time it is read. */
const IN_USE = 2;
/** Small enough that nothing is synced while it is read. */
const CHUNK_BYTES = 16_384;

/** A read-only view of the files as they are now. */
export async function consistentFiles(files: ReadableFiles): Promise<ReadableFiles> {
  const names = await files.list();
  const live = new Map(segmentsAmong(names).map((segment): [string, SegmentFile] => [segment.name, segment]));
  const cached = new Map<string, Uint8Array>();
  for (const { name } of [...live.values()].slice(-IN_USE).reverse()) {
    cached.set(name, await readBackwards(files, name));
  }
  return {
    list: async () => names,
    open: async (name) => {
      const bytes = cached.get(name);
      if (bytes !== undefined) return fileOf(bytes);
      const listed = live.get(name);
      return listed === undefined ? files.open(name) : openSegment(files, listed);
    },
  };
}

async function readBackwards(files: ReadableFiles, name: string): Promise<Uint8Array> {
  const file = await files.open(name);
  try {
    const bytes = new Uint8Array(await file.size());
    for (let end = bytes.length; end > 0; end -= CHUNK_BYTES) {
      const start = Math.max(0, end - CHUNK_BYTES);
      await file.read(bytes.subarray(start, end), start);
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function fileOf(bytes: Uint8Array): StorageFile {
  const readOnly = () => Promise.reject(new Error('a journal that is inspected is not written'));
  return {
    size: async () => bytes.length,
    read: async (into, position) => {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return part.length;
    },
    write: readOnly,
    datasync: readOnly,
    close: async () => undefined,
  };
}
