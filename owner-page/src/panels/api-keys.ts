/** The API keys of the account. */
import { pauseMs } from '../flows/polling.ts';
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { ApiKey } from '../venue/resources.ts';
import type { PageServices } from './panel.ts';
import { RemovableList } from './removable-list.ts';

/** About a minute: a program that polls has its key by then. */
const MAX_POLLS = 12;

export class ApiKeysPanel extends RemovableList<ApiKey> {
  readonly #operations: OwnerOperations;

  constructor(page: PageServices, operations: OwnerOperations) {
    super(page, 'api-keys');
    this.#operations = operations;
  }

  /** The program collects its key after the approval: the list shows it then. */
  awaitNewKey(): Promise<void> {
    return this.read('Waiting until the program has its key. Stay signed in: signing out ends the approval.', async () => {
      const before = new Set(this.entries?.map(({ keyId }) => keyId));
      for (let polls = 0; polls < MAX_POLLS; polls += 1) {
        await this.reread();
        if (this.entries?.some(({ keyId }) => !before.has(keyId))) return;
        await this.page.wait(pauseMs(polls), this.page.signal);
      }
    });
  }

  protected list(): Promise<readonly ApiKey[]> {
    return this.#operations.apiKeys();
  }

  protected delete(keyId: string): Promise<void> {
    return this.#operations.revokeApiKey(keyId);
  }
}
