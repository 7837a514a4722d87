/** The API keys of the account. */
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { ApiKey } from '../venue/resources.ts';
import type { PageServices } from './panel.ts';
import { RemovableList } from './removable-list.ts';

export class ApiKeysPanel extends RemovableList<ApiKey> {
  readonly #operations: OwnerOperations;

  constructor(page: PageServices, operations: OwnerOperations) {
    super(page, 'api-keys');
    this.#operations = operations;
  }

  protected list(): Promise<readonly ApiKey[]> {
    return this.#operations.apiKeys();
  }

  protected delete(keyId: string): Promise<void> {
    return this.#operations.revokeApiKey(keyId);
  }
}
