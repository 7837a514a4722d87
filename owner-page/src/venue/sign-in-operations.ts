/** The operations that need no session: capabilities, registration and sign-in. */
import type { PasskeyRegistration } from '../ceremonies/passkey.ts';
import type { VenueClient } from './client.ts';
import type { Approval, Capabilities, Challenge, OwnerSession, SocialSignIn } from './resources.ts';

export interface LocalCredentials {
  readonly name: string;
  readonly passphrase: string;
}

export interface SocialStart {
  readonly provider: string;
  readonly local?: LocalCredentials;
  readonly referralCode?: string;
}

export interface SocialReturn {
  readonly provider: string;
  readonly attempt: string;
  /** The query that the provider sent back. */
  readonly callback: string;
}

export type SocialPurpose = 'register' | 'login';

export class SignInOperations {
  readonly #client: VenueClient;

  constructor(client: VenueClient) {
    this.#client = client;
  }

  capabilities(): Promise<Capabilities> {
    return this.#client.send({ method: 'GET', path: '/v1/auth/capabilities' });
  }

  start(purpose: SocialPurpose, start: SocialStart): Promise<SocialSignIn> {
    return this.#post(`/v1/auth/social/${purpose}`, { ...start, action: 'initiate' });
  }

  finish(purpose: SocialPurpose, { provider, attempt, callback }: SocialReturn): Promise<SocialSignIn> {
    return this.#post(`/v1/auth/social/${purpose}`, { provider, action: 'complete', attempt, callback });
  }

  /** A fresh challenge for an attempt whose passkey was not made. */
  recover(attempt: string): Promise<SocialSignIn> {
    return this.#post('/v1/auth/social/register/recover', { attempt });
  }

  register(attempt: string, registration: PasskeyRegistration): Promise<OwnerSession> {
    return this.#post('/v1/auth/register/complete', { attempt, ...registration });
  }

  startPasskeyLogin(): Promise<{ readonly challenge: Challenge }> {
    return this.#post('/v1/auth/login/init', {});
  }

  finishPasskeyLogin(approval: Approval): Promise<OwnerSession> {
    return this.#post('/v1/auth/login/complete', approval);
  }

  #post<Result>(path: string, body: unknown): Promise<Result> {
    return this.#client.send({ method: 'POST', path, body });
  }
}
