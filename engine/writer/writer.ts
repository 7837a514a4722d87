/**
 * The writer as its host sees it: open, submit, close. Opening is recovery, whether the last process was stopped, was killed, or
 * lost its power.
 */

import type { Clock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { IdempotencyLimits } from './idempotency/idempotency-index.ts';
import { IDEMPOTENCY_LIMITS } from './idempotency/idempotency-index.ts';
import { REFUSAL_LIMITS } from './idempotency/refusal-budget.ts';
import type { Files } from './journal/files.ts';
import { hex } from './journal/group.ts';
import { Journal } from './journal/journal.ts';
import { JournalTime } from './journal/journal-time.ts';
import type { OnRead } from './journal/read-progress.ts';
import { RecordDigests } from './journal/record-digests.ts';
import { SegmentArchive } from './journal/segment-archive.ts';
import type { Halt } from './port/halt.ts';
import type { StateMachine, StateMachineRules } from './port/state-machine.ts';
import type { FindOutcome, GroupListener, StateView, Submit, UnrecordedRefusal } from './port/submit.ts';
import type { ReadOlder } from './recovery/older-segments.ts';
import { readOlderSegments } from './recovery/older-segments.ts';
import type { FollowerPosition, RecoveryReport } from './recovery/recovery.ts';
import { recover } from './recovery/recovery.ts';
import type { SequencerLimits } from './sequencer.ts';
import { Sequencer } from './sequencer.ts';
import type { CreateSnapshot } from './snapshot/snapshot-builder.ts';
import type { SnapshotPace } from './snapshot/snapshot-scheduler.ts';
import { SnapshotScheduler } from './snapshot/snapshot-scheduler.ts';

export interface WriterLimits extends SequencerLimits, IdempotencyLimits, SnapshotPace {
  /** The length of a segment's file. A segment for a single longer group is as long as that group. */
  readonly segmentBytes: number;
}

export const WRITER_LIMITS: WriterLimits = {
  ...IDEMPOTENCY_LIMITS,
  ...REFUSAL_LIMITS,
  maxQueued: 8_192,
  maxGroupRecords: 1_024,
  maxGroupBytes: 1 << 20,
  segmentBytes: 64 << 20,
  recordsPerSnapshot: 100_000,
  msPerSnapshot: 60_000,
};

export interface WriterOptions<State extends StateMachine = StateMachine> extends Time {
  /** Where the journal and the snapshots are. No other process may write there. */
  readonly files: Files;
  readonly rules: StateMachineRules<State>;
  /** Called with every durable group, while opening too. */
  readonly follow: GroupListener;
  /** What `follow` has folded and saved before: it gets the groups after that. */
  readonly followFrom: FollowerPosition;
  /**
   * Whether the subscribers keep up. While they do not, no new command is taken; repeated requests still get their stored
   * response.
   */
  readonly mayTakeMore?: () => boolean;
  /** Called once, synchronously, when the writer halts: to be reported loudly. Reads may continue. */
  readonly onHalt: (halt: Halt) => void;
  /** Called for every durable group with its number of records and how long the disk took. */
  readonly onCommitted?: (records: number, elapsedMs: number) => void;
  /** Called with every refusal that is not in the journal, after its response. */
  readonly onUnrecorded?: (refusal: UnrecordedRefusal) => void;
  /** Called for every snapshot that could not be saved: the venue continues, the next start takes longer. */
  readonly onSnapshotFailure?: (cause: unknown) => void;
  /** Makes snapshots in another thread while the venue runs. Without it the venue pauses for each snapshot. */
  readonly createSnapshot?: CreateSnapshot | undefined;
  /** Segments older than this are archived; without it all segments stay where they are. */
  readonly archiveAfterMs?: number | undefined;
  /** Called with the reason why older segments could not be archived: they stay where they are. */
  readonly onArchiveFailure?: (cause: unknown) => void;
  /** Verifies the older part of the journal while its end is rerun. By default in this thread, after the rerun. */
  readonly readOlder?: ReadOlder;
  /** Called while the journal is read when opening. */
  readonly onRead?: OnRead | undefined;
  readonly limits?: Partial<WriterLimits>;
}

export interface WriterStatus {
  /** The last record that is durable and published to all subscribers, its time, and the chain digest of its group. */
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly chainDigest: string;
  readonly queued: number;
  /** By how much the clock is ahead of the journal's time, if the journal's time does not follow it; see {@link JournalTime}. */
  readonly clockOffByMs: number;
  /** Why the writer takes no commands any more, if it halted. */
  readonly halt: Halt | undefined;
  readonly snapshotSequence: number;
  /** Why the last snapshot could not be saved, if it failed: the next start takes longer. */
  readonly snapshotFailure: string | undefined;
}

export interface Writer<State extends StateMachine = StateMachine> {
  readonly submit: Submit;
  readonly findOutcome: FindOutcome;
  /**
   * Reads the state between two turns. The state may be ahead of the disk: resolves once every record that it reflects is
   * durable. Rejects with `VenueHalted` if one never becomes durable.
   */
  readAtCommit<View>(read: (state: State, now: EpochMs) => View): Promise<StateView<View>>;
  /** The same at once, to decide what to submit. Never send it to a client: it may never become durable. */
  peek<View>(read: (state: State, now: EpochMs) => View): View;
  /**
   * SHA-256 of the bytes of a durable record, in hex; `undefined` if its segment is not in the directory any more. Rejects with
   * `JournalDamaged`.
   */
  recordDigest(sequence: Sequence): Promise<string | undefined>;
  /** The journal's time, to date submissions. */
  readonly time: Clock;
  status(): WriterStatus;
  /** Halts the writer when a subscriber cannot continue outside of a call to `follow`. */
  stopFollowing(cause: unknown): void;
  /** Takes nothing more, responds to everything taken, saves a snapshot, closes the files. */
  close(): Promise<void>;
  readonly recovered: RecoveryReport;
}

/**
 * Recovers from the files, then takes commands. Throws {@link JournalDamaged}, {@link RecoveryRefused} or
 * {@link FollowerJournalMismatch} if it must not continue.
 */
export async function openWriter<State extends StateMachine>(options: WriterOptions<State>): Promise<Writer<State>> {
  const {
    files,
    clock,
    steadyClock,
    timers,
    rules,
    follow,
    followFrom,
    mayTakeMore = () => true,
    onHalt,
    onCommitted = () => {},
    onUnrecorded = () => {},
    onSnapshotFailure = () => {},
    createSnapshot: create,
    archiveAfterMs,
    onArchiveFailure = () => {},
    readOlder = (request, onSegment) => readOlderSegments(files, request, onSegment),
    onRead,
  } = options;
  const limits = { ...WRITER_LIMITS, ...options.limits };
  const { state, index, epochMs, end, report } = await recover({
    files,
    clock,
    rules,
    limits,
    readOlder,
    follow,
    followFrom,
    onRead,
  });
  const journal = await Journal.open(files, limits.segmentBytes, end);
  const { rulesVersion } = rules;
  const time = new JournalTime(clock, steadyClock, epochMs);
  const digests = new RecordDigests(files, timers);
  const archive = new SegmentArchive(files, { ...limits, archiveAfterMs });
  // Uses the last record's time: the clock may be set back before a record is written with its time.
  const afterSave = () => archive.sweep(sequencer.durable.epochMs).catch(onArchiveFailure);
  const snapshots = new SnapshotScheduler(
    { files, state, rulesVersion, pace: limits, onFailure: onSnapshotFailure, create, afterSave },
    report.snapshotSequence,
  );
  const sequencer = new Sequencer(
    {
      time,
      steadyClock,
      timers,
      journal,
      index,
      snapshots,
      state,
      rulesVersion,
      follow,
      mayTakeMore,
      onHalt,
      onCommitted,
      onUnrecorded,
      limits,
    },
    { groupNumber: end.groupNumber, sequence: end.sequence, epochMs, digest: end.digest },
  );

  return {
    submit: (submission) => {
      try {
        return sequencer.submit(submission);
      } catch (cause) {
        return sequencer.stopSubmitting(cause);
      }
    },
    findOutcome: (idempotency) => sequencer.findOutcome(idempotency),
    readAtCommit: (read) => sequencer.readAtCommit((now) => read(state, now)),
    peek: (read) => read(state, time.advance()),
    recordDigest: (sequence) => digests.of(sequence),
    recovered: report,
    time: { now: () => time.advance() },
    status: () => {
      const { sequence, epochMs, digest } = sequencer.durable;
      const { sequence: snapshotSequence, failure } = snapshots.status;
      return {
        sequence,
        epochMs,
        chainDigest: hex(digest),
        queued: sequencer.queued,
        clockOffByMs: time.clockOffByMs,
        halt: sequencer.halt,
        snapshotSequence,
        snapshotFailure: failure === undefined ? undefined : String(failure),
      };
    },
    stopFollowing: (cause) => sequencer.stopFollowing(cause),
    close: async () => {
      await sequencer.drain();
      const { sequence, digest } = sequencer.durable;
      if (sequencer.isSettled) await snapshots.saveLast(sequence, digest);
      await snapshots.end();
      await journal.close();
    },
  };
}
