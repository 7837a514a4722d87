/**
 * Makes snapshots in parallel to the writer, from a shadow of its state: for each one, the records since the last are rerun. This
 * costs no pause, some time of another core, and the memory of a second state. It also verifies what a start relies on: the same
 * commands result in the same events.
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

/** The place of a snapshot: a durable record that ends a group, and the chain digest there. */
export interface SnapshotPosition {
  readonly sequence: Sequence;
  readonly chainDigest: Uint8Array;
}

/**
 * Resolves when the snapshot of that place is durable; one at a time. `isUnwanted` says that neither this one nor a later one is
 * needed: the promise then rejects soon and leaves nothing running.
 */
export type CreateSnapshot = (place: SnapshotPosition, isUnwanted: AbortSignal) => Promise<void>;

/**
 * The maximum number of pauses while it reruns records, some seconds in all: so it also keeps up with a rate of commits that
 * leaves no time for more.
 */
const MAX_PAUSES = 3_000;

/** A state, the last record applied to it, and the journal from there on. */
interface Shadow {
  readonly state: StateMachine;
  readonly rerun: Rerun;
  readonly journal: JournalFollower;
  sequence: number;
}

/**
 * Reuses its memory for the next snapshot: the state, the buffer that it is encoded into, and the one that the journal is read
 * into. Touching fresh memory of that size would delay the process, including the writer's thread.
 */
export class SnapshotBuilder {
  readonly #files: Files;
  readonly #rules: StateMachineRules;
  readonly #pause: Pause;
  readonly #stateBytes = new ByteWriter();
  /** The shadow that the last snapshot was made from. */
  #shadow: Shadow | undefined;

  /** `pause` is awaited between pieces of the work. */
  constructor(files: Files, rules: StateMachineRules, pause: Pause = async () => {}) {
    this.#files = files;
    this.#rules = rules;
    this.#pause = pause;
  }

  /**
   * Resolves when the snapshot is durable; one at a time. Rejects if the records result in other events than the journal
   * contains: the next call then starts from the newest saved snapshot. Data after the place may be being written.
   */
  async create(place: SnapshotPosition): Promise<void> {
    const shadow = this.#shadow ?? (await this.#createShadow());
    this.#shadow = undefined;
    await runUpTo(shadow, place, this.#pause);
    const state = shadow.state.snapshot(this.#stateBytes);
    await saveSnapshot(this.#files, { ...place, rulesVersion: this.#rules.rulesVersion, state }, this.#pause);
    this.#shadow = shadow;
  }

  async #createShadow(): Promise<Shadow> {
    const rules = this.#rules;
    const { snapshot } = await newestSnapshot(this.#files);
    const state = snapshot === undefined ? rules.fresh() : restoredState(rules, snapshot);
    const sequence = snapshot?.sequence ?? 0;
    const why = 'a snapshot is made from the first record on';
    const journal = await JournalFollower.after(this.#files, sequence, why);
    return { state, rerun: new Rerun(state, rules), journal, sequence };
  }
}

async function runUpTo(shadow: Shadow, { sequence, chainDigest }: SnapshotPosition, pause: Pause): Promise<void> {
  let pauses = 0;
  const exists = await shadow.journal.readUntil(
    (group) => {
      // A segment may start before the snapshot that the shadow started from.
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
  if (!exists) throw new RecoveryRefused(`no group of the journal ends with record ${sequence} as it was written`);
}
