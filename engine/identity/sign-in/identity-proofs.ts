/**
 * Proves an identity: at once by name and passphrase, or in two steps by a provider of OpenID Connect, between which the browser visits
 * the provider.
 */
import { Refused } from '#contract/refused.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { flowSecretsOf } from './attempt-secret.ts';
import type { AttemptPurpose, Attempts, StartedAttempt, StoredAttempt } from './attempts.ts';
import { identityDigestOf } from './identity.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';
import { type LocalCredentials, localIdentityOf, type SignInProvider, type SignInProviders } from './providers.ts';

export interface ProofRequest {
  readonly purpose: AttemptPurpose;
  readonly provider: string;
  /** The network or account that the attempt counts for. */
  readonly owner: string;
  readonly account?: AccountOrdinal;
  readonly referralCode?: string | undefined;
  readonly local?: LocalCredentials | undefined;
}

/** A proof that waits for the provider. */
export interface RedirectedAttempt extends StartedAttempt {
  readonly authorizationUrl: string;
}

export interface CallbackRequest {
  readonly purpose: AttemptPurpose;
  readonly provider: string;
  readonly attempt: string;
  /** The query with which the provider sent the browser back. */
  readonly callback: string;
  readonly account?: AccountOrdinal;
}

export class IdentityProofs {
  readonly #providers: SignInProviders;
  readonly #attempts: Attempts;

  constructor(ports: { providers: SignInProviders; attempts: Attempts }) {
    this.#providers = ports.providers;
    this.#attempts = ports.attempts;
  }

  /** The digest of a local identity, or the attempt with the address of the provider. */
  async begin(request: ProofRequest): Promise<{ readonly identityDigest: string } | RedirectedAttempt> {
    const provider = this.#providers.named(request.provider);
    const identityDigest = localIdentityOf(provider, request.local);
    if (identityDigest !== undefined) return { identityDigest };
    const started = await this.#attempts.start(request.owner, termsOf(request));
    try {
      return { ...started, authorizationUrl: await this.authorizationUrl(provider, started.attempt) };
    } catch (error) {
      // Its client never learns its secret.
      await this.#attempts.end(started.attempt);
      throw error;
    }
  }

  /** The address of the provider for an attempt; always the same one. */
  async authorizationUrl(provider: SignInProvider, attempt: string): Promise<string> {
    if (provider.kind !== 'oidc') throw new Refused('attempt_rejected');
    return atProvider(() => provider.oidc.authorizationUrl(flowSecretsOf(attempt)));
  }

  /**
   * The digest of the identity that the provider proves. The attempt stays in `exchanging`: the caller moves it on or ends it. If the
   * provider is unavailable, the attempt can be completed later.
   */
  async complete({ purpose, provider: id, attempt, callback, account }: CallbackRequest): Promise<string> {
    const provider = this.#providers.named(id);
    const found = await this.#attempts.find(attempt, purpose);
    if (!isOf(found, id, account) || provider.kind !== 'oidc')
      throw new Refused(
        'attempt_rejected',
        'The attempt was started with another provider, or for another account. Start again.',
      );
    await this.#attempts.move(attempt, purpose, 'started', { status: 'exchanging' });
    const result = await this.#exchange(provider.oidc, { purpose, attempt, callback });
    if ('subject' in result) return identityDigestOf(id, provider.oidc.issuer, result.subject);
    await this.#attempts.end(attempt);
    throw new Refused('sign_in_rejected', `The sign-in with ${id} is not accepted: ${result.rejection}. Start again.`);
  }

  async #exchange(
    oidc: Extract<SignInProvider, { kind: 'oidc' }>['oidc'],
    { purpose, attempt, callback }: Pick<CallbackRequest, 'purpose' | 'attempt' | 'callback'>,
  ) {
    try {
      return await atProvider(() => oidc.subjectOf(flowSecretsOf(attempt), callback));
    } catch (error) {
      await this.#attempts.move(attempt, purpose, 'exchanging', { status: 'started' });
      throw error;
    }
  }
}

function termsOf({ purpose, provider, account, referralCode = '' }: ProofRequest) {
  return { purpose, provider, account: account ?? 0, referralCode };
}

function isOf(found: StoredAttempt, provider: string, account: AccountOrdinal | undefined): boolean {
  return found.provider === provider && found.account === (account ?? 0);
}

async function atProvider<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    const { provider } = error;
    const message = `The sign-in provider ${provider} does not respond. Retry in some seconds, or sign in with a passkey.`;
    throw new Refused('dependency_unavailable', message, { dependency: provider, headers: { 'retry-after': '5' } });
  }
}
