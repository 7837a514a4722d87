/** A request to the venue: a command, with or without an idempotency key, delivered once or several times. */
import { hash } from 'node:crypto';
import type { Command } from '#venue/command.ts';
import type { Submission } from '#writer/port/submit.ts';

export class Request {
  readonly command: Command;
  /** Without one, every delivery is a request of its own. */
  readonly key: string | undefined;
  /** The command as text, which identifies it. */
  readonly text: string;
  readonly submission: Submission;
  /** The sender knows the outcome, or has given up. */
  isSettled = false;
  tries = 0;

  constructor(command: Command, key: string | undefined) {
    this.command = command;
    this.key = key;
    this.text = JSON.stringify(command);
    this.submission =
      key === undefined ? { command } : { command, idempotency: { keyDigest: digestOf(key), bodyDigest: digestOf(this.text) } };
  }

  /** A text for failure reports. */
  describe(): string {
    return `${this.text.length > 300 ? `${this.text.slice(0, 300)}…` : this.text}${this.key === undefined ? '' : ` under key ${this.key}`}`;
  }
}

function digestOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
