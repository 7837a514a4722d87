/**
 * The venue over HTTP: each call is one request to its /v1 with the caller's bearer. Without a response, or without that of a
 * venue, the caller gets 503; the outcome of a command is then unknown, and a retry with its idempotency key finds it out.
 */
import { hash } from 'node:crypto';
import type * as z from 'zod';
import { authOperations } from '#contract/auth.ts';
import type { Operation, Outcome } from '#contract/operation.ts';
import { sessionOperations } from '#contract/owner-sessions.ts';
import { Refused } from '#contract/refused.ts';
import { RESPONSE_HEADERS } from '#contract/response-headers.ts';
import { getReady, readiness } from '#contract/system.ts';
import type { Time } from '#time/time.ts';
import { timeoutSignal } from '#time/timers.ts';
import { CALLED, type CalledId, type CallResult, type Venue, type VenueCall } from './port.ts';
import { SharedRead } from './shared-read.ts';
import { declaredResource, jsonOf, NoVenue, refusalIn, UndeclaredResponse, UpstreamFault } from './upstream-responses.ts';

/** A venue responds within milliseconds: after this time it, or the network, has a problem. */
const TIMEOUT_MS = 10_000;
/** The number of cached accounts of keys and sessions, which never change; they are stored as digests. */
const MAX_CACHED_KEYS = 10_000;
const { getCurrentApiKey } = authOperations;
const { getCurrentSession } = sessionOperations;
const SESSION = /^Bearer +ops_/i;
/** The gateway sends a request id of its own. */
const FORWARDED_HEADERS = Object.keys(RESPONSE_HEADERS).filter((name) => name !== 'x-request-id');

/** The caller, as the venue should see it. */
export interface Caller {
  readonly authorization?: string | undefined;
  readonly requestId?: string;
  readonly clientAddress?: string;
}

/** An operation whose response has a version. */
interface VersionedOperation extends Operation {
  readonly success: Operation['success'] & { readonly schema: z.ZodObject<{ readonly version: z.ZodLiteral<string> }> };
}

interface Wire {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

export class Upstream {
  readonly #url: string;
  readonly #time: Omit<Time, 'clock'>;
  readonly #timeoutMs: number;
  readonly #accountIds = new Map<string, string>();
  readonly #readiness: SharedRead<Outcome<typeof getReady>>;

  /** `url` is the base URL of the venue, without a trailing slash. */
  constructor(url: string, time: Omit<Time, 'clock'>, timeoutMs = TIMEOUT_MS) {
    this.#time = time;
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#readiness = new SharedRead(() => this.#readReadiness(), time.steadyClock);
  }

  /** `passOn` takes the response headers that the caller should get as well. */
  as(caller: Caller, passOn: (headers: Record<string, string>) => void = () => {}): Venue {
    return {
      accountId: () => this.#accountIdOf(caller),
      call: async <Id extends CalledId>(id: Id, request: VenueCall<Id>) =>
        (await this.#send(CALLED[id], request, caller, passOn)) as CallResult<Id>,
    };
  }

  /** The venue's readiness, at most a second old. */
  readiness(): Promise<Outcome<typeof getReady>> {
    return this.#readiness.recent();
  }

  async #readReadiness(): Promise<Outcome<typeof getReady>> {
    const { status, body } = await this.#exchange(getReady, {}, {});
    if (status !== 200 && status !== 503) throw new NoVenue(status);
    const resource = declaredResource(readiness, body, status);
    return status === 200 ? { body: resource } : { status, body: resource };
  }

  async #accountIdOf(caller: Caller): Promise<string> {
    const digest = hash('sha256', caller.authorization ?? '', 'base64url');
    const known = this.#accountIds.get(digest);
    if (known !== undefined) return known;
    const inspected = SESSION.test(caller.authorization ?? '') ? getCurrentSession : getCurrentApiKey;
    const { accountId } = await this.#send<typeof getCurrentApiKey | typeof getCurrentSession>(inspected, {}, caller, () => {});
    const [oldest] = this.#accountIds.keys();
    if (this.#accountIds.size >= MAX_CACHED_KEYS && oldest !== undefined) this.#accountIds.delete(oldest);
    this.#accountIds.set(digest, accountId);
    return accountId;
  }

  async #send<Called extends VersionedOperation>(
    operation: Called,
    request: Wire,
    caller: Caller,
    passOn: (headers: Record<string, string>) => void,
  ): Promise<z.output<Called['success']['schema']>> {
    const { status, headers, body } = await this.#exchange(operation, request, caller);
    const { success } = operation;
    const isVenue = Object(body).version === success.schema.shape.version.value;
    if (status !== success.status || !isVenue) throw refusalIn(status, body, forwardedHeaders(headers));
    const resource = declaredResource<Called['success']['schema']>(success.schema, body, status);
    checkNames(resource, request, status);
    passOn(forwardedHeaders(headers));
    return resource;
  }

  async #exchange({ method, path }: Operation, request: Wire, caller: Caller) {
    const address = `${this.#url}${addressOf(path, request)}`;
    const timeout = timeoutSignal(this.#time.timers, this.#timeoutMs);
    try {
      const response = await fetch(address, {
        method,
        headers: headersOf(request, caller),
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal: timeout.signal,
      });
      return { status: response.status, headers: response.headers, body: await jsonOf(response) };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
      throw new UpstreamFault(isLate ? 'did not answer in time' : 'cannot be reached');
    } finally {
      timeout.cancel();
    }
  }
}

function addressOf(path: string, { params, query }: Wire): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, params?.[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? place : `${place}?${search}`;
}

/** Encoded or not, these two segments would change the path. */
function segmentOf(name: string, text: string): string {
  if (text === '.' || text === '..') throw new Refused('invalid_request', `The path parameter ${name} is not a valid id.`);
  return encodeURIComponent(text);
}

function headersOf({ body, idempotencyKey }: Wire, { authorization, requestId, clientAddress }: Caller): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(authorization !== undefined && { authorization }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
  };
}

function forwardedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(FORWARDED_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
}

/** Throws {@link UndeclaredResponse} if the response is about another account, market or order than the request. */
function checkNames(resource: object, { params = {} }: Wire, status: number): void {
  for (const [name, request] of Object.entries(params)) {
    if (name in resource && Reflect.get(resource, name) !== request)
      throw new UndeclaredResponse(status, `the ${name} is not that of the request`);
  }
}
