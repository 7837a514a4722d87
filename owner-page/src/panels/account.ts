/**
 * What the account has: balances and transfers. The venue lists transfers by their last change, oldest first, so the panel reads
 * them to the end once, and later only what changed since.
 */
import type { MoneyOperations } from '../venue/money-operations.ts';
import type { AccountSnapshot, Transfer } from '../venue/resources.ts';
import { type PageServices, Panel } from './panel.ts';

/** Of 100 transfers each; the next reading continues. */
const MAX_PAGES = 50;
const SHOWN_AT_ONCE = 20;

export class AccountPanel extends Panel {
  readonly #operations: MoneyOperations;
  snapshot: AccountSnapshot | undefined;
  /** By id, in the order of their last change. */
  readonly #transfers = new Map<string, Transfer>();
  #shown = SHOWN_AT_ONCE;
  /** Of the last change that was read. */
  #sinceEpochMs = 0;

  constructor(page: PageServices, operations: MoneyOperations) {
    super(page);
    this.#operations = operations;
  }

  /** The newest ones, newest first. */
  get transfers(): readonly Transfer[] {
    return [...this.#transfers.values()].reverse().slice(0, this.#shown);
  }

  get hasMore(): boolean {
    return this.#transfers.size > this.#shown;
  }

  load(): Promise<void> {
    return this.read('Reading your account…', async () => {
      const [snapshot] = await Promise.all([this.#operations.account(), this.#readTransfers()]);
      this.snapshot = snapshot;
    });
  }

  showMore(): void {
    this.#shown += SHOWN_AT_ONCE;
    this.page.changed();
  }

  async #readTransfers(): Promise<void> {
    const since = this.#sinceEpochMs;
    let cursor: string | null = null;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await this.#operations.transfers(since, cursor);
      for (const transfer of page.transfers) this.#update(transfer);
      cursor = page.nextCursor;
      if (cursor === null) return;
    }
  }

  #update(transfer: Transfer): void {
    this.#transfers.delete(transfer.transferId);
    this.#transfers.set(transfer.transferId, transfer);
    this.#sinceEpochMs = Math.max(this.#sinceEpochMs, transfer.updatedAtEpochMs);
  }
}
