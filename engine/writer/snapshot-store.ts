/**
 * Saved states. A snapshot only shortens a start: it names the record it was taken after and the chain's digest there, it
 * appears whole or not at all, and one that does not check out is passed over for an older one or for the whole journal.
 */
import type { Sequence } from '#units/ids.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import type { Files } from './files.ts';
import { appear, readWhole } from './files.ts';
import { sha256 } from './group.ts';
import { DIGEST_BYTES } from './record.ts';

export interface Snapshot {
  /** The last record that the state has taken; a commit group ends with it. */
  readonly sequence: Sequence;
  /** The rules that made the state. */
  readonly rulesVersion: number;
  readonly chainDigest: Uint8Array;
  readonly state: Uint8Array;
}

const NAME = /^snapshot-([0-9]{16})\.state$/;
const MAGIC = Uint8Array.from([0xff, 0x4f, 0x50, 0x53, 0x4e, 0x41, 0x50, 0x31]);
/** The newest, and one to fall back to. */
const KEPT = 2;

/** Makes the snapshot durable, then drops all but the newest ones. */
export async function saveSnapshot(files: Files, snapshot: Snapshot): Promise<void> {
  const file = await appear(files, snapshotName(snapshot.sequence), (made) => made.write(encode(snapshot), 0));
  await file.close();
  for (const sequence of (await listSnapshots(files)).slice(KEPT)) await files.remove(snapshotName(sequence));
}

/** The newest snapshot that is as it was written, and the names of newer ones that are not. */
export async function newestSnapshot(files: Files): Promise<{ snapshot: Snapshot | undefined; damaged: readonly string[] }> {
  const damaged: string[] = [];
  for (const sequence of await listSnapshots(files)) {
    const snapshot = decode(await readWhole(files, snapshotName(sequence)));
    if (snapshot?.sequence === sequence) return { snapshot, damaged };
    damaged.push(snapshotName(sequence));
  }
  return { snapshot: undefined, damaged };
}

function snapshotName(sequence: number): string {
  return `snapshot-${String(sequence).padStart(16, '0')}.state`;
}

/** Newest first. */
async function listSnapshots(files: Files): Promise<readonly number[]> {
  const sequences = (await files.list()).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  return sequences.sort((left, right) => right - left);
}

function encode(snapshot: Snapshot): Uint8Array {
  const bytes = new ByteWriter(snapshot.state.length + 128);
  bytes.bytes(MAGIC);
  bytes.int(snapshot.sequence);
  bytes.u32(snapshot.rulesVersion);
  bytes.bytes(snapshot.chainDigest);
  bytes.int(snapshot.state.length);
  bytes.bytes(snapshot.state);
  bytes.bytes(sha256(bytes.written()));
  return bytes.written();
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
