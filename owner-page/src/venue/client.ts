/**
 * Sends requests to the venue that served the page. The bearer of the session is a private field here and nowhere else: neither
 * storage nor cookies contain it, so it ends with the page (README.md says why).
 */
import { type ErrorEnvelope, VenueError } from './venue-error.ts';

export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The venue carries out requests with one key at most once. */
  readonly idempotencyKey?: string;
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** A response that takes longer is lost. */
const RESPONSE_MS = 30_000;

export class VenueClient {
  readonly #fetch: Fetch;
  #bearer: string | undefined;
  /** Called when the venue refuses the session. */
  onSessionEnded: () => void = () => {};

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  signIn(bearer: string): void {
    this.#bearer = bearer;
  }

  forget(): void {
    this.#bearer = undefined;
  }

  /** Throws {@link VenueError}. */
  async send<Result>(request: SentRequest): Promise<Result> {
    const bearer = this.#bearer;
    const response = await this.#response(request, bearer);
    const body = response.status === 204 ? undefined : await readJson(response);
    if (response.ok) return body as Result;
    // Unless the owner signed in again while the request was under way.
    if (response.status === 401 && bearer !== undefined && bearer === this.#bearer) this.onSessionEnded();
    throw new VenueError(response.status, (body ?? {}) as Partial<ErrorEnvelope>, retryAfterMs(response));
  }

  async #response({ method, path, body, idempotencyKey }: SentRequest, bearer: string | undefined): Promise<Response> {
    const headers: Record<string, string> = {};
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (body !== undefined) headers['content-type'] = 'application/json';
    try {
      return await this.#fetch(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.timeout(RESPONSE_MS),
      });
    } catch {
      throw VenueError.unreachable();
    }
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    // Cut off, or by something between the page and the venue.
    if (response.ok) throw VenueError.unreachable();
    return undefined;
  }
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = /^[0-9]{1,4}$/.exec(headers.get('retry-after') ?? '')?.[0];
  // biome-ignore lint/style/noRestrictedGlobals: seconds of a header, not money.
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
