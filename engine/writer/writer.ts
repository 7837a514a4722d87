/**
 * The writer as its host sees it: open, submit, close. Opening is recovery, whether the last process was stopped, was
 * killed, or lost its power.
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
import { SegmentArchive } from './journal/segment-archive.ts';
import type { Halt } from './port/halt.ts';
import type { StateMachine, StateMachineRules } from './port/state-machine.ts';
import type { FollowGroups, Looked, Submit, UnrecordedRefusal } from './port/submit.ts';
import type { ReadOlder } from './recovery/older-segments.ts';
import { readOlderSegments } from './recovery/older-segments.ts';
import type { Followed, RecoveryReport } from './recovery/recovery.ts';
import { recover } from './recovery/recovery.ts';
import type { SequencerLimits } from './sequencer.ts';
import { Sequencer } from './sequencer.ts';
import type { SnapshotPace } from './snapshot/snapshot-keeper.ts';
import { SnapshotKeeper } from './snapshot/snapshot-keeper.ts';
import type { MakeSnapshot } from './snapshot/snapshot-making.ts';

export interface WriterLimits extends SequencerLimits, IdempotencyLimits, SnapshotPace {
  /** A segment's file has this length, or that of the one group that is longer. */
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
  /** Where the journal and the snapshots are; nobody else may write there. */
  readonly files: Files;
  readonly rules: StateMachineRules<State>;
  /** Hears of every group when it is durable, while opening too. */
  readonly follow: FollowGroups;
  /** What `follow` has folded and kept before: it hears of the groups after that. */
  readonly followFrom: Followed;
  /** Whether those who follow keep up. While they do not nothing new is taken; what was taken before is answered again. */
  readonly mayTakeMore?: () => boolean;
  /** Hears once, at once, when the writer stops for good: to be reported loudly. Reads may go on. */
  readonly onHalt: (halt: Halt) => void;
  /** Hears of every group that is durable: of how many records, and how long the disk took. */
  readonly onCommitted?: (records: number, elapsedMs: number) => void;
  /** Called with every refusal that is not in the journal, once it is answered. */
  readonly onUnrecorded?: (refusal: UnrecordedRefusal) => void;
  /** Hears of every snapshot that could not be saved: the venue goes on, the next start takes longer. */
  readonly onSnapshotFailure?: (cause: unknown) => void;
  /** Makes snapshots of the running venue beside it. Without it everyone waits while one is taken. */
  readonly makeSnapshot?: MakeSnapshot | undefined;
  /** Older segments are put away after that time; without it all of them are kept where they are. */
  readonly archiveAfterMs?: number | undefined;
  /** Hears why older segments could not be put away: they stay where they are. */
  readonly onArchiveFailure?: (cause: unknown) => void;
  /** Verifies the older part of the journal while its end is run again: in this thread by default, after it. */
  readonly readOlder?: ReadOlder;
  /** Called while the journal is read when opening. */
  readonly onRead?: OnRead | undefined;
  readonly limits?: Partial<WriterLimits>;
}

export interface WriterStatus {
  /** The last record that is durable and that all who follow know, its time, and the chain's digest with its group. */
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly chainDigest: string;
  readonly queued: number;
  /** By how much the clock is ahead of the journal's time, if that does not follow it; see {@link JournalTime}. */
  readonly clockOffByMs: number;
  /** Why no command is taken any more, if so. */
  readonly halt: Halt | undefined;
  readonly snapshotSequence: number;
  /** Why the last snapshot could not be saved, if so: the next start takes longer. */
  readonly snapshotFailure: string | undefined;
}

export interface Writer<State extends StateMachine = StateMachine> {
  readonly submit: Submit;
  /**
   * Shows the state between two turns, for reading alone. It may be ahead of the disk: what was seen is answered once every
   * record that it shows is durable, and never where one of them is not. Rejects with `VenueHalted` then.
   */
  look<View>(read: (state: State, now: EpochMs) => View): Promise<Looked<View>>;
  /** The same at once, to decide what to submit. It is no answer: what is seen may never become durable. */
  peek<View>(read: (state: State, now: EpochMs) => View): View;
  /** The journal's time, for whoever dates what it submits. */
  readonly time: Clock;
  status(): WriterStatus;
  /** To be called where one who follows cannot go on, and no group is being told that could say so: the writer stops for good. */
  stopFollowing(cause: unknown): void;
  /** Takes nothing more, answers all that was taken, saves a snapshot, closes the files. */
  close(): Promise<void>;
  readonly recovered: RecoveryReport;
}

/**
 * Recovers what the files hold and takes commands. Throws {@link JournalDamaged}, {@link RecoveryRefused} or
 * {@link FollowedAnotherJournal} where it must not go on.
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
    makeSnapshot: make,
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
  const archive = new SegmentArchive(files, { ...limits, archiveAfterMs });
  // By the last record's time, and not by what a clock says that may be set back before anything is written by it.
  const afterSave = () => archive.sweep(sequencer.durable.epochMs).catch(onArchiveFailure);
  const snapshots = new SnapshotKeeper(
    { files, state, rulesVersion, pace: limits, onFailure: onSnapshotFailure, make, afterSave },
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
    look: (read) => sequencer.look((now) => read(state, now)),
    peek: (read) => read(state, time.advance()),
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
