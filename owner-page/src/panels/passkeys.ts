/** The passkeys of the account. A second one is the only help if the first is lost. */
import { type Authenticator, approveByPasskey, createPasskey } from '../ceremonies/passkey.ts';
import type { OwnerOperations } from '../venue/owner-operations.ts';
import type { Passkey } from '../venue/resources.ts';
import type { PageServices } from './panel.ts';
import { RemovableList } from './removable-list.ts';

export class PasskeysPanel extends RemovableList<Passkey> {
  readonly #operations: OwnerOperations;
  readonly #authenticator: Authenticator;

  constructor(page: PageServices, operations: OwnerOperations, authenticator: Authenticator) {
    super(page, 'passkeys');
    this.#operations = operations;
    this.#authenticator = authenticator;
  }

  add(name: string): Promise<void> {
    return this.run('Waiting for the new passkey…', async () => {
      const { creation } = await this.#operations.initiatePasskey();
      const registration = await createPasskey(this.#authenticator, creation!, name);
      const { challenge } = await this.#operations.approvePasskey(registration);
      this.progress('Waiting for a passkey that your account has: it approves the new one.');
      const approval = await approveByPasskey(this.#authenticator, challenge!);
      await this.#operations.completePasskey(registration, approval);
      await this.reread();
      this.page.announce('The passkey was added.');
      this.page.moveFocus('passkeys');
    });
  }

  /** Returns false if the venue refused. */
  async endAllSessions(): Promise<boolean> {
    await this.run('Ending all sessions…', () => this.#operations.endAllSessions());
    return this.failure === undefined;
  }

  protected list(): Promise<readonly Passkey[]> {
    return this.#operations.passkeys();
  }

  protected async delete(passkeyId: string): Promise<void> {
    const { challenge } = await this.#operations.removePasskey(passkeyId);
    this.progress('Waiting for a passkey that your account has: it approves the removal.');
    const approval = await approveByPasskey(this.#authenticator, challenge!);
    await this.#operations.removePasskey(passkeyId, approval);
  }
}
