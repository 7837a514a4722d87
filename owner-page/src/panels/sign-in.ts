/** Signs an owner in by passkey or by a provider. */
import { type Authenticator, approveByPasskey } from '../ceremonies/passkey.ts';
import type { Capabilities, OwnerSession, Provider } from '../venue/resources.ts';
import type { LocalCredentials, SignInOperations } from '../venue/sign-in-operations.ts';
import type { AttemptStore } from './attempt-store.ts';
import { type PageServices, Panel } from './panel.ts';
import { redirectTarget } from './redirect-target.ts';

export interface SignInParts {
  readonly operations: SignInOperations;
  readonly authenticator: Authenticator;
  readonly attempts: AttemptStore;
  readonly leaveTo: (url: string) => void;
  readonly onSignedIn: (session: OwnerSession) => void;
}

export class SignInPanel extends Panel {
  readonly #parts: SignInParts;
  capabilities: Capabilities | undefined;

  constructor(page: PageServices, parts: SignInParts) {
    super(page);
    this.#parts = parts;
  }

  load(): Promise<void> {
    return this.read('Reading how to sign in…', async () => {
      this.capabilities = await this.#parts.operations.capabilities();
    });
  }

  byPasskey(): Promise<void> {
    return this.run('Waiting for your passkey…', async () => {
      const { challenge } = await this.#parts.operations.startPasskeyLogin();
      const approval = await approveByPasskey(this.#parts.authenticator, challenge);
      this.#parts.onSignedIn(await this.#parts.operations.finishPasskeyLogin(approval));
    });
  }

  byProvider({ provider }: Provider, local?: LocalCredentials): Promise<void> {
    return this.run('Signing you in…', async () => {
      const started = await this.#parts.operations.start('login', { provider, ...(local === undefined ? {} : { local }) });
      if (started.session != null) return this.#parts.onSignedIn(started.session);
      this.#parts.attempts.save({ purpose: 'login', provider, attempt: started.attempt! });
      this.#parts.leaveTo(redirectTarget(started));
    });
  }

  /** After the provider sent the owner back. */
  finish(provider: string, attempt: string, callback: string): Promise<void> {
    return this.run('Signing you in…', async () => {
      const { session } = await this.#parts.operations.finish('login', { provider, attempt, callback });
      if (session != null) this.#parts.onSignedIn(session);
    });
  }
}
