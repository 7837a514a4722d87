/**
 * Submissions as consecutive bytes: half a million of them do not use the measured heap. Each is decoded when due, like an edge
 * decodes what it receives.
 */
import type { Command } from '#venue/command.ts';
import { readCommand, writeCommand } from '#venue/record/command-record.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { DIGEST_BYTES } from '#writer/journal/record.ts';
import type { Submission } from '#writer/port/submit.ts';
import { keyDigestOf } from './bench-journal.ts';

export class PackedSubmissions {
  readonly #bytes = new ByteWriter();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `isKeyed`: with an idempotency key, as clients send orders. */
  add(command: Command, isKeyed: boolean): void {
    writeCommand(this.#bytes, command);
    if (this.#bytes.flag(isKeyed)) this.#bytes.bytes(keyDigestOf(this.#count));
    this.#count += 1;
  }

  *[Symbol.iterator](): Generator<Submission> {
    const next = this.reader();
    for (let taken = 0; taken < this.#count; taken += 1) yield next();
  }

  /** Returns a function that reads the next submission. The bytes must be complete: they are read in place. */
  reader(): () => Submission {
    const bytes = new ByteReader(this.#bytes.written());
    return () => {
      const command = readCommand(bytes);
      if (!bytes.flag()) return { command };
      const digest = bytes.bytes(DIGEST_BYTES);
      return { command, idempotency: { keyDigest: digest, bodyDigest: digest } };
    };
  }
}
