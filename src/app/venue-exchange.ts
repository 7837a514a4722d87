/** One request of a command-line program to a venue, and its response as the contract declares it. */
import { type ErrorEnvelope, errorEnvelope } from '#contract/error-envelope.ts';
import type { Operation } from '#contract/operation.ts';
import { type Timers, timeoutSignal } from '#time/timers.ts';

/** The venue did not respond, or what responded is not one. The message is one line and says what to do. */
export class VenueUnreachable extends Error {
  override readonly name = 'VenueUnreachable';
}

type Texts = Readonly<Record<string, string>>;

export interface ExchangeRequest {
  /** Of the path. */
  readonly params?: Texts;
  readonly query?: Texts;
  readonly body?: object;
  /** Sent as the bearer. */
  readonly apiKey?: string;
}

const RESPONSE_TIMEOUT_MS = 10_000;

/** An operation whose response has a body. */
export type BodyOperation = Operation & { readonly success: Extract<Operation['success'], { readonly schema: object }> };
/** The resource of an operation. */
export type ResponseBody<Called extends BodyOperation> = ReturnType<Called['success']['schema']['parse']>;
/** The response of a venue: the resource, or why it refused. */
export type Exchange<Called extends BodyOperation> =
  | { readonly body: ResponseBody<Called> }
  | { readonly refusal: ErrorEnvelope; readonly retryAfterMs: number };

/** Rejects with {@link VenueUnreachable} if the venue is unavailable, or if what responds is not one. */
export async function exchange<Called extends BodyOperation>(
  url: string,
  { method, path, success }: Called,
  { params = {}, query = {}, body, apiKey }: ExchangeRequest,
  timers: Timers,
): Promise<Exchange<Called>> {
  const timeout = timeoutSignal(timers, RESPONSE_TIMEOUT_MS);
  try {
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = { method, headers, ...content, redirect: 'manual', signal: timeout.signal } as const;
    const response = await fetch(addressOf(url, path, params, query), request).catch((error: unknown) => {
      throw new VenueUnreachable(`${url} is unreachable (${reasonOf(error)}): check the URL, and that the venue runs`);
    });
    const received = parsedJson(await response.text().catch(() => ''));
    const accepted = success.schema.safeParse(received);
    if (response.status === success.status && accepted.success) return { body: accepted.data as ResponseBody<Called> };
    const refused = errorEnvelope.safeParse(received);
    if (!refused.success || refused.data.code === 'path_not_found') throw new VenueUnreachable(notVenue(url, response));
    return { refusal: refused.data, retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1_000 };
  } finally {
    timeout.cancel();
  }
}

function addressOf(url: string, path: string, params: Texts, query: Texts): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const search = new URLSearchParams(query).toString();
  return `${url}${place}${search === '' ? '' : `?${search}`}`;
}

function notVenue(url: string, { status, headers }: Response): string {
  const location = headers.get('location');
  const elsewhere = location === null ? '' : ` and refers to ${location}`;
  return `${url} responds with ${status}${elsewhere}, not as a venue of this version does: check the URL`;
}

function reasonOf(error: unknown): string {
  const { cause, name } = error as Error & { readonly cause?: { readonly code?: string; readonly message?: string } };
  return cause?.code ?? cause?.message ?? name;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
