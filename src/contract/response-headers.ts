/** The headers of responses. The OpenAPI document lists them, and tests compare each response with them. */
import * as z from 'zod';
import { API_KEY_REJECTIONS, REQUEST_ID_ORIGIN } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import { type Operation, rateLimitOf, storesResponses } from './operation.ts';

type Presence = 'always' | 'sometimes' | 'never';

export interface ResponseHeader {
  readonly description: string;
  readonly schema: z.ZodType;
  /** Presence on the success of an operation (without a code), or on the refusal with that code. */
  readonly on: (operation: Operation, code: ErrorCode | undefined) => Presence;
}

const wholeSeconds = z.string().regex(/^[1-9][0-9]*$/);
const WAITS: readonly ErrorCode[] = [
  'rate_limited',
  'slow_down',
  'too_many_device_grants',
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
    description: 'The seconds to wait before a retry.',
    schema: wholeSeconds,
    on: (_, code) => (code !== undefined && WAITS.includes(code) ? 'always' : 'never'),
  },
  'ratelimit-policy': {
    description:
      'The rate limits of the request: for each its name, the burst q, and the seconds w in which an empty bucket refills.',
    schema: z.string().regex(/^"[A-Za-z-]+";q=[0-9]+;w=[0-9]+(?:, "[A-Za-z-]+";q=[0-9]+;w=[0-9]+)*$/),
    on: isCounted,
  },
  ratelimit: {
    description:
      'The state of the rate limits: for each its name, the remaining tokens r, and the seconds t until the bucket is full.',
    schema: z.string().regex(/^"[A-Za-z-]+";r=[0-9]+;t=[0-9]+(?:, "[A-Za-z-]+";r=[0-9]+;t=[0-9]+)*$/),
    on: isCounted,
  },
  'www-authenticate': {
    description: `The expected authentication. apiKeyRejection in the body gives the reason: ${API_KEY_REJECTIONS.join(', ')}.`,
    schema: z.string().regex(/^Bearer /),
    on: (_, code) => (code === 'unauthorized' ? 'always' : 'never'),
  },
  'idempotency-replayed': {
    description: 'Present on a retry: the response is that to the first request with this Idempotency-Key.',
    schema: z.literal('true'),
    on: (operation, code) => (storesResponses(operation) && isStored(operation, code) ? 'sometimes' : 'never'),
  },
  'x-venue-runtime-policy-version': {
    description:
      'The version of the switches that decided whether the operation exists now: it changes with every switch of the operator.',
    schema: z.string().regex(/^[0-9]+$/),
    on: ({ hiddenWithout }, code) =>
      hiddenWithout !== undefined && (code === undefined || code === 'path_not_found') ? 'always' : 'never',
  },
} as const satisfies Record<string, ResponseHeader>;

export type ResponseHeaderName = keyof typeof RESPONSE_HEADERS;

/** Probes are not counted; nor are requests that fail before the rate limit is checked. */
function isCounted(operation: Operation, code: ErrorCode | undefined): Presence {
  if (rateLimitOf(operation) === undefined || code === 'request_timeout' || code === 'headers_too_large') return 'never';
  const isSometimes = code === 'malformed_request' || code === 'internal_error' || code === 'upstream_unavailable';
  return isSometimes ? 'sometimes' : 'always';
}

/** Decisions of the venue are stored for a retry; refusals that any operation can have come before them. */
function isStored({ refusals }: Operation, code: ErrorCode | undefined): boolean {
  return code === undefined || (refusals.includes(code) && !WAITS.includes(code));
}

/** The presence over responses with any of these codes. */
export function presenceOf(name: ResponseHeaderName, operation: Operation, codes: readonly (ErrorCode | undefined)[]): Presence {
  const presences = new Set(codes.map((code) => (RESPONSE_HEADERS[name] as ResponseHeader).on(operation, code)));
  const [only] = presences;
  return presences.size === 1 && only !== undefined ? only : 'sometimes';
}
