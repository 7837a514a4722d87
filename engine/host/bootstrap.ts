/**
 * The initial state of the realtime service: the rows of the projection's file, and all groups published since the start. The
 * service thus folds what the file lacked, as after a kill, and can replay it. If that is too much, it starts with the current
 * rows instead.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Sequence } from '#units/ids.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import type { EncodedGroups } from './group-batcher.ts';
import type { ProjectionInThread } from './projection-in-thread.ts';

/** Usually enough for the records that the file lacks. A start folds these records twice and keeps them in memory until the service runs. */
const MAX_RECORDS = 50_000;

export interface BootstrapSnapshot {
  readonly rows: MessagePort;
  readonly since: EncodedGroups;
  /** The last record in the rows. */
  readonly sequence: Sequence;
}

export class BootstrapCollector {
  readonly #sequence: Sequence;
  readonly #maxRecords: number;
  #rows: MessagePort | undefined;
  #since: Uint8Array<ArrayBuffer>[] = [];
  #records = 0;

  /** Create it before the projection follows any group. */
  constructor(projection: Pick<ProjectionInThread, 'sequence' | 'sendLiveRows'>, maxRecords = MAX_RECORDS) {
    const { port1: sent, port2: rows } = new MessageChannel();
    projection.sendLiveRows(sent);
    this.#sequence = projection.sequence;
    this.#maxRecords = maxRecords;
    this.#rows = rows;
  }

  follow({ stored }: CommittedGroup): void {
    if (this.#rows === undefined) return;
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    this.#since.push(new Uint8Array(stored.bytes));
    this.#records += stored.header.recordCount;
    if (this.#records > this.#maxRecords) this.close();
  }

  /** Can be taken once; then the taker follows itself. `undefined` if it was too much or already taken. */
  collect(): BootstrapSnapshot | undefined {
    const [rows, since] = [this.#rows, this.#since];
    this.#rows = undefined;
    this.#since = [];
    return rows === undefined ? undefined : { rows, since, sequence: this.#sequence };
  }

  close(): void {
    this.#rows?.close();
    this.collect();
  }
}
