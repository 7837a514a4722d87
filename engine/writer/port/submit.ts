/**
 * The port into the single writer, and the one out of it. A submission resolves when its turn is processed and durable. Committed
 * groups are published in order to the projections and the realtime service, durable ones only, before any response is sent.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';

/** Identifies a retried request. Digests, so that nothing that a client sent stays in memory. */
export interface Idempotency {
  /** SHA-256 of account, operation and key. */
  readonly keyDigest: Uint8Array;
  /** SHA-256 of the body that came with the key. */
  readonly bodyDigest: Uint8Array;
  /** The account whose share of keys includes this one. By default the one that the command names. */
  readonly account?: number;
}

export interface Submission {
  readonly command: Command;
  readonly idempotency?: Idempotency;
}

/** A command with the sequence and time that the writer gave it, and its events. */
export interface CommittedRecord {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
  readonly events: readonly VenueEvent[];
}

/** The response to a submission. `replayed`: the same key and body were committed before; this is that record. */
export interface CommitResponse extends CommittedRecord {
  readonly replayed: boolean;
  readonly isUnrecorded?: never;
}

/**
 * A refusal that changed nothing and is not in the journal, because it may be temporary (`UNSTORED_REFUSALS`) or because its
 * account exceeded its `RefusalLimits`: the same key runs again. `replayed`: another delivery of the same key and body was still
 * waiting for its response; this is that response.
 */
export interface UnrecordedRefusal {
  /** The newest record that the decision is based on, and the time of the decision. */
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
  /** One `CommandRefused`, or an `EntryRefused` for each entry of a batch. */
  readonly events: readonly VenueEvent[];
  /** For a batch, the code of its first entry. */
  readonly code: RefusalCode;
  readonly replayed: boolean;
  readonly isUnrecorded: true;
}

/** The response to a submission. */
export type Outcome = CommitResponse | UnrecordedRefusal;

/**
 * Rejects with {@link IdempotencyConflict}, {@link WriterBusy} or {@link VenueHalted}. A refusal by the venue is not a rejection:
 * it is a committed record whose only event is `CommandRefused`, or an {@link UnrecordedRefusal}. A command that cannot be
 * encoded (a text beyond 65,535 bytes) is a bug of its caller: it is not sequenced, and the promise rejects with the cause.
 */
export type Submit = (submission: Submission) => Promise<Outcome>;

/**
 * Looks up the earlier outcome of a key and submits nothing. Waits for a pending submission. Resolves with `undefined` if the key is
 * new, has expired, or had an {@link UnrecordedRefusal}. Costs a lookup in memory, and a read of the journal if there is a record.
 * Rejects with {@link IdempotencyConflict}, {@link WriterBusy} or {@link VenueHalted}.
 */
export type FindOutcome = (idempotency: Idempotency) => Promise<Outcome | undefined>;

/** A view of the state, with the newest record that it reflects and the time of the read. */
export interface StateView<View> {
  readonly view: View;
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
}

/** Records that became durable together, in sequence, without gaps. */
export interface CommittedGroup {
  readonly records: readonly CommittedRecord[];
  /** SHA-256 over this group's bytes and the previous digest: the journal's chain up to here, in hex. */
  readonly chainDigest: string;
  /** The group as stored in the journal, if it came from there; valid for the duration of the call only. */
  readonly stored?: StoredGroup | undefined;
}

/** Takes committed groups in order. Reads after it returned reflect the group. */
export type GroupListener = (group: CommittedGroup) => void;

/** The key was used with another body (409). */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
}

/**
 * The queue or the idempotency index is full, the subscribers do not keep up, or the stored response to a repeated key cannot be
 * read now (503, retryable). Nothing was sequenced.
 */
export class WriterBusy extends Error {
  override readonly name = 'WriterBusy';
}

/** The venue takes no commands (503 `venue_halted`). Whether the command was committed shows after a restart. */
export class VenueHalted extends Error {
  override readonly name = 'VenueHalted';
}
