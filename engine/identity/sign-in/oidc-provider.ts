/**
 * A sign-in provider of OpenID Connect: authorization code flow with PKCE, state and nonce. The ID token's signature is verified too.
 * Only the subject leaves here; the tokens are dropped.
 */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
} from 'openid-client';
import type { SteadyClock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { FlowSecrets } from './attempt-secret.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ProviderConditions } from './provider-condition.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';

export interface OidcClient {
  readonly id: string;
  /** The issuer identifier, as its metadata and its ID tokens name it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
}

export interface OidcPorts {
  readonly timers: Timers;
  readonly steadyClock: SteadyClock;
  /** Where the provider sends the browser; known once the server listens. */
  readonly redirectUri: () => string;
  /** Whether it works is reported here. */
  readonly conditions: ProviderConditions;
}

/** Of one request. A sign-in makes at most three: metadata, token, keys. */
export const PROVIDER_TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 262_144;
/** The metadata is read again after this time. */
const METADATA_LIFETIME_MS = 3_600_000;
/** Sign-ins that wait for the provider at once. */
const MAX_WAITING = 64;
/** OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT_LENGTH = 255;

/** Parameters that only other flows than the code flow return: the library reports them as a failure of its own. */
const OTHER_FLOWS = ['id_token', 'token'];

export type SubjectResult = { readonly subject: string } | { readonly rejection: string };

export class OidcProvider {
  readonly #client: OidcClient;
  readonly #ports: OidcPorts;
  #configuration: { readonly promise: Promise<Configuration>; readonly readAtMs: number } | undefined;
  #waiting = 0;

  constructor(client: OidcClient, ports: OidcPorts) {
    this.#client = client;
    this.#ports = ports;
  }

  get issuer(): string {
    return this.#client.issuer;
  }

  /** Reads the metadata, so that a wrong issuer is reported before anyone signs in. */
  async check(): Promise<void> {
    await this.#discovered().catch(() => undefined);
  }

  /** The address that the browser opens. Rejects with {@link ProviderUnavailable}. */
  async authorizationUrl({ state, nonce, codeVerifier }: FlowSecrets): Promise<string> {
    return this.#bounded(async () => {
      const url = buildAuthorizationUrl(await this.#discovered(), {
        redirect_uri: this.#ports.redirectUri(),
        // No name, no address: the venue needs only the subject.
        scope: 'openid',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /**
   * The subject that the provider's answer proves. `callback` is the query with which the provider sent the browser back. Rejects with
   * {@link ProviderUnavailable}.
   */
  async subjectOf({ state, nonce, codeVerifier }: FlowSecrets, callback: string): Promise<SubjectResult> {
    const answer = new URLSearchParams(callback);
    if (OTHER_FLOWS.some((name) => answer.has(name))) return { rejection: 'its answer is not for this attempt' };
    return this.#bounded(async () => {
      const configuration = await this.#discovered();
      try {
        const tokens = await authorizationCodeGrant(configuration, new URL(`${this.#ports.redirectUri()}?${callback}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const subject = tokens.claims()?.sub ?? '';
        const isUsable = subject.length > 0 && subject.length <= MAX_SUBJECT_LENGTH;
        this.#ports.conditions.worked(this.#client.id, 'answer');
        return isUsable ? { subject } : { rejection: 'its ID token has no usable subject' };
      } catch (error) {
        const rejection = rejectionIn(error);
        if (rejection !== undefined) return { rejection };
        this.#ports.conditions.failed(this.#client.id, 'answer', error);
        throw error;
      }
    });
  }

  async #bounded<Result>(request: () => Promise<Result>): Promise<Result> {
    const { id } = this.#client;
    if (this.#waiting >= MAX_WAITING) throw new ProviderUnavailable(id);
    this.#waiting += 1;
    try {
      return await request();
    } catch (cause) {
      throw new ProviderUnavailable(id, { cause });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Concurrent sign-ins share one request for the metadata. A failed one is forgotten. */
  #discovered(): Promise<Configuration> {
    const nowMs = this.#ports.steadyClock.elapsedMs();
    const known = this.#configuration;
    if (known !== undefined && nowMs - known.readAtMs < METADATA_LIFETIME_MS) return known.promise;
    const read = { promise: this.#discover(), readAtMs: nowMs };
    this.#configuration = read;
    const { conditions } = this.#ports;
    read.promise.then(
      () => conditions.worked(this.#client.id, 'metadata'),
      (error: unknown) => {
        if (this.#configuration === read) this.#configuration = undefined;
        conditions.failed(this.#client.id, 'metadata', error);
      },
    );
    return read.promise;
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#client;
    const bounds = { timers: this.#ports.timers, timeoutMs: PROVIDER_TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
    const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    return discovery(new URL(issuer), clientId, undefined, authentication, {
      [customFetch]: boundedFetch(bounds) as never,
      // The configuration permits http on this machine only.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    });
  }
}

/** What is wrong with the provider's answer, in words for the client; `undefined` if the provider itself failed. */
function rejectionIn(error: unknown): string | undefined {
  if (error instanceof AuthorizationResponseError) return 'it refused to sign in';
  // Any other refusal of the token endpoint concerns the venue's own registration with the provider.
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant' ? 'it does not accept the code' : undefined;
  if (!(error instanceof ClientError)) return undefined;
  switch (error.code) {
    case 'OAUTH_INVALID_RESPONSE':
    case 'OAUTH_KEY_SELECTION_FAILED':
      return 'its answer is not for this attempt, or its ID token is not signed by it';
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return 'its ID token is for another attempt, client or issuer';
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'its ID token has expired or is not valid yet';
    default:
      return undefined;
  }
}
