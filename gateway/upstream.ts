/**
 * The venue over HTTP: each call is one request to its /v1, as the caller whose bearer comes along. Where no answer comes, or none that a
 * venue gives, the caller is told so with 503; whether a command was taken is not known then, and its idempotency key finds out.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { authOperations } from '#contract/auth.ts';
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import { ERRORS } from '#contract/errors.ts';
import type { Operation, Outcome } from '#contract/operation.ts';
import { type LaterRefusal, type RefusalDetails, Refused } from '#contract/refused.ts';
import { RESPONSE_HEADERS } from '#contract/response-headers.ts';
import { getReady, readiness } from '#contract/system.ts';
import type { Time } from '#time/time.ts';
import { timeoutSignal } from '#time/timers.ts';
import type { EpochMs } from '#units/money.ts';
import { type Answered, type Asked, CALLED, type CalledId, type Venue } from './port.ts';
import { SharedRead } from './shared-read.ts';

/** A venue answers within milliseconds: after this it, or the way to it, is in trouble. */
const TIMEOUT_MS = 10_000;
/** After how many seconds to come again where nothing is known of the venue. */
const RETRY_AFTER_SECONDS = '2';
/** Whose account a key's is never changes: so many are remembered, by digests. */
const MAX_REMEMBERED_KEYS = 10_000;
/** No date is after it. */
const LATEST_EPOCH_MS = 8.64e15;
const { getCurrentApiKey } = authOperations;
/** A later venue may tell more. */
const toldReadiness = z.object(readiness.shape);
/** The request id is the request's own already. */
const PASSED_ON = Object.keys(RESPONSE_HEADERS).filter((name) => name !== 'x-request-id');

/** Whom a request is from, as the venue is told. */
export interface Caller {
  readonly authorization?: string | undefined;
  readonly requestId?: string;
  readonly clientAddress?: string;
}

/** What it answers with says of which version it is. */
interface Versioned extends Operation {
  readonly success: Operation['success'] & { readonly schema: { readonly shape: { readonly version: z.ZodLiteral<string> } } };
}

interface Wire {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Something answers, and not as a venue does: what stands before one that is away, or nothing of the kind. */
export class NoVenue extends Refused {
  readonly answeredWith: number;

  constructor(status: number) {
    super('upstream_unavailable', ...unavailable(`is answered for with ${status}, and not as a venue does`));
    this.answeredWith = status;
  }
}

export class Upstream {
  readonly #url: string;
  readonly #time: Omit<Time, 'clock'>;
  readonly #timeoutMs: number;
  readonly #accountIds = new Map<string, string>();
  readonly #readiness: SharedRead<Outcome<typeof getReady>>;

  /** The base URL of the venue, without a slash at its end. */
  constructor(url: string, time: Omit<Time, 'clock'>, timeoutMs = TIMEOUT_MS) {
    this.#time = time;
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#readiness = new SharedRead(() => this.#readReadiness(), time.steadyClock);
  }

  /** `passOn` takes the headers of an answer that its caller is to have as well. */
  as(caller: Caller, passOn: (headers: Record<string, string>) => void = () => {}): Venue {
    return {
      accountId: () => this.#accountIdOf(caller),
      call: async <Id extends CalledId>(id: Id, asked: Asked<Id>) =>
        (await this.#send(CALLED[id], asked, caller, passOn)) as Answered<Id>,
    };
  }

  /** As the venue says, a second ago at most. */
  readiness(): Promise<Outcome<typeof getReady>> {
    return this.#readiness.recent();
  }

  async #readReadiness(): Promise<Outcome<typeof getReady>> {
    const { response, text } = await this.#exchange(getReady, {}, {});
    const { data: body } = toldReadiness.safeParse(parsed(text));
    if (body !== undefined && response.status === 200) return { body };
    if (body !== undefined && response.status === 503) return { status: 503, body };
    throw new NoVenue(response.status);
  }

