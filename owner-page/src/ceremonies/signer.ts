/** Signs the challenges of one signed-in owner: by the setup key if the challenge permits it and this browser has it. */
import type { Approval, Challenge } from '../venue/resources.ts';
import type { SetupKeyStore } from './key-store.ts';
import { type Authenticator, approveByPasskey } from './passkey.ts';
import { approveBySetupKey, type SetupKey } from './setup-key.ts';

export class Signer {
  readonly #authenticator: Authenticator;
  readonly #store: SetupKeyStore;
  readonly #accountId: string;

  constructor(authenticator: Authenticator, store: SetupKeyStore, accountId: string) {
    this.#authenticator = authenticator;
    this.#store = store;
    this.#accountId = accountId;
  }

  /** Prompts the owner. */
  byPasskey(challenge: Challenge): Promise<Approval> {
    return approveByPasskey(this.#authenticator, challenge);
  }

  /** Without a prompt; `undefined` if the setup key of this browser may not sign. */
  async bySetupKey(challenge: Challenge): Promise<Approval | undefined> {
    if (challenge.allowCredentials.key.length === 0) return undefined;
    const key = await this.setupKey();
    const isAllowed = challenge.allowCredentials.key.some(({ id }) => id === key?.credentialId);
    return key !== undefined && isAllowed ? approveBySetupKey(key, challenge) : undefined;
  }

  async setupKey(): Promise<SetupKey | undefined> {
    return this.#store.find(this.#accountId).catch(() => undefined);
  }

  /** Before the venue registers the key: if the answer is lost, the browser has it. Returns false if the browser refuses. */
  async keepSetupKey(key: SetupKey): Promise<boolean> {
    return this.#store.save(this.#accountId, key).then(
      () => true,
      () => false,
    );
  }

  async forgetSetupKey(): Promise<void> {
    await this.#store.remove(this.#accountId).catch(() => {});
  }
}
