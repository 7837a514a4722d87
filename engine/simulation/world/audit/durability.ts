/**
 * Audits requests and responses. An acknowledged record is in the journal once and unchanged after every restart. A record
 * without a response is there whole or not at all. The same key has the same response.
 */
import type { Request } from '#simulation/world/request.ts';
import type { CommitResponse, CommittedGroup, CommittedRecord, UnrecordedRefusal } from '#writer/port/submit.ts';
import { demand, fail } from './demand.ts';

/** How long the venue remembers keys, and how many per account. */
export interface KeyExpectation {
  readonly retentionMs: number;
  readonly maxKeysPerAccount: number;
}

/** All requests with the same command. Their records are indistinguishable. */
interface EqualRequests {
  /** The deliveries without a key that the venue may have accepted. */
  unkeyed: number;
  /** By key: the deliveries that the venue may have accepted. It may accept one of them. */
  readonly keyed: Map<string, number>;
  readonly sequences: number[];
}

interface KeyUse {
  readonly texts: Set<string>;
  /** The record of the last response with this key; 0 before the first response. */
  responded: number;
  /** The records that come from this key and no other. */
  readonly sequences: number[];
}

/** What the audit stores of a record. */
interface JournaledRecord {
  readonly text: string;
  readonly epochMs: number;
  readonly account: number;
  /** A response that is not a replay contained it. */
  isAnswered: boolean;
}

export class DurabilityAudit {
  readonly #expect: KeyExpectation;
  readonly #byCommand = new Map<string, EqualRequests>();
  readonly #keys = new Map<string, KeyUse>();
  readonly #journal: JournaledRecord[] = [];
  /** The chain's digest after the group that ends with a record. */
  readonly #digests = new Map<number, string>();
  /** The last record that this life of the venue has published. */
  #published = 0;

  constructor(expectation: KeyExpectation) {
    this.#expect = expectation;
  }

  /** The last published record. */
  get lastSequence(): number {
    return this.#journal.length;
  }

