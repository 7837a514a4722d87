/**
 * The switch that stops the writer for good after a failed write, a failed sync or an internal error. Only a restart resets it.
 */
import { VenueHalted } from './submit.ts';

/** The reasons for a halt. Clients can see these texts. */
export const HALT_REASONS = {
  journal_unwritable: 'the journal cannot be written',
  journal_unreadable: 'the journal cannot be read',
  submit_error: 'an internal error stopped the intake of commands',
  turn_error: 'an internal error stopped the turn of a command',
  follower_error: 'an internal error stopped a subscriber of the journal',
  follower_disk_full: 'the disk is full',
  snapshot_error: 'an internal error stopped a snapshot',
} as const;
export type HaltReason = (typeof HALT_REASONS)[keyof typeof HALT_REASONS];

/** Why the writer stopped. */
export interface Halt {
  /** Public. */
  readonly reason: HaltReason;
  /** For the operator and the log only: it names what failed, including paths. */
  readonly detail: string;
  readonly cause: unknown;
}

export class HaltSwitch {
  readonly #onHalt: (halt: Halt) => void;
  #halt: Halt | undefined;

  /** `onHalt` is called synchronously, once. */
  constructor(onHalt: (halt: Halt) => void) {
    this.#onHalt = onHalt;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** Only the first reason counts: later failures are its consequences. `at` says where it happened. */
  stop(kind: keyof typeof HALT_REASONS, cause: unknown, at = ''): void {
    if (this.#halt !== undefined) return;
    const detail = `${at}${cause instanceof Error ? cause.message : String(cause)}`;
    const reason = kind === 'follower_error' && isDiskFull(cause) ? 'follower_disk_full' : kind;
    this.#halt = { reason: HALT_REASONS[reason], detail, cause };
    this.#onHalt(this.#halt);
  }

  /** The rejection for callers without a response. */
  error(): VenueHalted {
    return new VenueHalted(`the venue takes no commands until it is restarted (${this.#halt?.reason}: ${this.#halt?.detail})`, {
      cause: this.#halt?.cause,
    });
  }
}

const SQLITE_FULL = 13;

/** A subscriber may write files or a database of its own. A full disk there is for the operator to fix; it is not a bug. */
function isDiskFull(cause: unknown): boolean {
  const { code, errcode = 0 } = (cause ?? {}) as { code?: unknown; errcode?: number };
  return code === 'ENOSPC' || (errcode & 0xff) === SQLITE_FULL;
}
