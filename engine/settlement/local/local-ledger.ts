/**
 * The external ledger in this process, durable in its own log. Each write stores the commands that were submitted meanwhile and
 * sequences the oldest pending one. Nothing is answered from memory that is not durable; a failed write ends the ledger.
 */
import { randomBytes } from 'node:crypto';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { canonicalText, checkedCommand } from '#settlement/port/command-form.ts';
import type { LedgerHead, LedgerSupply } from '#settlement/port/contracts.ts';
import {
  CommandRefused,
  type Ledger,
  LedgerBusy,
  LedgerUnavailable,
  type PageRequest,
  type ReceiptListener,
} from '#settlement/port/ledger.ts';
import type { CommandLookup, KnownCommand, Receipt } from '#settlement/port/receipt.ts';
import type { Clock } from '#time/clock.ts';
import { type EpochMs, largerOf } from '#units/money.ts';
import type { Files } from '#writer/journal/files.ts';
import { LedgerLog } from './ledger-log.ts';
import { balanceOf, consentOf, entriesAfter, lookUp, supplyOf } from './ledger-reads.ts';
import { plan } from './ledger-rules.ts';
import type { LedgerState, Outcome } from './ledger-state.ts';
import { firstBody, frameBody, restore } from './log-entry.ts';

export interface LocalLedgerOptions {
  /** A folder of a locked data directory. */
  readonly files: Files;
  readonly clock: Clock;
  /** Whether `development_issue` is carried out. Only on development environments. */
  readonly allowsIssue: boolean;
  /** The id of a ledger that does not exist yet. */
  readonly newLedgerId?: () => string;
  /** The log's size from which on no new command is taken. */
  readonly maxLogBytes?: number;
}

/**
 * About half a million commands. A start reads and checks all of them: 60 µs for each, measured. Memory grows by three quarters of the
 * log's size.
 */
export const DEFAULT_MAX_LOG_BYTES = 512 << 20;
/** Submitted and not sequenced yet. */
export const MAX_PENDING_COMMANDS = 1_000;
/** A write of at most 64 KiB. */
const MAX_SUBMISSIONS_PER_FRAME = 64;

interface Waiting {
  readonly command: LedgerCommand;
  readonly stored: PromiseWithResolvers<KnownCommand>;
}

export class LocalLedger implements Ledger {
  readonly #log: LedgerLog;
  readonly #state: LedgerState;
  readonly #clock: Clock;
  readonly #allowsIssue: boolean;
  readonly #maxLogBytes: number;
  /** Not durable yet, by command id, in the order of submission. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<ReceiptListener>();
  #committing: Promise<void> | undefined;
  /** Why it takes no more calls. */
  #ended: string | undefined;
  #closed: Promise<void> | undefined;

  private constructor(log: LedgerLog, state: LedgerState, { clock, allowsIssue, maxLogBytes }: LocalLedgerOptions) {
    this.#log = log;
    this.#state = state;
    this.#clock = clock;
    this.#allowsIssue = allowsIssue;
    this.#maxLogBytes = maxLogBytes ?? DEFAULT_MAX_LOG_BYTES;
  }

  /** Continues with the commands that were pending. Throws `LedgerDamaged`. */
  static async open(options: LocalLedgerOptions): Promise<LocalLedger> {
    const newId = options.newLedgerId ?? (() => randomBytes(16).toString('hex'));
    const { log, frames } = await LedgerLog.open(options.files, () => firstBody(newId()));
    try {
      const ledger = new LocalLedger(log, restore(frames), options);
      ledger.#commitSoon();
      return ledger;
    } catch (cause) {
      await log.close();
      throw cause;
    }
  }

