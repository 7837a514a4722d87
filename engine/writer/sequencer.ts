/**
 * The single writer: submissions queue up, each gets its sequence and time and takes its turn, and the resulting records collect
 * for the next commit. The state runs ahead of the disk; responses do not.
 */

import type { SteadyClock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { CommandRefused, EntryRefused, VenueEvent } from '#venue/event.ts';
import type { ChainHead } from './group-commit.ts';
import { GroupCommit } from './group-commit.ts';
import type { IdempotencyIndex } from './idempotency/idempotency-index.ts';
import { IdempotentResponses } from './idempotency/idempotent-responses.ts';
import type { RefusalLimits } from './idempotency/refusal-budget.ts';
import { RefusalBudget } from './idempotency/refusal-budget.ts';
import type { GroupBuilder } from './journal/group.ts';
import type { Journal } from './journal/journal.ts';
import type { JournalTime } from './journal/journal-time.ts';
import type { RecordKey } from './journal/record.ts';
import type { Halt } from './port/halt.ts';
import { HaltSwitch } from './port/halt.ts';
import type { StateMachine } from './port/state-machine.ts';
import type { GroupListener, Idempotency, Outcome, StateView, Submission, UnrecordedRefusal } from './port/submit.ts';
import { VenueHalted, WriterBusy } from './port/submit.ts';
import { Waiting } from './port/waiting-submission.ts';
import type { SnapshotScheduler } from './snapshot/snapshot-scheduler.ts';

export interface SequencerLimits extends RefusalLimits {
  /** Submissions that may wait for their turn; the next one is refused with `WriterBusy`. */
  readonly maxQueued: number;
  /** A group is full at this number of records, or once they reach this length. */
  readonly maxGroupRecords: number;
  readonly maxGroupBytes: number;
}

export interface SequencerParts {
  readonly time: JournalTime;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  readonly journal: Journal;
  readonly index: IdempotencyIndex;
  readonly snapshots: SnapshotScheduler;
  readonly state: StateMachine;
  readonly rulesVersion: number;
  readonly follow: GroupListener;
  readonly mayTakeMore: () => boolean;
  readonly onHalt: (halt: Halt) => void;
  readonly onCommitted: (records: number, elapsedMs: number) => void;
  readonly onUnrecorded: (refusal: UnrecordedRefusal) => void;
  readonly limits: SequencerLimits;
}

/** After this many turns the event loop runs: a finished sync is noticed soon, and the next group starts without delay. */
const MAX_TURNS_PER_SLICE = 128;

/** Clients cause them, and they name no account: their refusals share one budget. */
const OF_CLIENTS_WITHOUT_ACCOUNT: ReadonlySet<Command['type']> = new Set([
  'RegisterOwner',
  'SubmitDepositStep',
  'SubmitWithdrawalStep',
]);

export class Sequencer {
  readonly #parts: SequencerParts;
  readonly #halt: HaltSwitch;
  readonly #responses: IdempotentResponses;
  readonly #commit: GroupCommit;
  readonly #refusals: RefusalBudget;
  readonly #queue: Waiting[] = [];
  /** The last record whose turn was processed. */
  #sequence: Sequence;
  #isTurnScheduled = false;
  #isClosing = false;

  constructor(parts: SequencerParts, place: ChainHead) {
    this.#parts = parts;
    this.#sequence = place.sequence;
    this.#refusals = new RefusalBudget(parts.limits);
    this.#halt = new HaltSwitch((halt) => {
      this.#rejectWaiting();
      parts.onHalt(halt);
    });
    this.#responses = new IdempotentResponses(parts.index, parts.journal, (cause) =>
      this.#halt.stop('journal_unreadable', cause),
    );
    this.#commit = new GroupCommit(
      { ...parts, responses: this.#responses, halt: this.#halt, onCapacity: () => this.#scheduleTurns() },
      place,
    );
  }

  get durable(): ChainHead {
    return this.#commit.durable;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get halt(): Halt | undefined {
    return this.#halt.halt;
  }

  /** See {@link Submit}. */
  submit(submission: Submission): Promise<Outcome> {
    const halted = this.#checkOpen();
    if (halted !== undefined) return Promise.reject(halted);
    const { index, time, limits, mayTakeMore } = this.#parts;
    const earlier = submission.idempotency && this.#responses.find(submission.idempotency, time.epochMs);
    if (earlier !== undefined) return earlier;
    if (!mayTakeMore()) return Promise.reject(busy('reads are too far behind: try again soon'));
    if (this.#queue.length >= limits.maxQueued) {
      return Promise.reject(busy(`${this.#queue.length} commands wait for their turn: try again soon`));
    }
    if (
      submission.idempotency !== undefined &&
      !index.hasCapacity(keyAccountOf(submission.idempotency, submission.command), time.epochMs)
    ) {
      return Promise.reject(busy('no idempotency key can be kept until older ones have expired: try again later'));
    }
    const waiting = new Waiting(submission);
    this.#queue.push(waiting);
    this.#responses.await(waiting);
    this.#scheduleTurns();
    return waiting.promise;
  }

  /** See {@link FindOutcome}. */
  async findOutcome(idempotency: Idempotency): Promise<Outcome | undefined> {
    const halted = this.#checkOpen();
    if (halted !== undefined) throw halted;
    return this.#responses.find(idempotency, this.#parts.time.advance());
  }

  /** The reason why no request is taken any more, if there is one. */
  #checkOpen(): VenueHalted | undefined {
    if (this.#halt.halt !== undefined) return this.#halt.error();
    return this.#isClosing ? new VenueHalted('the venue is shutting down') : undefined;
  }

  /** See `Writer.readAtCommit`. Queued submissions are not visible. */
  async readAtCommit<View>(read: (now: EpochMs) => View): Promise<StateView<View>> {
    if (this.#halt.halt !== undefined) throw this.#halt.error();
    const epochMs = this.#parts.time.advance();
    const view = read(epochMs);
    const sequence = this.#sequence;
    await this.#commit.durableUpTo(sequence);
    return { view, sequence, epochMs };
  }

  /** A submission that throws leaves the queue and the keys in an unknown state: the writer halts. */
  stopSubmitting(cause: unknown): Promise<never> {
    this.#halt.stop('submit_error', cause);
    return Promise.reject(this.#halt.error());
  }

  /** A subscriber of the journal cannot continue: the writer halts. */
  stopFollowing(cause: unknown): void {
    this.#halt.stop('follower_error', cause);
  }

  /** Takes nothing more. Resolves when everything taken is durable and responded to, or when the writer has halted. */
  async drain(): Promise<void> {
    this.#isClosing = true;
    do {
      this.#takeTurnsOrHalt();
      await this.#commit.settled();
    } while (this.#queue.length > 0);
  }

  /** The state is that of the last durable record: no turn is ahead of the journal. */
  get isSettled(): boolean {
    return this.#halt.halt === undefined && this.#sequence === this.#commit.durable.sequence;
  }

  /** Submissions that arrive in one iteration of the event loop take their turns together. */
  #scheduleTurns(): void {
    if (this.#isTurnScheduled || this.#queue.length === 0) return;
    this.#isTurnScheduled = true;
    this.#parts.timers.setImmediate(() => {
      this.#isTurnScheduled = false;
      this.#takeTurnsOrHalt();
    });
  }

  #takeTurnsOrHalt(): void {
    try {
      this.#takeTurns();
    } catch (cause) {
      this.#halt.stop('turn_error', cause);
    }
  }

  #takeTurns(): void {
    this.#parts.time.advance();
    let taken = 0;
    while (taken < this.#queue.length && taken < MAX_TURNS_PER_SLICE && this.#hasCapacity()) {
      this.#take(this.#queue[taken]!);
      taken += 1;
    }
    this.#queue.splice(0, taken);
    this.#commit.start();
    if (this.#hasCapacity()) this.#scheduleTurns();
  }

  #hasCapacity(): boolean {
    const { maxGroupRecords, maxGroupBytes } = this.#parts.limits;
    return this.#commit.recordCount < maxGroupRecords && this.#commit.byteLength < maxGroupBytes;
  }

  #take(waiting: Waiting): void {
    const { command, idempotency } = waiting.submission;
    const { time, rulesVersion, state } = this.#parts;
    const { builder } = this.#commit;
    const sequence = (this.#sequence + 1) as Sequence;
    const { epochMs } = time;
    const key = idempotency && keyOf(idempotency, command);
    try {
      builder.openRecord({ sequence, epochMs, rulesVersion, key }, command);
    } catch (cause) {
      // The command cannot be encoded: a bug of its caller. The state is unchanged, so only this submission is rejected.
      this.#responses.responded(waiting);
      waiting.reject(cause);
      return;
    }
    try {
      state.turn({ sequence, epochMs, command }, builder.events);
      if (builder.events.isRefusal && !this.#mayRecord(builder, command, epochMs)) {
        this.#refuse(waiting, epochMs, builder.dropRecord());
        return;
      }
      builder.closeRecord();
      this.#commit.added(waiting, epochMs, key);
      this.#sequence = sequence;
    } catch (cause) {
      // Its caller is rejected with the others: the submission is still in the queue.
      this.#halt.stop('turn_error', cause, `${command.type} that would have been record ${sequence}: `);
    }
  }

  /**
   * Returns whether to record a refusal: final ones are recorded while their account is within its refusal limits. The operator's are
   * always recorded.
   */
  #mayRecord({ events, openLength }: GroupBuilder, command: Command, epochMs: EpochMs): boolean {
    if (events.isUnstored) return false;
    const account = accountOf(command);
    if (account === 0 && !OF_CLIENTS_WITHOUT_ACCOUNT.has(command.type)) return true;
    return this.#refusals.take(account, openLength, epochMs);
  }

  /** Responds to a refusal that is not recorded, once every record that it is based on is durable. */
  #refuse(waiting: Waiting, epochMs: EpochMs, events: readonly VenueEvent[]): void {
    const sequence = this.#sequence;
    const { command } = waiting.submission;
    const { code } = events[0] as CommandRefused | EntryRefused;
    const refusal: UnrecordedRefusal = { sequence, epochMs, command, events, code, replayed: false, isUnrecorded: true };
    this.#commit.durableUpTo(sequence).then(
      () => {
        this.#responses.responded(waiting);
        waiting.resolve(refusal);
        this.#parts.onUnrecorded(refusal);
      },
      (cause: unknown) => {
        this.#responses.responded(waiting);
        waiting.reject(cause);
      },
    );
  }

  /** The turns of some may have been processed, but they are not durable and will not become durable. */
  #rejectWaiting(): void {
    const error = this.#halt.error();
    for (const waiting of this.#queue.splice(0)) waiting.reject(error);
    this.#commit.rejectCollecting();
  }
}

/** Without a stack trace, which would cost more than the turn itself just when the venue is overloaded. */
function busy(message: string): WriterBusy {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new WriterBusy(message);
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

function keyOf(idempotency: Idempotency, command: Command): RecordKey {
  const { keyDigest, bodyDigest } = idempotency;
  return { account: keyAccountOf(idempotency, command), keyDigest, bodyDigest };
}

function keyAccountOf({ account }: Idempotency, command: Command): number {
  return account ?? accountOf(command);
}

/** 0 stands for no account: operator commands and the opening of an account. */
function accountOf(command: Command): number {
  return 'account' in command ? command.account : 0;
}
