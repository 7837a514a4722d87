/**
 * The coordinator's calls of the ledger: each ends within a time limit, and the outcome of the last one is what health and statuses
 * show.
 */
import type { LedgerCommand } from '#settlement/port/command.ts';
import { CommandRefused, type Ledger, LedgerBusy, LedgerUnavailable } from '#settlement/port/ledger.ts';
import type { KnownCommand, LedgerEntry } from '#settlement/port/receipt.ts';
import { type Timers, withTimeout } from '#time/timers.ts';
import type { Item } from './item.ts';

/** A call without a response by then counts as unanswered. What it did is found by the same command id. */
export const CALL_TIMEOUT_MS = 30_000;

export class LedgerCalls {
  readonly #ledger: Ledger;
  readonly #timers: Timers;
  readonly #onBusy: (reason: string) => void;
  /** Commands of open items that the ledger has acknowledged. */
  readonly #answered = new Set<string>();
  /** The items whose commands are not known to be sequenced, by command id. */
  readonly #awaiting = new Map<string, Item>();
  /** Commands of open items for which the ledger had no room when they were last submitted. */
  readonly #refused = new Set<string>();
  #isUp = false;

  /** `onBusy` is called when the ledger begins to refuse commands for lack of room. */
  constructor(ledger: Ledger, timers: Timers, onBusy: (reason: string) => void) {
    this.#ledger = ledger;
    this.#timers = timers;
    this.#onBusy = onBusy;
  }

  /** Whether the last call was answered. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether a command waits until the ledger has room for it. */
  get isBusy(): boolean {
    return this.#refused.size > 0;
  }

  /** Whether the ledger has acknowledged this command: it then has the command for good. */
  isAnswered(commandId: string): boolean {
    return this.#answered.has(commandId);
  }

  /** The item that waits for the command's receipt. */
  itemOf(commandId: string): Item | undefined {
    return this.#awaiting.get(commandId);
  }

  /** The command's item has recorded its receipt. */
  forget(commandId: string): void {
    this.#answered.delete(commandId);
    this.#awaiting.delete(commandId);
    this.#refused.delete(commandId);
  }

  /** Submits the command, or reads what became of it if the ledger has acknowledged it. */
  async submit(command: LedgerCommand, item: Item): Promise<KnownCommand> {
    const { commandId } = command;
    this.#awaiting.set(commandId, item);
    if (this.#answered.has(commandId)) {
      const found = await this.read((ledger) => ledger.lookUp(commandId));
      // Unknown: the ledger was restored from an older copy meanwhile.
      if (found.status !== 'unknown') return found;
      this.#answered.delete(commandId);
    }
    try {
      const known = await this.read((ledger) => ledger.submit(command));
      this.#answered.add(commandId);
      this.#refused.delete(commandId);
      return known;
    } catch (error) {
      if (error instanceof LedgerBusy) this.#noteRefused(commandId, error);
      // It waits for the operator now, not for room.
      if (error instanceof CommandRefused) this.#refused.delete(commandId);
      throw error;
    }
  }

  /** The ledger's entry at the offset; undefined if the ledger ends before it. */
  async entryAt(offset: number): Promise<LedgerEntry | undefined> {
    const [entry] = await this.read((ledger) => ledger.entries({ afterOffset: offset - 1, limit: 1 }));
    return entry;
  }

  #noteRefused(commandId: string, { message }: LedgerBusy): void {
    if (!this.isBusy) this.#onBusy(message);
    this.#refused.add(commandId);
  }

  /** Rejects with {@link LedgerUnavailable} also if there is no response in time. */
  async read<Value>(call: (ledger: Ledger) => Promise<Value>): Promise<Value> {
    try {
      const response = call(this.#ledger).then((value) => ({ value }));
      const inTime = await withTimeout(this.#timers, response, CALL_TIMEOUT_MS, { ref: false });
      // A response that fails later concerns no one.
      response.catch(() => undefined);
      if (inTime === undefined) throw new LedgerUnavailable(`the ledger did not respond within ${CALL_TIMEOUT_MS} ms`);
      this.#isUp = true;
      return inTime.value;
    } catch (error) {
      this.#isUp = !isUnanswered(error);
      throw error;
    }
  }
}

function isUnanswered(error: unknown): boolean {
  return error instanceof LedgerUnavailable;
}

/** Whether the same call may succeed later. */
export function mayRetry(error: unknown): boolean {
  return error instanceof LedgerUnavailable || error instanceof LedgerBusy;
}
