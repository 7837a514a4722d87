/** The body of a refusal: the envelope 7.1, or under /v2 the shape 7.2 that contains it. */
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import { type Refused, renderEnvelope } from '#contract/refused.ts';
import { UNIFIED_PREFIX } from '#contract/unified.ts';
import { type UnifiedError, unifiedErrorOf } from '#contract/unified-errors.ts';
import type { EpochMs } from '#units/money.ts';
import { pathOf } from './address.ts';

/** `url` is empty if the request was refused before its URL was parsed. */
export function refusalBody(refused: Refused, requestId: string, now: EpochMs, url: string): ErrorEnvelope | UnifiedError {
  const envelope = renderEnvelope(refused, requestId, now);
  return pathOf(url).startsWith(UNIFIED_PREFIX) ? unifiedErrorOf(envelope) : envelope;
}
