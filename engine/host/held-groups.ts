/**
 * Groups on their way to another thread. They are held for some milliseconds and go in one message: a message wakes the thread, and
 * that costs this one more than all else about it.
 */
import type { Timer, Timers } from '#time/timers.ts';
import { readGroupHeader, sealedDigestOf } from '#writer/journal/group.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import { ToldGroup } from '#writer/port/told-group.ts';

/** Groups as bytes, which are copies and go over to the other thread. */
export type SentGroups = readonly Uint8Array<ArrayBuffer>[];

export interface HoldingTerms {
  readonly holdMs: number;
  /** With so many records nothing is held any longer. */
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

  /** Sends what is held. To be called before anything else is sent that is to come after it. */
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

/** The newest record in groups that are in order, at least one. */
export function lastSequenceIn(groups: SentGroups): number {
  const { firstSequence, recordCount } = readGroupHeader(groups.at(-1)!, 0)!;
  return firstSequence + recordCount - 1;
}

/** On the other side. */
export function toldGroups(groups: SentGroups): readonly ToldGroup[] {
  return groups.map((bytes) => new ToldGroup({ header: readGroupHeader(bytes, 0)!, bytes, digest: sealedDigestOf(bytes) }));
}
