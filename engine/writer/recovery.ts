/**
 * Every start is a recovery: the newest good snapshot, then the journal's commands after it once more, each held against
 * the events that the journal says it had. On the way the idempotency keys are collected and those who follow catch up.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { writeEvent } from '#venue/record/event-record.ts';
import type { Clock } from './clock.ts';
import type { Files } from './files.ts';
import { removeUnfinished } from './files.ts';
import { committedGroup, hex, recordsOf } from './group.ts';
import type { IdempotencyIndex } from './idempotency-index.ts';
import type { JournalEnd, ScannedGroup, TornTail } from './journal-scan.ts';
import { JournalDamaged, scanJournal } from './journal-scan.ts';
import { CLOCK_TOLERANCE_MS } from './journal-time.ts';
import type { StoredRecord } from './record.ts';
import { commandOf } from './record.ts';
import { journalPosition } from './segment.ts';
import type { Snapshot } from './snapshot-store.ts';
import { newestSnapshot } from './snapshot-store.ts';
import type { StateMachine, StateMachineRules } from './state-machine.ts';
import type { FollowGroups } from './submit.ts';

/** The journal is whole, but this program may not go on from it. */
export class RecoveryRefused extends Error {
  override readonly name = 'RecoveryRefused';
}

/** The projections hold the events of another journal: they are to be discarded and fed from the start. */
export class FollowedAnotherJournal extends Error {
  override readonly name = 'FollowedAnotherJournal';
}

/** What those who follow have folded and kept: all records up to one that ends a group, and the chain's digest there. */
export interface Followed {
  readonly sequence: Sequence;
  /** In hex. Of no account at sequence 0. */
  readonly chainDigest: string;
}

export interface RecoveryParts {
  readonly files: Files;
  readonly clock: Clock;
  readonly rules: StateMachineRules;
  readonly index: IdempotencyIndex;
  readonly follow: FollowGroups;
  readonly followFrom: Followed;
}

/** What a start found and did, for people to read. */
export interface RecoveryReport {
  readonly sequence: Sequence;
  readonly chainDigest: string;
  /** The last record in the snapshot that the start began with; 0 without one. */
  readonly snapshotSequence: number;
  readonly damagedSnapshots: readonly string[];
  /** Commands that were run again. */
  readonly rerunCount: number;
  /** Records that were handed to those who follow. */
  readonly followedCount: number;
  /** What was cut off: a group that was being written when the power went, and was never acknowledged. */
  readonly tornTail: TornTail | undefined;
  /**
   * By how much the clock is behind the last record, where that is more than clocks are corrected by; else 0. The journal's
   * time goes on from its last record.
   */
  readonly clockBehindMs: number;
}

export interface Recovered {
  readonly state: StateMachine;
  readonly epochMs: EpochMs;
  readonly end: JournalEnd;
  readonly report: RecoveryReport;
}

/** Throws {@link JournalDamaged}, {@link RecoveryRefused} or {@link FollowedAnotherJournal}. */
export async function recover(parts: RecoveryParts): Promise<Recovered> {
  await removeUnfinished(parts.files);
  const { snapshot, damaged } = await newestSnapshot(parts.files);
  const replay = new Replay(parts, snapshot);
  const end = await scanJournal(parts.files, (group) => replay.take(group));
  refuseMissing(end.sequence, snapshot?.sequence, 'a snapshot was taken');
  refuseMissing(end.sequence, parts.followFrom.sequence, 'the projections have come');
  const behindMs = replay.epochMs - parts.clock.now();
  const report = {
    sequence: end.sequence,
    chainDigest: hex(end.digest),
    snapshotSequence: snapshot?.sequence ?? 0,
    damagedSnapshots: damaged,
    rerunCount: replay.rerunCount,
    followedCount: replay.followedCount,
    tornTail: end.tornTail,
    clockBehindMs: behindMs > CLOCK_TOLERANCE_MS ? behindMs : 0,
  };
  return { state: replay.state, epochMs: replay.epochMs, end, report };
}

