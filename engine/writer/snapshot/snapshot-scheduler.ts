/**
 * Takes snapshots of a running venue, one at a time, in another thread if possible. A snapshot that cannot be saved is reported;
 * its only cost is a longer start.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Files } from '#writer/journal/files.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { CreateSnapshot } from './snapshot-builder.ts';
import { saveSnapshot } from './snapshot-store.ts';

/** A snapshot is due when both have passed since the last one. */
export interface SnapshotPace {
  readonly recordsPerSnapshot: number;
  /** In the journal's time. */
  readonly msPerSnapshot: number;
}

export interface SnapshotSchedulerParts {
  readonly files: Files;
  readonly state: StateMachine;
  readonly rulesVersion: number;
  readonly pace: SnapshotPace;
  /** Called with the reason why a snapshot could not be saved. */
  readonly onFailure: (cause: unknown) => void;
  /** Makes snapshots in another thread. Without it the venue pauses for each snapshot. */
  readonly create: CreateSnapshot | undefined;
  /** Runs after a snapshot was saved. Never rejects. */
  readonly afterSave: () => Promise<void>;
}

/** A snapshot to save once its records are durable. */
export interface DueSnapshot {
  readonly sequence: Sequence;
  readonly save: () => Promise<void>;
  /** It is made in another thread, and given up when the keeper ends. */
  readonly isMadeInBackground: boolean;
}

export class SnapshotScheduler {
  readonly #parts: SnapshotSchedulerParts;
  #lastSequence: number;
  #lastEpochMs = 0;
  #saved: number;
  #saving: Promise<void> | undefined;
  /** Set once one is due, before its records are durable: the next group is sealed before it is saved. */
  #isUnderWay = false;
  #failure: unknown;
  /** Aborted before the last snapshot is taken: one in progress is no longer of use. */
  readonly #ending = new AbortController();

  /** `saved` is the sequence of the newest existing snapshot, or 0. */
  constructor(parts: SnapshotSchedulerParts, saved: number) {
    this.#parts = parts;
    this.#lastSequence = saved;
    this.#saved = saved;
  }

  /** The last record of the newest snapshot, and why a newer one could not be saved. */
  get status(): { readonly sequence: number; readonly failure: unknown } {
    return { sequence: this.#saved, failure: this.#failure };
  }

  /** Returns the snapshot to save once that record is durable, if one is due. */
  takeIfDue(sequence: Sequence, epochMs: EpochMs, chainDigest: Uint8Array): DueSnapshot | undefined {
    const { recordsPerSnapshot, msPerSnapshot } = this.#parts.pace;
    if (this.#isUnderWay || sequence < this.#lastSequence + recordsPerSnapshot) return undefined;
    if (epochMs < this.#lastEpochMs + msPerSnapshot) return undefined;
    this.#isUnderWay = true;
    this.#lastEpochMs = epochMs;
    const { create } = this.#parts;
    if (create === undefined) return this.#take(sequence, chainDigest);
    this.#lastSequence = sequence;
    return { sequence, isMadeInBackground: true, save: () => create({ sequence, chainDigest }, this.#ending.signal) };
  }

  /** Starts to save a snapshot whose records are durable. */
  save({ sequence, save, isMadeInBackground }: DueSnapshot): void {
    this.#saving = save()
      .then(
        () => {
          this.#saved = sequence;
          this.#failure = undefined;
          return this.#parts.afterSave();
        },
        (cause: unknown) => {
          if (isMadeInBackground && this.#ending.signal.aborted) return;
          this.#failure = cause;
          this.#parts.onFailure(cause);
        },
      )
      .finally(() => {
        this.#saving = undefined;
        this.#isUnderWay = false;
      });
  }

  /** Saves the final state. All its records are durable. */
  async saveLast(sequence: Sequence, chainDigest: Uint8Array): Promise<void> {
    this.#ending.abort();
    await this.#saving;
    if (sequence > this.#saved) this.save(this.#take(sequence, chainDigest));
    await this.#saving;
  }

  /** Resolves when no snapshot is being saved. No snapshot is saved later. */
  async end(): Promise<void> {
    await this.#saving;
    this.#ending.abort();
  }

  /** The current state, after that record. */
  #take(sequence: Sequence, chainDigest: Uint8Array): DueSnapshot {
    this.#lastSequence = sequence;
    const { files, rulesVersion, state } = this.#parts;
    const snapshot = { sequence, chainDigest, rulesVersion, state: state.snapshot() };
    return { sequence, isMadeInBackground: false, save: () => saveSnapshot(files, snapshot) };
  }
}
