/**
 * Gives a repeated request the first response instead of executing it again: the pending response of the first delivery, or the
 * record in the journal.
 */

import type { Journal } from '#writer/journal/journal.ts';
import { committedRecord } from '#writer/journal/record.ts';
import type { JournalPosition } from '#writer/journal/segment.ts';
import type { CommitResponse, Idempotency, Outcome } from '#writer/port/submit.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { Waiting } from '#writer/port/waiting-submission.ts';
import type { IdempotencyIndex } from './idempotency-index.ts';
import { PendingKeys } from './pending-keys.ts';

export class IdempotentResponses {
  readonly #index: IdempotencyIndex;
  readonly #journal: Journal;
  readonly #onUnreadable: (cause: unknown) => void;
  readonly #pendingKeys = new PendingKeys();

  /** `onUnreadable` is called when an acknowledged record cannot be read back. */
  constructor(index: IdempotencyIndex, journal: Journal, onUnreadable: (cause: unknown) => void) {
    this.#index = index;
    this.#journal = journal;
    this.#onUnreadable = onUnreadable;
  }

  /** The response to a known key, or `undefined` for a new one. */
  find(idempotency: Idempotency, epochMs: number): Promise<Outcome> | undefined {
    const unanswered = this.#pendingKeys.find(idempotency.keyDigest);
    if (unanswered !== undefined) return repeatResponse(unanswered, idempotency);
    const position = this.#index.find(idempotency.keyDigest, epochMs);
    return position === undefined ? undefined : this.#fromJournal(position, idempotency);
  }

  await(waiting: Waiting): void {
    const { idempotency } = waiting.submission;
    if (idempotency !== undefined) this.#pendingKeys.add(idempotency.keyDigest, waiting);
  }

  /** Call it synchronously with the response, and with adding the key to the index if its record became durable. */
  responded(waiting: Waiting): void {
    const { idempotency } = waiting.submission;
    if (idempotency !== undefined) this.#pendingKeys.remove(idempotency.keyDigest, waiting);
  }

  async #fromJournal(position: JournalPosition, request: Idempotency): Promise<CommitResponse> {
    const stored = await this.#journal.readRecord(position).catch((cause: unknown) => {
      if (cause instanceof WriterBusy) throw cause;
      this.#onUnreadable(cause);
      throw new VenueHalted('an earlier response cannot be read', { cause });
    });
    if (stored.key === undefined || !isSame(stored.key, request)) throw conflict();
    return { ...committedRecord(stored), replayed: true };
  }
}

async function repeatResponse(waiting: Waiting, request: Idempotency): Promise<Outcome> {
  if (!isSame(waiting.submission.idempotency!, request)) throw conflict();
  return { ...(await waiting.promise), replayed: true };
}

function isSame(known: Idempotency, request: Idempotency): boolean {
  return Buffer.compare(known.keyDigest, request.keyDigest) === 0 && Buffer.compare(known.bodyDigest, request.bodyDigest) === 0;
}

function conflict(): IdempotencyConflict {
  return new IdempotencyConflict('the idempotency key was used with another body: send the same body again, or use a new key');
}