function refuseMissing(sequence: number, known = 0, what: string): void {
  if (known > sequence) {
    throw new RecoveryRefused(`the journal ends with record ${sequence}, but ${what} to record ${known}: records are missing`);
  }
}

class Replay {
  readonly state: StateMachine;
  readonly #parts: RecoveryParts;
  readonly #snapshot: Snapshot | undefined;
  readonly #events = new ByteWriter();
  epochMs = 0 as EpochMs;
  rerunCount = 0;
  followedCount = 0;

  constructor(parts: RecoveryParts, snapshot: Snapshot | undefined) {
    this.#parts = parts;
    this.#snapshot = snapshot;
    this.state = snapshot === undefined ? parts.rules.fresh() : restored(parts.rules, snapshot);
  }

  take(group: ScannedGroup): void {
    for (const { record, offset } of recordsOf(group)) {
      if (record.key !== undefined) {
        this.#parts.index.add(record.key, record.epochMs, journalPosition(group.segment, group.offset + offset));
      }
      if (record.sequence > (this.#snapshot?.sequence ?? 0)) this.#rerun(record, group, offset);
      this.epochMs = record.epochMs;
    }
    this.#checkSnapshot(group);
    this.#follow(group);
  }

  #rerun(record: StoredRecord, group: ScannedGroup, offset: number): void {
    const { rulesVersion } = this.#parts.rules;
    if (record.rulesVersion !== rulesVersion) {
      throw new RecoveryRefused(
        `record ${record.sequence} was made by version ${record.rulesVersion} of the rules and this is version ${rulesVersion}: ` +
          'start a program of that version once and stop it cleanly, so that it leaves a snapshot to go on from',
      );
    }
    const eventCount = this.#turn(record);
    if (eventCount !== record.eventCount || Buffer.compare(this.#events.written(), record.eventBytes) !== 0) {
      const what = 'its command, run again, comes to other events than those in the journal';
      throw new JournalDamaged(group.segment, group.offset + offset, record.sequence, what);
    }
    this.rerunCount += 1;
  }

  /** Leaves the events in `#events` and answers how many. */
  #turn(record: StoredRecord): number {
    const { sequence, epochMs } = record;
    this.#events.reset();
    let eventCount = 0;
    try {
      this.state.turn({ sequence, epochMs, command: commandOf(record) }, (event) => {
        writeEvent(this.#events, event);
        eventCount += 1;
      });
    } catch (cause) {
      throw new RecoveryRefused(`record ${sequence} cannot be run again: a defect stopped its turn (${String(cause)})`, {
        cause,
      });
    }
    return eventCount;
  }

  /** A snapshot belongs to the journal if a group ends where it was taken, with the same chain up to there. */
  #checkSnapshot(group: ScannedGroup): void {
    const at = this.#snapshot;
    if (at === undefined || at.sequence < group.header.firstSequence || at.sequence > group.lastSequence) return;
    if (at.sequence === group.lastSequence && Buffer.compare(at.chainDigest, group.digest) === 0) return;
    throw new RecoveryRefused(
      `the snapshot after record ${at.sequence} was not taken from this journal: remove it, or put back its journal`,
    );
  }

  #follow(group: ScannedGroup): void {
    const { follow, followFrom } = this.#parts;
    if (followFrom.sequence < group.header.firstSequence) {
      follow(committedGroup(group));
      this.followedCount += group.header.recordCount;
    } else if (followFrom.sequence <= group.lastSequence && followFrom.chainDigest !== hex(group.digest)) {
      throw new FollowedAnotherJournal(`the projections have come to record ${followFrom.sequence} of another journal`);
    }
  }
}

function restored(rules: StateMachineRules, snapshot: Snapshot): StateMachine {
  try {
    return rules.restore(snapshot.state);
  } catch (cause) {
    const made = `the snapshot after record ${snapshot.sequence}, made by version ${snapshot.rulesVersion} of the rules`;
    throw new RecoveryRefused(`${made}, cannot be restored by version ${rules.rulesVersion} (${String(cause)})`, { cause });
  }
}
