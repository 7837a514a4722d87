/**
 * How a start processes each group of the journal's end: reruns commands after the snapshot, collects keys, and publishes to the
 * subscribers what they have not folded.
 */
import type { EpochMs } from '#units/money.ts';
import type { KeysInOrder } from '#writer/idempotency/keys-in-order.ts';
import type { ChainPosition, ScannedGroup } from '#writer/journal/chain-walk.ts';
import { GROUP_HEADER_BYTES, hex, recordsOf } from '#writer/journal/group.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { visitKeys } from '#writer/journal/record.ts';
import { journalPosition } from '#writer/journal/segment.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';
import { FollowerJournalMismatch, type FollowerPosition } from '#writer/port/follower-position.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { GroupListener } from '#writer/port/submit.ts';
import type { Snapshot } from '#writer/snapshot/snapshot-store.ts';
import type { RulesInUse } from './older-rules.ts';
import { Rerun } from './rerun.ts';
import { readBoundary } from './rules-boundary.ts';

export interface ReplayParts {
  /** The state after the snapshot, or before the first record. */
  readonly state: StateMachine;
  readonly rules: RulesInUse;
  readonly snapshot: Snapshot | undefined;
  readonly keys: KeysInOrder;
  readonly follow: GroupListener;
  readonly followFrom: FollowerPosition;
}

export class Replay {
  readonly #parts: ReplayParts;
  readonly #rerun: Rerun;
  #last: ScannedGroup | undefined;
  #isSnapshotFound: boolean;
  republishedCount = 0;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#rerun = new Rerun(parts.state, parts.rules);
    this.#isSnapshotFound = parts.snapshot === undefined;
  }

  get rerunCount(): number {
    return this.#rerun.count;
  }

  /** Publishes each group one group late: the last one must be settled before it is relied on. */
  take(group: ScannedGroup): void {
    const isBehindSnapshot = this.#isSnapshotFound;
    this.#checkSnapshot(group);
    if (group.header.recordCount === 0) {
      if (isBehindSnapshot) throw this.#otherRules(group);
      return;
    }
    this.#collectKeys(group);
    if (group.lastSequence > (this.#parts.snapshot?.sequence ?? 0)) this.#rerun.run(group);
    this.#followLast();
    this.#last = group;
  }

  /** The groups start after this place. A snapshot may have been taken exactly there: then no group ends with it. */
  begin({ sequence, digest }: ChainPosition): void {
    const { snapshot } = this.#parts;
    if (snapshot?.sequence === sequence && Buffer.compare(snapshot.chainDigest, digest) === 0) this.#isSnapshotFound = true;
  }

  /** Call after all groups. Throws {@link RecoveryRefused} if the snapshot's place was not among them. */
  checkEnd(): void {
    if (!this.#isSnapshotFound) throw this.#otherSnapshot();
  }

  /** Publishes the last group. Returns the time of its last record, or 0. */
  finish(): EpochMs {
    this.#followLast();
    let last = 0 as EpochMs;
    if (this.#last !== undefined) for (const { record } of recordsOf(this.#last)) last = record.epochMs;
    return last;
  }

  #collectKeys({ bytes, header, segment, offset }: ScannedGroup): void {
    visitKeys(bytes, GROUP_HEADER_BYTES, header.recordCount, (account, epochMs, digestAt, recordAt) =>
      this.#parts.keys.add(bytes, digestAt, account, epochMs, journalPosition(segment, offset + recordAt)),
    );
  }

  /** A snapshot belongs to the journal if a group ends where it was taken, with the same chain digest. */
  #checkSnapshot(group: ScannedGroup): void {
    const { snapshot } = this.#parts;
    if (this.#isSnapshotFound || snapshot === undefined) return;
    if (snapshot.sequence === group.lastSequence && Buffer.compare(snapshot.chainDigest, group.digest) === 0) {
      this.#isSnapshotFound = true;
    } else if (snapshot.sequence < group.lastSequence) {
      throw this.#otherSnapshot();
    }
  }

  /** After this snapshot's record the journal was upgraded to newer rules. */
  #otherRules(group: ScannedGroup): RecoveryRefused {
    const { sequence, toRules } = readBoundary(group);
    const taken = `the journal was upgraded to version ${toRules} of the rules after record ${sequence}`;
    return new RecoveryRefused(
      `${taken}, and this is version ${this.#parts.rules.rulesVersion}: start a program of the newer version`,
    );
  }

  #otherSnapshot(): RecoveryRefused {
    return new RecoveryRefused(
      `the snapshot after record ${this.#parts.snapshot?.sequence} was not taken from this journal: remove it, or put back its journal`,
    );
  }

  #followLast(): void {
    const group = this.#last;
    if (group === undefined) return;
    const { follow, followFrom } = this.#parts;
    if (followFrom.sequence < group.header.firstSequence) {
      const durableGroup = new DurableGroup(group);
      follow(durableGroup);
      durableGroup.keep();
      this.republishedCount += group.header.recordCount;
    } else if (followFrom.sequence <= group.lastSequence && followFrom.chainDigest !== hex(group.digest)) {
      throw new FollowerJournalMismatch(`the projections have folded records up to ${followFrom.sequence} of another journal`);
    }
  }
}
