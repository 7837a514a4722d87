/** Registers an account: a provider proves who the owner is, then a new passkey ends it. */
import { createPasskey } from '../ceremonies/passkey.ts';
import type { PasskeyCreation, Provider, SocialSignIn } from '../venue/resources.ts';
import type { LocalCredentials } from '../venue/sign-in-operations.ts';
import { isPassing, VenueError } from '../venue/venue-error.ts';
import { type PageServices, Panel } from './panel.ts';
import { redirectTarget } from './redirect-target.ts';
import type { SignInParts } from './sign-in.ts';

const IS_REGISTERED = 'Your account exists already. Sign in with its passkey.';

export class RegistrationPanel extends Panel {
  readonly #parts: SignInParts;
  /** What the passkey is made for, once the provider has answered. */
  due: { readonly attempt: string; readonly creation: PasskeyCreation } | undefined;
  notice: string | undefined;

  constructor(page: PageServices, parts: SignInParts) {
    super(page);
    this.#parts = parts;
  }

  start({ provider }: Provider, local?: LocalCredentials, referralCode?: string): Promise<void> {
    return this.run('Starting your registration…', async () => {
      const started = await this.#parts.operations.start('register', {
        provider,
        ...(local === undefined ? {} : { local }),
        ...(referralCode ? { referralCode } : {}),
      });
      this.#parts.attempts.save({ purpose: 'register', provider, attempt: started.attempt! });
      if (started.status === 'redirect') this.#parts.leaveTo(redirectTarget(started));
      else this.#showCreation(started);
    });
  }

  /** After the provider sent the owner back. */
  finish(provider: string, attempt: string, callback: string): Promise<void> {
    return this.run('Continuing your registration…', async () => {
      this.#showCreation(await this.#parts.operations.finish('register', { provider, attempt, callback }));
    });
  }

  /** After the page was loaded again, or a passkey was refused. */
  recover(attempt: string): Promise<void> {
    return this.run('Continuing your registration…', () => this.#recover(attempt));
  }

  createPasskey(name: string): Promise<void> {
    const { due } = this;
    if (due === undefined) return Promise.resolve();
    return this.run('Waiting for your new passkey…', async () => {
      const registration = await createPasskey(this.#parts.authenticator, due.creation, name);
      try {
        const session = await this.#parts.operations.register(due.attempt, registration);
        this.#end();
        this.#parts.onSignedIn(session);
      } catch (error) {
        // The challenge is used up; a lost response may hide a success.
        await this.#recover(due.attempt);
        if (!isPassing(error)) throw error;
      }
    });
  }

  async #recover(attempt: string): Promise<void> {
    try {
      this.#showCreation(await this.#parts.operations.recover(attempt));
    } catch (error) {
      if (error instanceof VenueError && !error.isRetryable) this.#end();
      throw error;
    }
  }

  #showCreation({ status, attempt, creation }: SocialSignIn): void {
    if (status === 'registered') this.notice = IS_REGISTERED;
    if (creation == null) this.#end();
    else {
      this.due = { attempt: attempt!, creation };
      this.page.moveFocus('registration-due');
    }
  }

  #end(): void {
    this.due = undefined;
    this.#parts.attempts.remove();
  }
}
