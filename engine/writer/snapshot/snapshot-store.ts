/**
 * Saved states. A snapshot only shortens a start: it names the record it was taken after and the chain digest there. It appears
 * whole or not at all; an invalid one is skipped for an older one or for the whole journal. The state that new rules started with
 * is never deleted: earlier records cannot be rerun.
 */
import { createHash } from 'node:crypto';
import type { Sequence } from '#units/ids.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import type { Files, Pause, ReadableFiles, StorageFile } from '#writer/journal/files.ts';
import { appear, readWhole } from '#writer/journal/files.ts';
import { sha256 } from '#writer/journal/group.ts';
import { DIGEST_BYTES } from '#writer/journal/record.ts';

export interface Snapshot {
  /** The last record applied to the state; it ends a commit group. */
  readonly sequence: Sequence;
  /** The rules that produced the state. */
  readonly rulesVersion: number;
  readonly chainDigest: Uint8Array;
  readonly state: Uint8Array;
}

const NAME = /^(snapshot|boundary)-([0-9]{16})\.state$/;
const MAGIC = Uint8Array.from([0xff, 0x4f, 0x50, 0x53, 0x4e, 0x41, 0x50, 0x31]);
/** The newest, and one to fall back to. */
const RETAINED = 2;
const PIECE_BYTES = 128 << 10;
/** The magic, the last record, and the rules. */
const HEAD_BYTES = MAGIC.length + 8 + 4;

export interface SnapshotFile {
  readonly name: string;
  readonly sequence: number;
  /** The state that new rules started with. */
  readonly isBoundary: boolean;
}

/** Makes the snapshot durable, then drops all but the newest ones. Awaits `pause`, if given, after every piece. */
export async function saveSnapshot(files: Files, snapshot: Snapshot, pause?: Pause): Promise<void> {
  await save(files, stateName('snapshot', snapshot.sequence), snapshot, pause);
  const known = (await listSnapshots(files)).filter(({ isBoundary }) => !isBoundary);
  for (const { name } of known.slice(RETAINED)) await files.remove(name);
}

/** Makes the state that new rules start with durable. */
export function saveBoundaryState(files: Files, snapshot: Snapshot): Promise<void> {
  return save(files, stateName('boundary', snapshot.sequence), snapshot);
}

/** The newest valid snapshot, and the names of newer damaged ones. */
export async function newestSnapshot(
  files: ReadableFiles,
): Promise<{ readonly snapshot: Snapshot | undefined; readonly damaged: readonly string[] }> {
  const damaged: string[] = [];
  for (const file of await listSnapshots(files)) {
    const snapshot = await readSnapshot(files, file);
    if (snapshot !== undefined) return { snapshot, damaged };
    damaged.push(file.name);
  }
  return { snapshot: undefined, damaged };
}

/**
 * Whether the head of any state names other rules or cannot be read. The rest, which may be large, is not read: only `false` is
 * certain.
 */
export async function mayHaveStatesOfOtherRules(files: ReadableFiles, rulesVersion: number): Promise<boolean> {
  for (const file of await listSnapshots(files)) if ((await rulesInHead(files, file)) !== rulesVersion) return true;
  return false;
}

async function rulesInHead(files: ReadableFiles, { name }: SnapshotFile): Promise<number | undefined> {
  const file = await files.open(name);
  try {
    const head = new Uint8Array(HEAD_BYTES);
    if ((await file.read(head, 0)) < HEAD_BYTES) return undefined;
    return new DataView(head.buffer).getUint32(HEAD_BYTES - 4, true);
  } catch (cause) {
    return unlessSectorError(cause);
  } finally {
    await file.close();
  }
}

/** An unreadable sector is permanent: that is damage. Rethrows any other error. */
function unlessSectorError(cause: unknown): undefined {
  if ((cause as NodeJS.ErrnoException).code !== 'EIO') throw cause;
  return undefined;
}

/** Newest first; of the same record, the one that new rules started with first. */
export async function listSnapshots(files: Pick<ReadableFiles, 'list'>): Promise<readonly SnapshotFile[]> {
  const found = (await files.list()).flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ name, sequence: Number(match[2]), isBoundary: match[1] === 'boundary' }];
  });
  return found.sort((left, right) => right.sequence - left.sequence || Number(right.isBoundary) - Number(left.isBoundary));
}

/** `undefined` if it is damaged or a sector of it cannot be read. */
export async function readSnapshot(
  files: Pick<ReadableFiles, 'open'>,
  { name, sequence }: SnapshotFile,
): Promise<Snapshot | undefined> {
  const bytes = await readWhole(files, name).catch(unlessSectorError);
  const snapshot = bytes && decode(bytes);
  return snapshot?.sequence === sequence ? snapshot : undefined;
}

async function save(files: Files, name: string, snapshot: Snapshot, pause?: Pause): Promise<void> {
  const file = await appear(files, name, (created) => writeInPieces(created, encode(snapshot), pause));
  await file.close();
}

function stateName(kind: 'snapshot' | 'boundary', sequence: number): string {
  return `${kind}-${String(sequence).padStart(16, '0')}.state`;
}

/** The parts of the file's content, in order. */
function encode(snapshot: Snapshot): readonly Uint8Array[] {
  const bytes = new ByteWriter(128);
  bytes.bytes(MAGIC);
  bytes.int(snapshot.sequence);
  bytes.u32(snapshot.rulesVersion);
  bytes.bytes(snapshot.chainDigest);
  bytes.int(snapshot.state.length);
  const head = bytes.written();
  return [head, snapshot.state, createHash('sha256').update(head).update(snapshot.state).digest()];
}

/** If each write goes through to the disk, a concurrent commit waits for one piece, not for all. */
async function writeInPieces(file: StorageFile, parts: readonly Uint8Array[], pause?: Pause): Promise<void> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const piece = new Uint8Array(Math.min(PIECE_BYTES, length));
  let [position, filled] = [0, 0];
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + piece.length - filled);
      piece.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < Math.min(piece.length, length - position)) continue;
      await file.write(piece.subarray(0, filled), position);
      position += filled;
      filled = 0;
      if (position < length) await pause?.();
    }
  }
}

function decode(file: Uint8Array): Snapshot | undefined {
  const covered = file.subarray(0, -DIGEST_BYTES);
  if (Buffer.compare(sha256(covered), file.subarray(covered.length)) !== 0) return undefined;
  const bytes = new ByteReader(covered);
  if (Buffer.compare(bytes.bytes(MAGIC.length), MAGIC) !== 0) return undefined;
  return {
    sequence: bytes.int(),
    rulesVersion: bytes.u32(),
    chainDigest: bytes.bytes(DIGEST_BYTES),
    state: bytes.bytes(bytes.int()),
  };
}
