/** The switch that stops the writer for good: a failed write or sync, or a defect. Only a new start gets past it. */
import { VenueHalted } from './submit.ts';

/** What can stop the writer, in words that anyone may hear. */
export const HALT_REASONS = {
  journal_unwritable: 'the journal cannot be written',
  journal_unreadable: 'the journal cannot be read',
  submit_defect: 'an internal error stopped the intake of commands',
  turn_defect: 'a defect stopped the turn of a command',
  follower_defect: 'a defect stopped what follows the journal',
  follower_disk_full: 'the disk is full',
  snapshot_defect: 'a defect stopped a snapshot',
} as const;
export type HaltReason = (typeof HALT_REASONS)[keyof typeof HALT_REASONS];

/** Why the writer stopped. */
export interface Halt {
  /** For anyone. */
  readonly reason: HaltReason;
  /** For the operator and the log alone: it names what failed, paths too. */
  readonly detail: string;
  readonly cause: unknown;
}

export class HaltSwitch {
  readonly #onHalt: (halt: Halt) => void;
  #halt: Halt | undefined;

  /** `onHalt` hears of it once, at once. */
  constructor(onHalt: (halt: Halt) => void) {
    this.#onHalt = onHalt;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** The first reason counts: what goes wrong afterwards comes of it. `at` says where it happened. */
  stop(kind: keyof typeof HALT_REASONS, cause: unknown, at = ''): void {
    if (this.#halt !== undefined) return;
    const detail = `${at}${cause instanceof Error ? cause.message : String(cause)}`;
    const told = kind === 'follower_defect' && isDiskFull(cause) ? 'follower_disk_full' : kind;
    this.#halt = { reason: HALT_REASONS[told], detail, cause };
    this.#onHalt(this.#halt);
  }

  /** What callers hear who were not answered. */
  error(): VenueHalted {
    return new VenueHalted(
      `the venue takes no commands until it is started again (${this.#halt?.reason}: ${this.#halt?.detail})`,
      {
        cause: this.#halt?.cause,
      },
    );
  }
}

const SQLITE_FULL = 13;

/** What follows the journal may keep files of its own, or a database: a full disk is the operator's to mend, and no defect. */
function isDiskFull(cause: unknown): boolean {
  const { code, errcode = 0 } = (cause ?? {}) as { code?: unknown; errcode?: number };
  return code === 'ENOSPC' || (errcode & 0xff) === SQLITE_FULL;
}
