/** The largest body that an operation takes, and what a body costs by its bytes: both follow from declarations. */
import { maxJsonBytes } from './json-extent.ts';
import type { Operation } from './operation.ts';
import { MAX_BYTES_READ_PAST, REQUEST_LIMITS } from './request-limits.ts';

const KIB = 1_024;

/** In bytes: {@link REQUEST_LIMITS}.bodyBytes, or as much as the declaration can need, in whole KiB. */
export function largestBodyOf({ body, takesAnything }: Pick<Operation, 'body' | 'takesAnything'>): number {
  if (body === undefined || takesAnything) return REQUEST_LIMITS.bodyBytes;
  return Math.max(REQUEST_LIMITS.bodyBytes, Math.ceil(maxJsonBytes(body) / KIB) * KIB);
}

/** A token of a rate limit is for so much of a body. */
export const BODY_BYTES_PER_TOKEN = 4 * KIB;

/** What the body of a request costs by its length. One in chunks has none: it costs as much as the largest that is taken. */
export function tokensOfBody(headers: Readonly<Record<string, string | string[] | undefined>>, largestBody: number): number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (length === undefined && coding === undefined) return 1;
  const bytes = coding === undefined ? Math.min(Number(length), MAX_BYTES_READ_PAST) : largestBody;
  return Math.max(1, Math.ceil(bytes / BODY_BYTES_PER_TOKEN));
}