  /** The last record of each published group. */
  get groupEnds(): readonly number[] {
    return [...this.#digests.keys()];
  }

  digestAt(sequence: number): string | undefined {
    return this.#digests.get(sequence);
  }

  /** A new life begins: it publishes the records after `sequence` again. */
  begin(sequence: number): void {
    this.#published = sequence;
  }

  /** Call it before each delivery to the venue. */
  delivered({ text, key }: Request): void {
    const equal = this.#requestsLike(text);
    if (key === undefined) {
      equal.unkeyed += 1;
      return;
    }
    equal.keyed.set(key, (equal.keyed.get(key) ?? 0) + 1);
    const use = this.#keys.get(key);
    if (use === undefined) this.#keys.set(key, { texts: new Set([text]), responded: 0, sequences: [] });
    else use.texts.add(text);
  }

  /** The venue reported that it did not accept this delivery. */
  notTaken({ text, key }: Request): void {
    const equal = this.#requestsLike(text);
    if (key === undefined) equal.unkeyed -= 1;
    else equal.keyed.set(key, equal.keyed.get(key)! - 1);
  }

  /** The venue reported that the key was used with another body. */
  conflicted(request: Request): void {
    this.notTaken(request);
    const others = this.#keys.get(request.key ?? '')?.texts.size ?? 0;
    demand(others > 1, `a conflict was answered, but the key came with no other body: ${request.describe()}`);
  }

  /** Takes a published group. Returns the records that are new. */
  published({ records, chainDigest }: CommittedGroup): CommittedRecord[] {
    const fresh = records.filter((record) => this.#take(record));
    const known = this.#digests.get(this.#published);
    demand(known === undefined || known === chainDigest, `the chain's digest at record ${this.#published} is not what it was`);
    this.#digests.set(this.#published, chainDigest);
    return fresh;
  }

  responded(request: Request, { replayed, ...record }: CommitResponse): void {
    const { sequence } = record;
    const journaled = this.#journal[sequence - 1];
    demand(journaled !== undefined && sequence <= this.#published, `record ${sequence} was answered before it was durable`);
    demand(JSON.stringify(record) === journaled.text, `record ${sequence} was answered otherwise than it is in the journal`);
    demand(
      JSON.stringify(record.command) === request.text,
      `record ${sequence} was the answer to another request: ${request.describe()}`,
    );
    demand(!replayed || request.key !== undefined, `record ${sequence} was answered again to a request without a key`);
    if (!replayed) {
      demand(!journaled.isAnswered, `record ${sequence} was the first answer to two deliveries: ${request.describe()}`);
      journaled.isAnswered = true;
    }
    if (request.key !== undefined) this.#checkResponseOfKey(request, sequence);
  }

  /** The venue refused this delivery and stored nothing. The key stays free, unless an earlier record used it. */
  refused(request: Request, refusal: UnrecordedRefusal): void {
    const { sequence, epochMs, command, events, replayed } = refusal;
    const what = `a refusal after record ${sequence}`;
    demand(sequence <= this.#published, `${what} was answered before that record was durable`);
    demand(JSON.stringify(command) === request.text, `${what} was the answer to another request: ${request.describe()}`);
    demand(!replayed || request.key !== undefined, `${what} was answered again to a request without a key`);
    const isRefusal = events.every(({ type }) => type === 'CommandRefused' || type === 'EntryRefused');
    demand(events.length > 0 && isRefusal, `${what} changed something, and is not in the journal: ${JSON.stringify(events)}`);
    const responded = this.#keys.get(request.key ?? '')?.responded ?? 0;
    const isExcused = responded === 0 || this.#mayBeForgottenBy(responded, sequence, epochMs);
    demand(isExcused, `record ${responded} has the same key as ${what}: ${request.describe()}`);
    this.notTaken(request);
  }

  /** The venue has started: every published and every acknowledged record is there. */
  recovered(sequence: number, chainDigest: string): void {
    const known = this.#journal.length;
    demand(sequence >= known && this.#published >= known, `record ${sequence + 1} was published, and is gone after a restart`);
    demand(sequence === this.#published, `the journal ends with record ${sequence}, ${this.#published} is the last published`);
    if (sequence > 0) demand(this.#digests.get(sequence) === chainDigest, `the chain's digest is not that of record ${sequence}`);
  }

  #take(record: CommittedRecord): boolean {
    demand(record.sequence === this.#published + 1, `record ${record.sequence} was published after record ${this.#published}`);
    this.#published = record.sequence;
    const text = JSON.stringify(record);
    const journaled = this.#journal[record.sequence - 1];
    if (journaled !== undefined) {
      demand(journaled.text === text, `record ${record.sequence} was published, and has changed since`);
      return false;
    }
    const before = this.#journal.at(-1)?.epochMs ?? 0;
    demand(record.epochMs >= before, `time goes back at record ${record.sequence}`);
    const account = 'account' in record.command ? record.command.account : 0;
    this.#journal.push({ text, epochMs: record.epochMs, account, isAnswered: false });
    this.#checkOrigin(record);
    return true;
  }

  /** Checks that every record comes from a delivery, and that at most one delivery of a key was accepted. */
  #checkOrigin({ sequence, command }: CommittedRecord): void {
    const text = JSON.stringify(command);
    const equal = this.#byCommand.get(text) ?? fail(`record ${sequence} has no request: ${text}`);
    const keys = [...equal.keyed].filter(([, deliveries]) => deliveries > 0).map(([key]) => key);
    const isAgain = equal.sequences.length >= equal.unkeyed + keys.length;
    const isExcused = isAgain && keys.length > 0 && equal.sequences.some((earlier) => this.#mayBeForgotten(earlier, sequence));
    const earlier = equal.sequences.at(-1);
    const what =
      earlier === undefined ? 'was accepted, and the response was that it was not' : `does again what record ${earlier} did`;
    demand(!isAgain || isExcused, `record ${sequence} ${what}: ${text}`);
    equal.sequences.push(sequence);
    if (equal.unkeyed === 0 && keys.length === 1) this.#checkKey(keys[0]!, sequence);
  }

  /** Checks that a key has one record. */
  #checkKey(key: string, sequence: number): void {
    const { sequences } = this.#keys.get(key)!;
    const earlier = sequences.findLast((before) => !this.#mayBeForgotten(before, sequence));
    demand(earlier === undefined, `records ${earlier} and ${sequence} both came of ${key}`);
    sequences.push(sequence);
  }

  #checkResponseOfKey(request: Request, sequence: number): void {
    const use = this.#keys.get(request.key!)!;
    const earlier = Math.min(use.responded, sequence);
    const later = Math.max(use.responded, sequence);
    const isExcused = earlier === 0 || earlier === later || this.#mayBeForgotten(earlier, later);
    demand(isExcused, `records ${earlier} and ${later} are answers to the same key: ${request.describe()}`);
    use.responded = later;
  }

  /** Whether the venue may have forgotten the key of the earlier record when it accepted the later one. */
  #mayBeForgotten(earlier: number, later: number): boolean {
    return this.#mayBeForgottenBy(earlier, later, this.#journal[later - 1]!.epochMs);
  }

  #mayBeForgottenBy(earlier: number, later: number, laterEpochMs: number): boolean {
    const { epochMs, account } = this.#journal[earlier - 1]!;
    if (epochMs + this.#expect.retentionMs < laterEpochMs) return true;
    let since = 0;
    for (let sequence = earlier; sequence < later; sequence += 1) {
      if (this.#journal[sequence]!.account === account) since += 1;
    }
    return since >= this.#expect.maxKeysPerAccount;
  }

  #requestsLike(text: string): EqualRequests {
    const known = this.#byCommand.get(text);
    if (known !== undefined) return known;
    const submissions = { unkeyed: 0, keyed: new Map<string, number>(), sequences: [] };
    this.#byCommand.set(text, submissions);
    return submissions;
  }
}
