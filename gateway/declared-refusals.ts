/**
 * Refusals of a venue over HTTP as the operation of /v2 declares them: with its codes, and with the headers of each. Everything
 * else from the upstream is dropped.
 */
import { ALWAYS_POSSIBLE, type ErrorCode } from '#contract/errors.ts';
import { type Operation, refusalsOf } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import { RESPONSE_HEADERS, type ResponseHeader } from '#contract/response-headers.ts';
import { REFUSED_BEFORE_ROUTING } from '#contract/unified-errors.ts';
import { Contradiction } from './contradiction.ts';
import { RETRY_AFTER_SECONDS, UpstreamFault, UpstreamRefusal } from './upstream-responses.ts';

type Headers = Readonly<Record<string, string>>;

/** Defaults for required headers that the upstream omits. */
const MISSING: Headers = { 'retry-after': RETRY_AFTER_SECONDS, 'www-authenticate': 'Bearer realm="openperp"' };

/** Converts a thrown value to the declared refusal; returns other values unchanged. */
export function declaredRefusal(operation: Operation, thrown: unknown): unknown {
  if (thrown instanceof Contradiction) return new UpstreamFault(`contradicts itself: ${thrown.message}`);
  if (!(thrown instanceof UpstreamRefusal)) return thrown;
  const { code, message, details } = thrown;
  if (!isTranslated(operation, code)) return new UpstreamFault(`refuses with ${code}, which this operation does not declare`);
  return new Refused(code, message, { ...details, headers: declaredHeaders(operation, code, details.headers) });
}

/** Codes about the gateway's own connection to the venue are not passed to the client. */
function isTranslated(operation: Operation, code: ErrorCode): boolean {
  return refusalsOf(operation, ALWAYS_POSSIBLE).includes(code) && !REFUSED_BEFORE_ROUTING.includes(code);
}

/** Picks the declared headers of a response that have their declared form. */
export function declaredHeaders(
  operation: Operation,
  code: ErrorCode | undefined,
  headers: Headers = {},
): Record<string, string> {
  const declared = Object.entries<ResponseHeader>(RESPONSE_HEADERS).flatMap(([name, { schema, on }]): [string, string][] => {
    const presence = on(operation, code);
    const value = headers[name];
    if (presence !== 'never' && value !== undefined && schema.safeParse(value).success) return [[name, value]];
    return presence === 'always' && name in MISSING ? [[name, MISSING[name]!]] : [];
  });
  return Object.fromEntries(declared);
}
