/**
 * Takes snapshots of a running venue, one at a time, and never in the way: a snapshot that cannot be saved is reported
 * and costs a longer start, nothing else.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Files } from './files.ts';
import type { Snapshot } from './snapshot-store.ts';
import { saveSnapshot } from './snapshot-store.ts';
import type { StateMachine } from './state-machine.ts';

/** A running venue is saved when both have come since the last time: everyone waits while it is taken. */
export interface SnapshotPace {
  readonly recordsPerSnapshot: number;
  /** In the journal's time. */
  readonly msPerSnapshot: number;
}

export interface SnapshotKeeperParts {
  readonly files: Files;
  readonly state: StateMachine;
  readonly rulesVersion: number;
  readonly pace: SnapshotPace;
  /** Hears why a snapshot could not be saved. */
  readonly onFailure: (cause: unknown) => void;
  /** What follows a snapshot that was saved. Never rejects. */
  readonly afterSave: () => Promise<void>;
}

export class SnapshotKeeper {
  readonly #parts: SnapshotKeeperParts;
  #taken: number;
  #takenAtEpochMs = 0;
  #saved: number;
  #saving: Promise<void> | undefined;
  #failure: unknown;

  /** `saved` is the sequence of the newest snapshot there is, or 0. */
  constructor(parts: SnapshotKeeperParts, saved: number) {
    this.#parts = parts;
    this.#taken = saved;
    this.#saved = saved;
  }

  /** The last record of the newest snapshot, and why a newer one could not be saved. */
  get status(): { readonly sequence: number; readonly failure: unknown } {
    return { sequence: this.#saved, failure: this.#failure };
  }

  /** The state as it is now, after that record, if enough has happened since the last time. To be saved once durable. */
  takeIfDue(sequence: Sequence, epochMs: EpochMs, chainDigest: Uint8Array): Snapshot | undefined {
    const { recordsPerSnapshot, msPerSnapshot } = this.#parts.pace;
    if (this.#saving !== undefined || sequence < this.#taken + recordsPerSnapshot) return undefined;
    if (epochMs < this.#takenAtEpochMs + msPerSnapshot) return undefined;
    this.#takenAtEpochMs = epochMs;
    return this.#take(sequence, chainDigest);
  }

  /** Begins to save a snapshot whose records are durable. */
  save(snapshot: Snapshot): void {
    this.#saving = saveSnapshot(this.#parts.files, snapshot)
      .then(
        () => {
          this.#saved = snapshot.sequence;
          this.#failure = undefined;
          return this.#parts.afterSave();
        },
        (cause: unknown) => {
          this.#failure = cause;
          this.#parts.onFailure(cause);
        },
      )
      .finally(() => {
        this.#saving = undefined;
      });
  }

  /** Saves the state that a venue ends with. All its records are durable. */
  async saveLast(sequence: Sequence, chainDigest: Uint8Array): Promise<void> {
    await this.#saving;
    if (sequence > this.#saved) this.save(this.#take(sequence, chainDigest));
    await this.#saving;
  }

  /** Resolves when no snapshot is being saved. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  #take(sequence: Sequence, chainDigest: Uint8Array): Snapshot {
    this.#taken = sequence;
    return { sequence, chainDigest, rulesVersion: this.#parts.rulesVersion, state: this.#parts.state.snapshot() };
  }
}
