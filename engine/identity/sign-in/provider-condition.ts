/**
 * Whether sign-in providers work, as of the start and of the newest sign-ins. Each change is logged once, with its cause in words for the
 * operator: a wrong client secret or issuer looks like an outage to clients. No text of a provider is repeated.
 */
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** What the venue reads of a provider: `metadata` starts a sign-in, `answer` ends it. */
export type ProviderStage = 'metadata' | 'answer';

export interface ProviderFault {
  readonly provider: string;
  readonly fault: string;
}

export class ProviderConditions {
  readonly #log: (line: string) => void;
  readonly #faults = new Map<string, { readonly stage: ProviderStage; readonly fault: string }>();

  /** `log` receives log lines for people. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Of the providers that do not work. */
  get faults(): readonly ProviderFault[] {
    return [...this.#faults].map(([provider, { fault }]) => ({ provider, fault }));
  }

  failed(provider: string, stage: ProviderStage, error: unknown): void {
    const fault = faultIn(error);
    if (fault === undefined) return;
    const before = this.#faults.get(provider)?.fault;
    this.#faults.set(provider, { stage, fault });
    if (fault !== before) this.#log(`sign-in provider ${provider}: ${fault}; owners cannot sign in with it`);
  }

  /** A readable metadata does not prove that the provider accepts the venue. */
  worked(provider: string, stage: ProviderStage): void {
    const known = this.#faults.get(provider);
    if (known === undefined || (stage === 'metadata' && known.stage === 'answer')) return;
    this.#faults.delete(provider);
    this.#log(`sign-in provider ${provider}: available again`);
  }
}

const MAX_CAUSES = 5;
/** Codes of errors and of OAuth. Anything else could be any text. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Undefined for a refusal that a client may have caused, by a code that is no code. */
function faultIn(error: unknown): string | undefined {
  const causes: Error[] = [];
  for (let it = error; it instanceof Error && causes.length < MAX_CAUSES; it = it.cause) causes.push(it);
  for (const cause of causes) {
    if (cause instanceof WWWAuthenticateChallengeError) return REFUSED;
    if (cause instanceof ResponseBodyError) return isOfVenue(cause) ? REFUSED : undefined;
    if (cause instanceof ClientError && cause.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
      return 'its metadata has another issuer than the configuration: correct issuer';
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return 'it does not respond in time';
  }
  const code = causes.map((it) => (it as { readonly code?: unknown }).code).findLast((it) => typeof it === 'string');
  const isReached = code === undefined || code.startsWith('OAUTH_');
  return `${isReached ? 'it does not respond as OpenID Connect prescribes' : 'it cannot be reached'}${inBrackets(code)}`;
}

const REFUSED = 'it does not accept the client of the venue: check clientId and clientSecretFile';

function isOfVenue({ error, status }: ResponseBodyError): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client' || status === 401;
}

function inBrackets(code: unknown): string {
  return typeof code === 'string' && CODE.test(code) ? ` (${code})` : '';
}
