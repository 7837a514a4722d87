/** The largest body that an operation takes, and what a body costs by its bytes: both follow from declarations. */
import { maxJsonBytes } from './json-extent.ts';
import type { Operation } from './operation.ts';
import { REQUEST_LIMITS } from './request-limits.ts';

const KIB = 1_024;

/** In bytes: {@link REQUEST_LIMITS}.bodyBytes, or as much as the declaration can need, in whole KiB. */
export function largestBodyOf({ body, takesAnything }: Pick<Operation, 'body' | 'takesAnything'>): number {
  if (body === undefined || takesAnything) return REQUEST_LIMITS.bodyBytes;
  return Math.max(REQUEST_LIMITS.bodyBytes, Math.ceil(maxJsonBytes(body) / KIB) * KIB);
}