  async #accountIdOf(caller: Caller): Promise<string> {
    const digest = hash('sha256', caller.authorization ?? '', 'base64url');
    const known = this.#accountIds.get(digest);
    if (known !== undefined) return known;
    const { accountId } = (await this.#send(getCurrentApiKey, {}, caller, () => {})) as { readonly accountId: string };
    const [oldest] = this.#accountIds.keys();
    if (this.#accountIds.size >= MAX_REMEMBERED_KEYS && oldest !== undefined) this.#accountIds.delete(oldest);
    this.#accountIds.set(digest, accountId);
    return accountId;
  }

  async #send(operation: Versioned, asked: Wire, caller: Caller, passOn: (headers: Record<string, string>) => void) {
    const { response, text } = await this.#exchange(operation, asked, caller);
    const headers = passedOn(response.headers);
    const body = parsed(text);
    if (response.status === operation.success.status && isVenues(body, operation)) {
      passOn(headers);
      return body;
    }
    throw refusalIn(response.status, body, headers);
  }

  async #exchange({ method, path }: Operation, asked: Wire, caller: Caller) {
    const address = `${this.#url}${addressOf(path, asked)}`;
    const timeout = timeoutSignal(this.#time.timers, this.#timeoutMs);
    try {
      const response = await fetch(address, {
        method,
        headers: headersOf(asked, caller),
        ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
        redirect: 'manual',
        signal: timeout.signal,
      });
      return { response, text: await response.text() };
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
      throw new Refused('upstream_unavailable', ...unavailable(isLate ? 'did not answer in time' : 'cannot be reached'));
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

/** Percent-encoded or not, of these two an address makes another address. */
function segmentOf(name: string, text: string): string {
  if (text === '.' || text === '..') throw new Refused('invalid_request', `The path parameter ${name} is no id of anything.`);
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

function passedOn(headers: Headers): Record<string, string> {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By its version, and that a catalogue has its list; no more of it: a later venue may tell more. What stands before a venue may answer with any other JSON. */
function isVenues(body: unknown, { id, success }: Versioned): boolean {
  const { version, markets } = Object(body);
  return version === success.schema.shape.version.value && (id !== CALLED.listMarkets.id || Array.isArray(markets));
}

/** What the venue refused, as it said so; that each field is what it should be is not taken on trust. */
function refusalIn(status: number, body: unknown, headers: Record<string, string>): Refused {
  const envelope = Object(body) as Partial<ErrorEnvelope>;
  const { version, code, safeMessage, apiKeyRejection, dependency, occurredAtEpochMs, recoveryActions } = envelope;
  if (version !== 'external-rest-error/v1' || typeof code !== 'string' || typeof safeMessage !== 'string') {
    return new NoVenue(status);
  }
  if (!Object.hasOwn(ERRORS, code)) {
    return new Refused(
      'internal_error',
      `The venue refused with a code that this gateway does not know, ${code}: ${safeMessage}`,
      // Below 500 nothing was done, whatever the code; from there on nobody knows.
      {
        headers,
        ...(status < 500 && {
          ofLaterVenue: { status, code, retryable: envelope.retryable === true, recoveryActions: actionsIn(recoveryActions) },
        }),
      },
    );
  }
  return new Refused(code, safeMessage, {
    headers,
    ...(apiKeyRejection !== undefined && { apiKeyRejection }),
    ...(dependency !== undefined && { dependency }),
    ...(isTime(occurredAtEpochMs) && { occurredAtEpochMs }),
  });
}

function actionsIn(given: unknown): LaterRefusal['recoveryActions'] {
  return Array.isArray(given) && given.length > 0 ? given : ['none'];
}

/** One that can be written out. */
function isTime(given: unknown): given is EpochMs {
  return Number.isSafeInteger(given) && (given as number) >= 0 && (given as number) <= LATEST_EPOCH_MS;
}

function unavailable(fact: string): [message: string, details: RefusalDetails] {
  const { whatToDo } = ERRORS.upstream_unavailable;
  const message = `The venue behind this gateway ${fact}. Whether it took a command shows when it is back. ${whatToDo}`;
  return [message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } }];
}
