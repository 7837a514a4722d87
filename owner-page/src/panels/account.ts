/** What the account has: balances and transfers. */
import type { MoneyOperations } from '../venue/money-operations.ts';
import type { AccountSnapshot, Transfer } from '../venue/resources.ts';
import { type PageServices, Panel } from './panel.ts';

export class AccountPanel extends Panel {
  readonly #operations: MoneyOperations;
  snapshot: AccountSnapshot | undefined;
  /** Newest first; `undefined` until they were read. */
  transfers: readonly Transfer[] | undefined;
  #nextCursor: string | null = null;

  constructor(page: PageServices, operations: MoneyOperations) {
    super(page);
    this.#operations = operations;
  }

  get hasMore(): boolean {
    return this.#nextCursor !== null;
  }

  load(): Promise<void> {
    return this.read('Reads your account.', async () => {
      const [snapshot, page] = await Promise.all([this.#operations.account(), this.#operations.transfers()]);
      this.snapshot = snapshot;
      this.transfers = page.transfers;
      this.#nextCursor = page.nextCursor;
    });
  }

  loadMore(): Promise<void> {
    return this.read('Reads older transfers.', async () => {
      const page = await this.#operations.transfers(this.#nextCursor ?? undefined);
      this.transfers = [...(this.transfers ?? []), ...page.transfers];
      this.#nextCursor = page.nextCursor;
    });
  }
}
