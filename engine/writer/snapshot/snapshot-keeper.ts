/**
 * Takes snapshots of a running venue, one at a time, and never in the way: they are made beside the writer where somebody
 * can. One that cannot be saved is reported and costs a longer start, nothing else.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Files } from '#writer/journal/files.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { MakeSnapshot } from './snapshot-making.ts';
import { saveSnapshot } from './snapshot-store.ts';

/** A running venue is saved when both have come since the last time. */
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
  /** Makes snapshots beside the writer. Without it everyone waits while one is taken. */
  readonly make: MakeSnapshot | undefined;
  /** What follows a snapshot that was saved. Never rejects. */
  readonly afterSave: () => Promise<void>;
}

/** A snapshot that is to be saved once its records are durable. */
export interface DueSnapshot {
  readonly sequence: Sequence;
  readonly save: () => Promise<void>;
  /** It is made beside the writer, and given up when that ends. */
  readonly isMadeBeside: boolean;
}

export class SnapshotKeeper {
  readonly #parts: SnapshotKeeperParts;
  #taken: number;
  #takenAtEpochMs = 0;
  #saved: number;
  #saving: Promise<void> | undefined;
  /** From when one is due, whose records are not durable yet: the next group is sealed before it is saved. */
  #isUnderWay = false;
  #failure: unknown;
  /** The last snapshot is about to be taken: one that is being made is of no use any more. */
  readonly #ending = new AbortController();

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

  /** What is to be saved once that record is durable, if enough has happened since the last time. */
  takeIfDue(sequence: Sequence, epochMs: EpochMs, chainDigest: Uint8Array): DueSnapshot | undefined {
    const { recordsPerSnapshot, msPerSnapshot } = this.#parts.pace;
    if (this.#isUnderWay || sequence < this.#taken + recordsPerSnapshot) return undefined;
    if (epochMs < this.#takenAtEpochMs + msPerSnapshot) return undefined;
    this.#isUnderWay = true;
    this.#takenAtEpochMs = epochMs;
    const { make } = this.#parts;
    if (make === undefined) return this.#take(sequence, chainDigest);
    this.#taken = sequence;
    return { sequence, isMadeBeside: true, save: () => make({ sequence, chainDigest }, this.#ending.signal) };
  }

  /** Begins to save a snapshot whose records are durable. */
  save({ sequence, save, isMadeBeside }: DueSnapshot): void {
    this.#saving = save()
      .then(
        () => {
          this.#saved = sequence;
          this.#failure = undefined;
          return this.#parts.afterSave();
        },
        (cause: unknown) => {
          if (isMadeBeside && this.#ending.signal.aborted) return;
          this.#failure = cause;
          this.#parts.onFailure(cause);
        },
      )
      .finally(() => {
        this.#saving = undefined;
        this.#isUnderWay = false;
      });
  }

  /** Saves the state that a venue ends with. All its records are durable. */
  async saveLast(sequence: Sequence, chainDigest: Uint8Array): Promise<void> {
    this.#ending.abort();
    await this.#saving;
    if (sequence > this.#saved) this.save(this.#take(sequence, chainDigest));
    await this.#saving;
  }

  /** Resolves when no snapshot is being saved, and none will be. */
  async end(): Promise<void> {
    await this.#saving;
    this.#ending.abort();
  }

  /** The state as it is now, after that record. */
  #take(sequence: Sequence, chainDigest: Uint8Array): DueSnapshot {
    this.#taken = sequence;
    const { files, rulesVersion, state } = this.#parts;
    const snapshot = { sequence, chainDigest, rulesVersion, state: state.snapshot() };
    return { sequence, isMadeBeside: false, save: () => saveSnapshot(files, snapshot) };
  }
}
