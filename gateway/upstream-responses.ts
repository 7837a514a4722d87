/**
 * Checks responses of an upstream against the declaration of the operation before translation. Size and shape are bounded first,
 * so that a large or hostile body costs little. Unknown fields, which a later venue may add, are dropped. Any other deviation is
 * an undeclared response.
 */
import type * as z from 'zod';
import type { ApiKeyRejection, ErrorEnvelope } from '#contract/error-envelope.ts';
import { API_KEY_REJECTIONS, dependency as dependencyId } from '#contract/error-envelope.ts';
import { ERRORS } from '#contract/errors.ts';
import { parseFields } from '#contract/parse.ts';
import { type RefusalDetails, Refused } from '#contract/refused.ts';
import type { EpochMs } from '#units/money.ts';

/** More than twice the longest page of the declared operations. */
const MAX_RESPONSE_BYTES = 4 * 1_048_576;
/** The longest page has 1,000 rows; 500 orders are 17,000 values. */
const MAX_ENTRIES = 2_000;
const MAX_VALUES = 100_000;
const MAX_DEPTH = 16;
const MAX_TEXT_LENGTH = 4_096;
/** Of an amount: exact arithmetic on longer ones is slow, and their double may be infinite. */
const MAX_DIGITS = 64;
/** The latest possible date; no valid number is larger. */
const LATEST_EPOCH_MS = 8.64e15;
/** Seconds after which to send the request again. */
export const RETRY_AFTER_SECONDS = '2';

/** The upstream gives no valid response. The message for the client says what happened. */
export class UpstreamFault extends Refused {
  constructor(fact: string) {
    const { whatToDo } = ERRORS.upstream_unavailable;
    const message = `The venue behind this gateway ${fact}. It may have carried out the request. ${whatToDo}`;
    super('upstream_unavailable', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
  }
}

/** A refusal of the upstream, with its message. */
export class UpstreamRefusal extends Refused {}

/** Another service responds: a proxy in front of an unavailable venue, for example. */
export class NoVenue extends UpstreamFault {
  readonly respondedWith: number;

  constructor(status: number) {
    super(`responded ${status}, but not as a venue`);
    this.respondedWith = status;
  }
}

/** A venue responds, but not as its operations declare. */
export class UndeclaredResponse extends UpstreamFault {
  readonly fault: string;

  constructor(status: number, fault: string) {
    super(`responded ${status}, not as declared: ${fault}`);
    this.fault = fault;
  }
}

/** The JSON of a response; `undefined` if it has another type, is not JSON, or is too large: the rest of it is not read. */
export async function jsonOf(response: Response): Promise<unknown> {
  const isJson = /^application\/json(?:;|$)/i.test(response.headers.get('content-type') ?? '');
  const bytes = isJson ? await boundedBytes(response) : undefined;
  if (bytes === undefined) {
    await response.body?.cancel();
    return undefined;
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Leaving the loop cancels the rest. */
async function boundedBytes({ body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses a resource by its schema. Throws {@link UndeclaredResponse}. */
export function declaredResource<Schema extends z.ZodType>(schema: Schema, body: unknown, status: number): z.output<Schema> {
  const outsized = boundsFault(body);
  if (outsized !== undefined) throw new UndeclaredResponse(status, outsized);
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  dropUnknownFields(error, body);
  const parsed = parseFields(schema, body, 'body');
  if ('fault' in parsed) throw new UndeclaredResponse(status, parsed.fault);
  return parsed.value;
}

/** Checks the bounds of any valid response before a schema visits every entry of a list. */
function boundsFault(body: unknown): string | undefined {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value: body, depth: 0 }];
  for (let values = 1; ; values += 1) {
    const next = waiting.pop();
    if (next === undefined) return undefined;
    const { value, depth } = next;
    if (typeof value === 'number' && Math.abs(value) > LATEST_EPOCH_MS) return 'A number is too large.';
    if (typeof value === 'string' && value.length > MAX_DIGITS && isLongerThanText(value)) return 'A text is too long.';
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    const isTooMuch = inner.length > MAX_ENTRIES || depth >= MAX_DEPTH || values + waiting.length + inner.length > MAX_VALUES;
    if (isTooMuch) return 'It has more entries than any valid response.';
    for (const each of inner) waiting.push({ value: each, depth: depth + 1 });
  }
}

function isLongerThanText(value: string): boolean {
  return value.length > MAX_TEXT_LENGTH || /^[-+.0-9]+$/.test(value);
}

function dropUnknownFields({ issues }: z.ZodError, body: unknown): void {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce((inner, step) => (inner as Record<PropertyKey, unknown>)[step], body);
    for (const key of issue.keys) delete (holder as Record<string, unknown>)[key];
  }
}

/**
 * Reads a refusal of the venue by the code of its envelope. Invalid times and details are dropped. A code that is unknown to this
 * gateway, or has another status, is an undeclared response.
 */
export function refusalIn(status: number, body: unknown, headers: Readonly<Record<string, string>>): Refused {
  const { version, code, safeMessage, apiKeyRejection, dependency, occurredAtEpochMs }: Partial<ErrorEnvelope> = Object(body);
  const isText = (it: unknown): it is string => typeof it === 'string' && it !== '' && it.length <= MAX_TEXT_LENGTH;
  if (version !== 'external-rest-error/v1' || !isText(code) || !isText(safeMessage)) return new NoVenue(status);
  if (!Object.hasOwn(ERRORS, code)) return new UndeclaredResponse(status, 'the code of the error is unknown to this gateway');
  if (ERRORS[code].status !== status) return new UndeclaredResponse(status, `the code of the error is ${code}`);
  const details: RefusalDetails = {
    headers,
    ...(isRejection(apiKeyRejection) && { apiKeyRejection }),
    ...(dependencyId.safeParse(dependency).success && { dependency }),
    ...(isTime(occurredAtEpochMs) && { occurredAtEpochMs }),
  };
  return new UpstreamRefusal(code, safeMessage, details);
}

function isRejection(given: unknown): given is ApiKeyRejection {
  return API_KEY_REJECTIONS.includes(given as ApiKeyRejection);
}

/** Whether the time can be rendered. */
function isTime(given: unknown): given is EpochMs {
  return Number.isSafeInteger(given) && (given as number) >= 0 && (given as number) <= LATEST_EPOCH_MS;
}
