/** What somebody asks of the venue: a command, under a key or without one, delivered once or more often. */
import { hash } from 'node:crypto';
import type { Command } from '#venue/command.ts';
import type { Submission } from '#writer/port/submit.ts';

export class Request {
  readonly command: Command;
  /** Without one, every delivery is a request of its own. */
  readonly key: string | undefined;
  /** The command as text: what tells it from others. */
  readonly text: string;
  readonly submission: Submission;
  /** Whoever sent it knows what became of it, or does not care any more. */
  isSettled = false;
  tries = 0;

  constructor(command: Command, key: string | undefined) {
    this.command = command;
    this.key = key;
    this.text = JSON.stringify(command);
    this.submission =
      key === undefined ? { command } : { command, idempotency: { keyDigest: digestOf(key), bodyDigest: digestOf(this.text) } };
  }

  /** For people. */
  describe(): string {
    return `${this.text.length > 300 ? `${this.text.slice(0, 300)}…` : this.text}${this.key === undefined ? '' : ` under key ${this.key}`}`;
  }
}

function digestOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
