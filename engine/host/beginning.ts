/**
 * What the realtime service begins with: the rows as the projection's file had them, and all that the start has told since. So it folds
 * itself what the file lacked, as after a kill, and can replay that. Where it is much, it begins with the rows of now.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Sequence } from '#units/ids.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import type { SentGroups } from './held-groups.ts';
import type { ProjectionInThread } from './projection-in-thread.ts';

/** What is not in the file mostly: the rest a start folds twice, and holds in memory until the service is there. */
const MOST_RECORDS = 50_000;

export interface TakenBeginning {
  readonly rows: MessagePort;
  readonly since: SentGroups;
  /** That the rows are of. */
  readonly sequence: Sequence;
}

export class Beginning {
  readonly #sequence: Sequence;
  readonly #mostRecords: number;
  #rows: MessagePort | undefined;
  #since: Uint8Array<ArrayBuffer>[] = [];
  #records = 0;

  /** Before the projection is told of anything. */
  constructor(projection: Pick<ProjectionInThread, 'sequence' | 'sendLiveRows'>, mostRecords = MOST_RECORDS) {
    const { port1: sent, port2: rows } = new MessageChannel();
    projection.sendLiveRows(sent);
    this.#sequence = projection.sequence;
    this.#mostRecords = mostRecords;
    this.#rows = rows;
  }

  follow({ stored }: CommittedGroup): void {
    if (this.#rows === undefined) return;
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    this.#since.push(new Uint8Array(stored.bytes));
    this.#records += stored.header.recordCount;
    if (this.#records > this.#mostRecords) this.close();
  }

  /** Once: from then on it is for the taker to follow. `undefined` where it was too much, or is taken. */
  take(): TakenBeginning | undefined {
    const [rows, since] = [this.#rows, this.#since];
    this.#rows = undefined;
    this.#since = [];
    return rows === undefined ? undefined : { rows, since, sequence: this.#sequence };
  }

  close(): void {
    this.#rows?.close();
    this.take();
  }
}