  async submit(command: LedgerCommand): Promise<KnownCommand> {
    this.#requireOpen();
    const checked = checkedCommand(command);
    const waiting = this.#waiting.get(checked.commandId);
    const stored = this.#state.commands.get(checked.commandId);
    requireSame(checked, waiting?.command ?? stored?.command);
    if (waiting !== undefined) return waiting.stored.promise;
    if (stored !== undefined) return lookUp(this.#state, checked.commandId) as KnownCommand;
    this.#requireRoom(checked);
    const added: Waiting = { command: checked, stored: Promise.withResolvers() };
    this.#waiting.set(checked.commandId, added);
    this.#commitSoon();
    return added.stored.promise;
  }

  async lookUp(commandId: string): Promise<CommandLookup> {
    return lookUp(this.#durable(), commandId);
  }

  async entries(page: PageRequest) {
    return entriesAfter(this.#durable(), page);
  }

  async head(): Promise<LedgerHead> {
    const { ledgerId, treasury, custody, offset, ledgerEventId } = this.#durable();
    return { ledgerId, treasuryPartyId: treasury.partyId, custodyPartyId: custody.partyId, offset, ledgerEventId };
  }

  async balance(partyId: string) {
    return balanceOf(this.#durable(), partyId);
  }

  async offer(offerId: string) {
    return this.#durable().offers.get(offerId);
  }

  async consent(partyId: string) {
    return consentOf(this.#durable(), partyId);
  }

  async supply(): Promise<LedgerSupply> {
    return supplyOf(this.#durable());
  }

  watch(listener: ReceiptListener): () => void {
    // The same function may be subscribed twice.
    const subscription: ReceiptListener = (receipt) => listener(receipt);
    this.#listeners.add(subscription);
    return () => void this.#listeners.delete(subscription);
  }

  /** Takes no more calls. Resolves when the submitted commands are sequenced and the file is closed. */
  async close(): Promise<void> {
    this.#ended ??= 'the external ledger is closed';
    await this.#committing;
    this.#closed ??= this.#log.close();
    await this.#closed;
  }

  #commitSoon(): void {
    if (this.#committing !== undefined || !this.#hasWork()) return;
    this.#committing = this.#commitAll().finally(() => {
      this.#committing = undefined;
    });
  }

  #hasWork(): boolean {
    return this.#waiting.size > 0 || this.#state.pending.size > 0;
  }

  async #commitAll(): Promise<void> {
    try {
      while (this.#hasWork()) await this.#commitFrame();
    } catch (cause) {
      this.#halt(cause as Error);
    }
  }

  async #commitFrame(): Promise<void> {
    const [oldest] = this.#state.pending.values();
    const outcome = oldest === undefined ? undefined : plan(this.#state, oldest, this.#now());
    const submitted = [...this.#waiting.values()].slice(0, MAX_SUBMISSIONS_PER_FRAME);
    const commands = submitted.map(({ command }) => command);
    await this.#log.append(frameBody(outcome?.receipt ?? null, commands));
    if (oldest !== undefined) this.#state.commit(oldest, outcome!);
    for (const { command, stored } of submitted) {
      this.#state.store(command);
      this.#waiting.delete(command.commandId);
      stored.resolve({ status: 'pending' });
    }
    if (outcome !== undefined) this.#publish(outcome);
  }

  #publish({ receipt }: Outcome): void {
    for (const listener of [...this.#listeners]) notify(listener, receipt);
  }

  /** The ledger's time does not follow a clock that is set back. */
  #now(): EpochMs {
    return largerOf(this.#clock.now(), this.#state.lastEpochMs);
  }

  /** The disk may or may not have the frame: what is in memory must not be answered any more. */
  #halt(cause: Error): void {
    this.#ended = `the external ledger has stopped because its log could not be written (${cause.message}): repair the disk and start again`;
    for (const { stored } of this.#waiting.values()) stored.reject(new LedgerUnavailable(this.#ended, { cause }));
    this.#waiting.clear();
  }

  #requireRoom({ step }: LedgerCommand): void {
    if (step === 'development_issue' && !this.#allowsIssue)
      throw new CommandRefused('development_issue: this ledger issues no money: start the venue with --environment development');
    if (this.#log.bytes >= this.#maxLogBytes)
      throw new LedgerBusy(
        `the external ledger's log has reached its limit of ${this.#maxLogBytes} bytes and takes no new commands: start the venue with a higher --ledger-log-mib`,
      );
    if (this.#waiting.size + this.#state.pending.size >= MAX_PENDING_COMMANDS)
      throw new LedgerBusy(`${MAX_PENDING_COMMANDS} commands wait to be sequenced: submit again later`);
  }

  #durable(): LedgerState {
    this.#requireOpen();
    return this.#state;
  }

  #requireOpen(): void {
    if (this.#ended !== undefined) throw new LedgerUnavailable(this.#ended);
  }
}

function requireSame(command: LedgerCommand, known: LedgerCommand | undefined): void {
  if (known === undefined || canonicalText(known) === canonicalText(command)) return;
  throw new CommandRefused(`the command id ${command.commandId} belongs to another command (${known.step}): choose a new id`);
}

/** A listener's error is an uncaught exception of its own, not a failed write. */
function notify(listener: ReceiptListener, receipt: Receipt): void {
  queueMicrotask(() => listener(receipt));
}
