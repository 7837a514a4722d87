/**
 * The anchor says where the live journal starts after older segments were archived. It distinguishes a journal whose first
 * segments were archived from one whose first segments are missing. It is durable before the first segment is moved.
 */
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { CHAIN_START_POSITION, type ChainPosition } from './chain-walk.ts';
import type { Files, ReadableFiles } from './files.ts';
import { appear, readWhole } from './files.ts';
import { sha256 } from './group.ts';
import { RecoveryRefused } from './journal-fault.ts';
import { DIGEST_BYTES } from './record.ts';
import { archivedName, type SegmentFile, segmentName, segmentsAmong } from './segment.ts';

export interface Anchor {
  /** The first live segment. */
  readonly segment: number;
  /** The place that its first group follows. */
  readonly follows: ChainPosition;
}

/** Consecutive segments, and the place that their first group follows. */
export interface SegmentRun {
  readonly firstSegment: number;
  readonly segments: readonly SegmentFile[];
  readonly from: ChainPosition;
}

const ANCHOR_FILE = 'journal.anchor';
const MAGIC = Uint8Array.from([0xff, 0x4f, 0x50, 0x41, 0x4e, 0x43, 0x48, 0x31]);
const NO_FILE: ReadonlySet<string | undefined> = new Set(['EISDIR', 'EFTYPE', 'ELOOP', 'ENXIO']);
const WITHOUT_IT =
  `put the segments from archive/ back beside the others, move ${ANCHOR_FILE} away, and start again: ` +
  'the journal is then read from its first record';

/** Makes the anchor durable, replacing an earlier one. */
export async function saveAnchor(files: Files, { segment, follows }: Anchor): Promise<void> {
  const bytes = new ByteWriter(256);
  bytes.bytes(MAGIC);
  bytes.u32(segment);
  bytes.int(follows.groupNumber);
  bytes.int(follows.sequence);
  bytes.bytes(follows.digest);
  bytes.bytes(sha256(bytes.written()));
  const file = await appear(files, ANCHOR_FILE, (created) => created.write(bytes.written(), 0));
  await file.close();
}

/** Returns `undefined` if there is no anchor. Throws {@link RecoveryRefused} if it is damaged. */
export async function readAnchor(files: ReadableFiles): Promise<Anchor | undefined> {
  if (!(await files.list()).includes(ANCHOR_FILE)) return undefined;
  const file = await readWhole(files, ANCHOR_FILE).catch(undefinedIfMissing);
  const covered = file.subarray(0, -DIGEST_BYTES);
  const isValid = Buffer.compare(sha256(covered), file.subarray(covered.length)) === 0;
  if (!isValid || Buffer.compare(covered.subarray(0, MAGIC.length), MAGIC) !== 0) {
    throw new RecoveryRefused(`${ANCHOR_FILE}, which says where the journal begins, is damaged: ${WITHOUT_IT}`);
  }
  const bytes = new ByteReader(covered.subarray(MAGIC.length));
  const segment = bytes.u32();
  return { segment, follows: { groupNumber: bytes.int(), sequence: bytes.int(), digest: bytes.bytes(DIGEST_BYTES) } };
}

/** Reads a directory, pipe or socket as an empty file, which is a damaged anchor. Rethrows any other error. */
function undefinedIfMissing(cause: unknown): Buffer {
  if (!NO_FILE.has((cause as NodeJS.ErrnoException).code)) throw cause;
  return Buffer.alloc(0);
}

/**
 * The segments that contain everything after a record: the live ones, and the archived ones if the live ones start later. Throws
 * {@link RecoveryRefused} if an archived one is needed (`why` says for what) and missing.
 */
export async function segmentsAfter(files: ReadableFiles, sequence: number, why: string): Promise<SegmentRun> {
  // The order matters: the anchor is durable before a segment is moved, so the list has all segments from the anchor on.
  const names = await files.list();
  const anchor = await readAnchor(files);
  const live = segmentsAmong(names);
  if (anchor === undefined) return { firstSegment: 1, segments: live, from: CHAIN_START_POSITION };
  const inUse = live.filter(({ segment }) => segment >= anchor.segment);
  if (sequence >= anchor.follows.sequence) return { firstSegment: anchor.segment, segments: inUse, from: anchor.follows };
  // If archiving was interrupted, some older segments still lie among the live ones.
  const older = [...segmentsAmong(names, 'archived'), ...live.filter(({ segment }) => segment < anchor.segment)];
  const byNumber = new Map(older.map((place) => [place.segment, place]));
  for (let segment = 1; segment < anchor.segment; segment += 1) {
    if (byNumber.has(segment)) continue;
    throw new RecoveryRefused(
      `${why}, but the journal in use begins after record ${anchor.follows.sequence}, and ${segmentName(segment)} is not in ` +
        `the archive either: put it back as ${archivedName(segment)}, and start again`,
    );
  }
  const archived = [...byNumber.values()].sort((left, right) => left.segment - right.segment);
  return { firstSegment: 1, segments: [...archived, ...inUse], from: CHAIN_START_POSITION };
}
