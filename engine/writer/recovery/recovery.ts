/**
 * Every start is a recovery: it restores the newest valid snapshot, reruns the later commands, and compares the resulting events
 * with those in the journal. Older records are verified meanwhile, in another thread if there is one.
 */

import type { Clock } from '#time/clock.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { IdempotencyIndex, type IdempotencyLimits } from '#writer/idempotency/idempotency-index.ts';
import { KeysInOrder } from '#writer/idempotency/keys-in-order.ts';
import { type SegmentRun, segmentsAfter } from '#writer/journal/anchor.ts';
import type { ChainPosition } from '#writer/journal/chain-walk.ts';
import type { Files, ReadableFiles } from '#writer/journal/files.ts';
import { removeUnfinished } from '#writer/journal/files.ts';
import { hex, isOlderGroup, SECTOR_BYTES } from '#writer/journal/group.ts';
import { JournalDamaged, RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { type FoundEnd, type JournalEnd, scanJournal, type TornTail } from '#writer/journal/journal-scan.ts';
import { CLOCK_TOLERANCE_MS } from '#writer/journal/journal-time.ts';
import { type OnRead, ReadProgress } from '#writer/journal/read-progress.ts';
import { listSegments } from '#writer/journal/segment.ts';
import { segmentWith, surveySegments } from '#writer/journal/segment-survey.ts';
import { FollowerJournalMismatch, type FollowerPosition } from '#writer/port/follower-position.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { GroupListener } from '#writer/port/submit.ts';
import type { Snapshot } from '#writer/snapshot/snapshot-store.ts';
import { mayHaveStatesOfOtherRules, newestSnapshot } from '#writer/snapshot/snapshot-store.ts';
import { remedyForSnapshot, writtenByOlderVersion } from './older-rules.ts';
import type { OlderPart, OlderRequest, ReadOlder } from './older-segments.ts';
import { Replay } from './replay.ts';

export { FollowerJournalMismatch, type FollowerPosition, RecoveryRefused };

export interface RecoveryParts<State extends StateMachine = StateMachine> {
  readonly files: Files;
  readonly clock: Clock;
  readonly rules: StateMachineRules<State>;
  readonly limits: IdempotencyLimits;
  readonly readOlder: ReadOlder;
  readonly follow: GroupListener;
  readonly followFrom: FollowerPosition;
  readonly onRead?: OnRead | undefined;
}

/** What a start found and did, to show to people. */
export interface RecoveryReport {
  readonly sequence: Sequence;
  readonly chainDigest: string;
  /** The last record in the snapshot that the start used; 0 without one. */
  readonly snapshotSequence: number;
  readonly damagedSnapshots: readonly string[];
  /** How many commands were rerun. */
  readonly rerunCount: number;
  /** How many records were passed to the subscribers. */
  readonly republishedCount: number;
  /** The group that was being written at a power cut and was cut off. It was never acknowledged. */
  readonly tornTail: TornTail | undefined;
  /**
   * By how much the clock is behind the last record if that exceeds the usual corrections of clocks; else 0. The journal's time
   * continues from its last record.
   */
  readonly clockBehindMs: number;
}

export interface RecoveredWriter<State extends StateMachine> {
  readonly state: State;
  readonly index: IdempotencyIndex;
  readonly epochMs: EpochMs;
  readonly end: JournalEnd;
  readonly report: RecoveryReport;
}

/** Throws {@link JournalDamaged}, {@link RecoveryRefused} or {@link FollowerJournalMismatch}. */
export async function recover<State extends StateMachine>(parts: RecoveryParts<State>): Promise<RecoveredWriter<State>> {
  const { files, rules, follow, followFrom } = parts;
  const { snapshot, damaged } = await newestSnapshot(files);
  if (snapshot !== undefined) refuseOtherRules(snapshot, rules);
  const { tail, older } = await divided(parts, snapshot);
  const progress = await ReadProgress.of(files, [...(older?.segments ?? []), ...tail.segments], parts.onRead);
  // Another thread reads it while this one restores the state.
  const olderRead = older && Promise.allSettled([parts.readOlder(older, (bytes) => progress?.read(bytes))]);
  const state = await concurrently(olderRead, () => (snapshot === undefined ? rules.fresh() : restoredState(rules, snapshot)));
  const keys = new KeysInOrder();
  const replay = new Replay({ state, rules, snapshot, keys, follow, followFrom });
  const { found, index } = await readJournal(parts, tail, olderRead, replay, keys, progress);
  const { end } = found;
  refuseMissing(end.sequence, snapshot?.sequence, 'a snapshot was taken');
  refuseMissing(end.sequence, followFrom.sequence, 'the projections have folded records up');
  replay.checkEnd();
  await removeUnfinished(files);
  await found.settle(files);
  const epochMs = replay.finish();
  const behindMs = epochMs - parts.clock.now();
  const report = {
    sequence: end.sequence,
    chainDigest: hex(end.digest),
    snapshotSequence: snapshot?.sequence ?? 0,
    damagedSnapshots: damaged,
    rerunCount: replay.rerunCount,
    republishedCount: replay.republishedCount,
    tornTail: end.tornTail,
    clockBehindMs: behindMs > CLOCK_TOLERANCE_MS ? behindMs : 0,
  };
  return { state, index, epochMs, end, report };
}

/**
 * Throws {@link RecoveryRefused} if the newest snapshot or the first bytes of the journal are of another version. Call it before
 * opening anything else that another version may have written. Changes nothing.
 */
export async function refuseOtherVersions(files: ReadableFiles, rules: StateMachineRules): Promise<void> {
  if (await mayHaveStatesOfOtherRules(files, rules.rulesVersion)) {
    const { snapshot } = await newestSnapshot(files);
    if (snapshot !== undefined) refuseOtherRules(snapshot, rules);
  }
  const [first] = await listSegments(files);
  if (first === undefined) return;
  const file = await files.open(first.name);
  try {
    const bytes = new Uint8Array(SECTOR_BYTES);
    await file.read(bytes, 0);
    if (isOlderGroup(bytes, 0)) throw writtenByOlderVersion(first.segment);
  } finally {
    await file.close();
  }
}

/** Splits the journal into the segments to rerun or publish, and the earlier ones, which are only verified. */
async function divided(
  { files, limits, followFrom }: RecoveryParts,
  snapshot: Snapshot | undefined,
): Promise<{ readonly tail: SegmentRun; readonly older: OlderRequest | undefined }> {
  const after = Math.min(snapshot?.sequence ?? 0, followFrom.sequence);
  const run = await segmentsAfter(files, after, reasonAfter(after, snapshot));
  const begin = segmentWith(await surveySegments(files, run.segments), after);
  const segments = run.segments.filter(({ segment }) => begin !== undefined && segment < begin.segment);
  if (begin === undefined || segments.length === 0) return { tail: run, older: undefined };
  const upTo = begin.segment;
  const keysSinceEpochMs = (begin.firstEpochMs ?? 0) - limits.retentionMs;
  return {
    tail: { firstSegment: upTo, segments: run.segments.slice(segments.length), from: begin.follows },
    older: { ...run, segments, upTo, keysSinceEpochMs, limits },
  };
}

type OlderRead = Promise<[PromiseSettledResult<OlderPart>]>;

/** After a failure, waits for the other thread to end. */
async function concurrently<Result>(olderRead: OlderRead | undefined, work: () => Result): Promise<Result> {
  try {
    return work();
  } catch (cause) {
    await olderRead;
    throw cause;
  }
}

/** Reads all of it and changes nothing. Throws the first damage in the order of the journal. */
async function readJournal(
  { files, limits }: RecoveryParts,
  tail: SegmentRun,
  olderRead: OlderRead | undefined,
  replay: Replay,
  keys: KeysInOrder,
  progress: ReadProgress | undefined,
): Promise<{ readonly found: FoundEnd; readonly index: IdempotencyIndex }> {
  replay.begin(tail.from);
  const scan = () => scanJournal(files, tail, (group) => replay.take(group), progress);
  if (olderRead === undefined) {
    const index = new IdempotencyIndex(limits);
    keys.join(index);
    const scanned = Promise.withResolvers<FoundEnd>();
    await index.load(async () => scanned.resolve(await scan()));
    return { found: await scanned.promise, index };
  }
  const [scanned] = await Promise.allSettled([scan()]);
  const [read] = await olderRead;
  const { end, index } = settledValue(read);
  if (!isSamePlace(end, tail.from)) {
    const what = 'it does not follow the group before it: groups are missing or out of place';
    throw JournalDamaged.at(tail.firstSegment, 0, end.sequence + 1, what);
  }
  const found = settledValue(scanned);
  keys.join(index);
  return { found, index };
}

function reasonAfter(sequence: number, snapshot: Snapshot | undefined): string {
  if (sequence > 0) return `the projections have folded records up to ${sequence} only`;
  return snapshot === undefined ? 'there is no snapshot that is whole' : 'the projections are rebuilt from the start';
}

function settledValue<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function isSamePlace(left: ChainPosition, right: ChainPosition): boolean {
  return left.sequence === right.sequence && Buffer.compare(left.digest, right.digest) === 0;
}

function refuseMissing(sequence: number, known = 0, what: string): void {
  if (known > sequence) {
    throw new RecoveryRefused(
      `the journal ends with record ${sequence}, but ${what} to record ${known}: records are missing. Put the missing segments back from a backup`,
    );
  }
}

function refuseOtherRules({ sequence, rulesVersion }: Snapshot, rules: StateMachineRules): void {
  if (rulesVersion === rules.rulesVersion) return;
  const origin = `the snapshot after record ${sequence} was made by version ${rulesVersion} of the rules`;
  throw new RecoveryRefused(`${origin}, and this is version ${rules.rulesVersion}: ${remedyForSnapshot(rulesVersion, rules)}`);
}

/** Throws {@link RecoveryRefused} if these rules cannot read the state. */
export function restoredState<State extends StateMachine>(rules: StateMachineRules<State>, snapshot: Snapshot): State {
  try {
    return rules.restore(snapshot.state);
  } catch (cause) {
    const origin = `the snapshot after record ${snapshot.sequence}, made by version ${snapshot.rulesVersion} of the rules`;
    throw new RecoveryRefused(`${origin}, cannot be restored by version ${rules.rulesVersion} (${String(cause)})`, { cause });
  }
}
