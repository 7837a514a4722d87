/** The largest body that an operation accepts, and the tokens that a body costs. Both follow from the declarations. */
import { maxJsonBytes } from './json-extent.ts';
import type { Operation } from './operation.ts';
import { MAX_BYTES_READ_PAST, REQUEST_LIMITS } from './request-limits.ts';

const KIB = 1_024;

/** In bytes: {@link REQUEST_LIMITS}.bodyBytes, or more if the declared body can be longer, in whole KiB. */
export function largestBodyOf({ body, acceptsAnyBody }: Pick<Operation, 'body' | 'acceptsAnyBody'>): number {
  if (body === undefined || acceptsAnyBody) return REQUEST_LIMITS.bodyBytes;
  return Math.max(REQUEST_LIMITS.bodyBytes, Math.ceil(maxJsonBytes(body) / KIB) * KIB);
}

/** Bytes of a body that one token of a rate limit covers. */
export const BODY_BYTES_PER_TOKEN = 4 * KIB;

/** The tokens that the body of a request costs. A chunked body has no known length, so it costs as much as `largestBody`. */
export function tokensOfBody(headers: Readonly<Record<string, string | string[] | undefined>>, largestBody: number): number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (length === undefined && coding === undefined) return 1;
  const bytes = coding === undefined ? Math.min(Number(length), MAX_BYTES_READ_PAST) : largestBody;
  return Math.max(1, Math.ceil(bytes / BODY_BYTES_PER_TOKEN));
}
