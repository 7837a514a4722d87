/** The headers that answers carry. The OpenAPI document lists them, and each answer in a test is held against them. */
import * as z from 'zod';
import { API_KEY_REJECTIONS, REQUEST_ID_ORIGIN } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import { keepsAnswers, type Operation, rateLimitOf } from './operation.ts';

type Presence = 'always' | 'sometimes' | 'never';

export interface ResponseHeader {
  readonly description: string;
  readonly schema: z.ZodType;
  /** On the answers of an operation: its success where there is no code, else the refusal with that code. */
  readonly on: (operation: Operation, code: ErrorCode | undefined) => Presence;
}

const wholeSeconds = z.string().regex(/^[1-9][0-9]*$/);
const WAITS: readonly ErrorCode[] = [
  'rate_limited',
  'venue_busy',
  'dependency_unavailable',
  'upstream_unavailable',
  'venue_halted',
];

export const RESPONSE_HEADERS = {
  'x-request-id': {
    description: `The id of the request: ${REQUEST_ID_ORIGIN}.`,
    schema: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
    on: () => 'always',
  },
  'retry-after': {
    description: 'After how many seconds to send the same again.',
    schema: wholeSeconds,
    on: (_, code) => (code !== undefined && WAITS.includes(code) ? 'always' : 'never'),
  },
  'ratelimit-policy': {
    description:
      'The limits that the request counted against: of each its name, q at once, and w seconds in which all of it fills again.',
    schema: z.string().regex(/^"[a-z-]+";q=[0-9]+;w=[0-9]+(?:, "[a-z-]+";q=[0-9]+;w=[0-9]+)*$/),
    on: isCounted,
  },
  ratelimit: {
    description: 'What is left: of each limit its name, r tokens, and t seconds until all of it is there again.',
    schema: z.string().regex(/^"[a-z-]+";r=[0-9]+;t=[0-9]+(?:, "[a-z-]+";r=[0-9]+;t=[0-9]+)*$/),
    on: isCounted,
  },
  'www-authenticate': {
    description: `What the venue asks of a bearer. The apiKeyRejection of the body says more: ${API_KEY_REJECTIONS.join(', ')}.`,
    schema: z.string().regex(/^Bearer /),
    on: (_, code) => (code === 'unauthorized' ? 'always' : 'never'),
  },
  'idempotency-replayed': {
    description: 'Present on the answer to a retry: what the first request with this Idempotency-Key was answered.',
    schema: z.literal('true'),
    on: (operation, code) => (keepsAnswers(operation) && isKept(operation, code) ? 'sometimes' : 'never'),
  },
} as const satisfies Record<string, ResponseHeader>;

export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS;

/** A probe is not; nor is what was refused, or broke, before it could be. */
function isCounted(operation: Operation, code: ErrorCode | undefined): Presence {
  if (rateLimitOf(operation) === undefined || code === 'request_timeout' || code === 'headers_too_large') return 'never';
  const isSometimes = code === 'malformed_request' || code === 'internal_error' || code === 'upstream_unavailable';
  return isSometimes ? 'sometimes' : 'always';
}

/** What the venue decided is kept for a retry; what holds of any operation never came to it. */
function isKept({ refusals }: Operation, code: ErrorCode | undefined): boolean {
  return code === undefined || (refusals.includes(code) && !WAITS.includes(code));
}

/** On the answers with any of these codes together. */
export function presenceOf(name: ResponseHeaderName, operation: Operation, codes: readonly (ErrorCode | undefined)[]): Presence {
  const presences = new Set(codes.map((code) => (RESPONSE_HEADERS[name] as ResponseHeader).on(operation, code)));
  const [only] = presences;
  return presences.size === 1 && only !== undefined ? only : 'sometimes';
}
