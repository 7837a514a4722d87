/**
 * Makes snapshots beside the writer instead of in it, from a shadow of its state: for each one the records since the last are
 * run again. It costs the venue no pause, another core some time, and the state's memory once more; and what a start relies
 * on, that commands come to the same events again, is found out now.
 */
import type { Sequence } from '#units/ids.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import type { Files, Pause } from '#writer/journal/files.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { JournalFollower } from '#writer/journal/journal-follower.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import { restoredState } from '#writer/recovery/recovery.ts';
import { Rerun } from '#writer/recovery/rerun.ts';
import { newestSnapshot, saveSnapshot } from './snapshot-store.ts';

/** The place of a snapshot: a durable record that ends a group, and the chain's digest there. */
export interface SnapshotPlace {
  readonly sequence: Sequence;
  readonly chainDigest: Uint8Array;
}

/**
 * Resolves when the snapshot of that place is durable; one at a time. `isUnwanted` says that nobody waits for this one or a
 * later one any more: rejects soon then, and leaves nothing running.
 */
export type MakeSnapshot = (place: SnapshotPlace, isUnwanted: AbortSignal) => Promise<void>;

/**
 * So often at most it pauses while it runs records, for some seconds in all: whoever commits more than that leaves time for
 * is kept up with all the same.
 */
const MAX_PAUSES = 3_000;

/** A state, the last record that it has taken, and the journal from there on. */
interface Shadow {
  readonly state: StateMachine;
  readonly rerun: Rerun;
  readonly journal: JournalFollower;
  sequence: number;
}

/**
 * Keeps its memory from one snapshot to the next: the state, the bytes that it is written to, and those that the journal is
 * read into. Touching fresh memory of that size would hold up the process, the writer's thread included.
 */
export class SnapshotMaker {
  readonly #files: Files;
  readonly #rules: StateMachineRules;
  readonly #pause: Pause;
  readonly #stateBytes = new ByteWriter();
  /** What the last snapshot was made of. */
  #shadow: Shadow | undefined;

  /** `pause` is waited for between pieces of the work. */
  constructor(files: Files, rules: StateMachineRules, pause: Pause = async () => {}) {
    this.#files = files;
    this.#rules = rules;
    this.#pause = pause;
  }

  /**
   * Resolves when the snapshot is durable; one at a time. Rejects where the records do not come to what the journal says: the
   * next one begins with the newest snapshot that is saved again. What lies behind the place may be being written.
   */
  async make(place: SnapshotPlace): Promise<void> {
    const shadow = this.#shadow ?? (await this.#begin());
    this.#shadow = undefined;
    await runUpTo(shadow, place, this.#pause);
    const state = shadow.state.snapshot(this.#stateBytes);
    await saveSnapshot(this.#files, { ...place, rulesVersion: this.#rules.rulesVersion, state }, this.#pause);
    this.#shadow = shadow;
  }

  async #begin(): Promise<Shadow> {
    const rules = this.#rules;
    const { snapshot } = await newestSnapshot(this.#files);
    const state = snapshot === undefined ? rules.fresh() : restoredState(rules, snapshot);
    const sequence = snapshot?.sequence ?? 0;
    const why = 'a snapshot is made from the first record on';
    const journal = await JournalFollower.after(this.#files, sequence, why);
    return { state, rerun: new Rerun(state, rules), journal, sequence };
  }
}

async function runUpTo(shadow: Shadow, { sequence, chainDigest }: SnapshotPlace, pause: Pause): Promise<void> {
  let pauses = 0;
  const isThere = await shadow.journal.readUntil(
    (group) => {
      // A segment may begin before the snapshot that the shadow began with.
      if (group.lastSequence <= shadow.sequence) return false;
      shadow.rerun.run(group);
      shadow.sequence = group.lastSequence;
      return group.lastSequence === sequence && Buffer.compare(group.digest, chainDigest) === 0;
    },
    async () => {
      pauses += 1;
      if (pauses <= MAX_PAUSES) await pause();
    },
  );
  if (!isThere) throw new RecoveryRefused(`no group of the journal ends with record ${sequence} as it was written`);
}
