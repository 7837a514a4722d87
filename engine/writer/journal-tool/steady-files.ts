/**
 * A journal that a venue may be writing while it is read. The segments that can be in use are read at once, the later bytes
 * before the earlier ones: whatever is seen of a group, those before it are seen whole. All others do not change any more.
 */
import type { ReadableFiles, StorageFile } from '#writer/journal/files.ts';
import { openSegment, type SegmentFile, segmentsAmong } from '#writer/journal/segment.ts';

/** The one that is written, and the next one that was made ready: it may be written by the time it is read. */
const IN_USE = 2;
/** So short that nothing is synced while it is read. */
const CHUNK_BYTES = 16_384;

/** The same files as they are now, to be read alone. */
export async function steadyFiles(files: ReadableFiles): Promise<ReadableFiles> {
  const names = await files.list();
  const live = new Map(segmentsAmong(names).map((segment): [string, SegmentFile] => [segment.name, segment]));
  const held = new Map<string, Uint8Array>();
  for (const { name } of [...live.values()].slice(-IN_USE).reverse()) {
    held.set(name, await readBackwards(files, name));
  }
  return {
    list: async () => names,
    open: async (name) => {
      const bytes = held.get(name);
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
