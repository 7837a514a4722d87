/**
 * Batches groups for another thread for some milliseconds and sends them in one message: waking the other thread costs this one
 * more than the rest of sending.
 */
import type { Timer, Timers } from '#time/timers.ts';
import { readGroupHeader, sealedDigestOf } from '#writer/journal/group.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';

/** Copies of groups as bytes, to be transferred to the other thread. */
export type EncodedGroups = readonly Uint8Array<ArrayBuffer>[];

export interface BatchLimits {
  readonly delayMs: number;
  /** The batch is sent at this number of records. */
  readonly maxRecords: number;
}

export class GroupBatcher {
  readonly #timers: Timers;
  readonly #terms: BatchLimits;
  readonly #send: (groups: EncodedGroups, transfer: readonly ArrayBuffer[]) => void;
  #batch: Uint8Array<ArrayBuffer>[] = [];
  #records = 0;
  #timer: Timer | undefined;

  constructor(timers: Timers, terms: BatchLimits, send: (groups: EncodedGroups, transfer: readonly ArrayBuffer[]) => void) {
    this.#timers = timers;
    this.#terms = terms;
    this.#send = send;
  }

  add({ bytes, header }: StoredGroup): void {
    this.#batch.push(new Uint8Array(bytes));
    this.#records += header.recordCount;
    if (this.#records >= this.#terms.maxRecords) this.flush();
    else this.#timer ??= this.#timers.setTimeout(() => this.flush(), this.#terms.delayMs);
  }

  /** Sends the batch. Call it before sending anything that must arrive after it. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#batch.length === 0) return;
    const groups = this.#batch;
    this.#batch = [];
    this.#records = 0;
    this.#send(
      groups,
      groups.map(({ buffer }) => buffer),
    );
  }
}

/** The newest record in ordered groups, at least one. */
export function lastSequenceIn(groups: EncodedGroups): number {
  const { firstSequence, recordCount } = readGroupHeader(groups.at(-1)!, 0)!;
  return firstSequence + recordCount - 1;
}

/** Decodes the groups on the other side. */
export function durableGroups(groups: EncodedGroups): readonly DurableGroup[] {
  return groups.map((bytes) => new DurableGroup({ header: readGroupHeader(bytes, 0)!, bytes, digest: sealedDigestOf(bytes) }));
}
