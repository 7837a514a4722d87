/**
 * The port into the single writer, and the one out of it. A submission resolves when its turn is applied and durable;
 * committed groups go to the projections and the realtime service in order, durable ones only, before any reply leaves.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';

/** What makes a retried request the same request (digests, so that nothing a client sent is kept in memory). */
export interface Idempotency {
  /** SHA-256 of account, operation and key. */
  readonly keyDigest: Uint8Array;
  /** SHA-256 of the body that came with the key. */
  readonly bodyDigest: Uint8Array;
}

export interface Submission {
  readonly command: Command;
  readonly idempotency?: Idempotency;
}

/** A command with the place and time that the writer gave it, and everything that came of it. */
export interface CommittedRecord {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
  readonly events: readonly VenueEvent[];
}

/** The answer to a submission. `replayed`: the same key and body were committed before; this is that record. */
export interface Committed extends CommittedRecord {
  readonly replayed: boolean;
  readonly isUnrecorded?: never;
}

/**
 * A refusal that changed nothing and is not in the journal, because it may pass (`UNSTORED_REFUSALS`) or its account was refused
 * too much (`RefusalLimits`): the same key runs again. `replayed`: another delivery of the same key and body was still waiting
 * for its response; this is that response.
 */
export interface UnrecordedRefusal {
  /** The newest record that the refusal was decided from, and the time of the decision. */
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
  /** One `CommandRefused`, or an `EntryRefused` for each entry of a batch. */
  readonly events: readonly VenueEvent[];
  /** Of a batch, the code of its first entry. */
  readonly code: RefusalCode;
  readonly replayed: boolean;
  readonly isUnrecorded: true;
}

/** The response to a submission. */
export type Outcome = Committed | UnrecordedRefusal;

/**
 * Rejects with {@link IdempotencyConflict}, {@link WriterBusy} or {@link VenueHalted}. A refusal by the venue is no
 * rejection: it is a committed record whose only event is `CommandRefused`, or an {@link UnrecordedRefusal}. A command that
 * cannot be written as bytes (a text beyond 65,535 bytes) is a defect of its caller: it rejects with what went wrong and was
 * not sequenced.
 */
export type Submit = (submission: Submission) => Promise<Outcome>;

/** What was seen of the state, with the newest record that it shows and the time by which it was looked at. */
export interface Looked<View> {
  readonly view: View;
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
}

/** Records that became durable together, in sequence, none missing. */
export interface CommittedGroup {
  readonly records: readonly CommittedRecord[];
  /** SHA-256 over this group's bytes and the digest before it: the journal's chain up to here, in hex. */
  readonly chainDigest: string;
  /** The group as it lies in the journal, for the call in which it is told: where it came from there. */
  readonly stored?: StoredGroup | undefined;
}

/** Takes committed groups in order. What is read after it returned reflects the group. */
export type FollowGroups = (group: CommittedGroup) => void;

/** The key was used with another body (409). */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
}

/**
 * More is queued, or more idempotency keys are to be kept, than the writer takes, or those who follow do not keep up; or the
 * answer to a key that comes again cannot be read just now (503, retryable). Nothing was sequenced.
 */
export class WriterBusy extends Error {
  override readonly name = 'WriterBusy';
}

/** The venue takes no commands (503 `venue_halted`). Whether the command was taken shows after a restart. */
export class VenueHalted extends Error {
  override readonly name = 'VenueHalted';
}
