/**
 * Batches groups for another thread for some milliseconds and sends them in one message: waking the other thread costs this one
 * more than the rest of sending.
 */
import type { Timer, Timers } from '#time/timers.ts';
import { readGroupHeader, sealedDigestOf } from '#writer/journal/group.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import { ToldGroup } from '#writer/port/told-group.ts';

/** Copies of groups as bytes, to be transferred to the other thread. */
export type SentGroups = readonly Uint8Array<ArrayBuffer>[];

export interface HoldingTerms {
  readonly holdMs: number;
  /** The batch is sent at this number of records. */
  readonly mostRecords: number;
}

export class HeldGroups {
  readonly #timers: Timers;
  readonly #terms: HoldingTerms;
  readonly #send: (groups: SentGroups, transfer: readonly ArrayBuffer[]) => void;
  #held: Uint8Array<ArrayBuffer>[] = [];
  #records = 0;
  #timer: Timer | undefined;

  constructor(timers: Timers, terms: HoldingTerms, send: (groups: SentGroups, transfer: readonly ArrayBuffer[]) => void) {
    this.#timers = timers;
    this.#terms = terms;
    this.#send = send;
  }

  add({ bytes, header }: StoredGroup): void {
    this.#held.push(new Uint8Array(bytes));
    this.#records += header.recordCount;
    if (this.#records >= this.#terms.mostRecords) this.flush();
    else this.#timer ??= this.#timers.setTimeout(() => this.flush(), this.#terms.holdMs);
  }

  /** Sends the batch. Call it before sending anything that must arrive after it. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#held.length === 0) return;
    const groups = this.#held;
    this.#held = [];
    this.#records = 0;
    this.#send(
      groups,
      groups.map(({ buffer }) => buffer),
    );
  }
}

/** The newest record in ordered groups, at least one. */
export function lastSequenceIn(groups: SentGroups): number {
  const { firstSequence, recordCount } = readGroupHeader(groups.at(-1)!, 0)!;
  return firstSequence + recordCount - 1;
}

/** Decodes the groups on the other side. */
export function toldGroups(groups: SentGroups): readonly ToldGroup[] {
  return groups.map((bytes) => new ToldGroup({ header: readGroupHeader(bytes, 0)!, bytes, digest: sealedDigestOf(bytes) }));
}
