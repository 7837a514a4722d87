/**
 * Maps a thrown value to a refusal. Refusals, the writer's three rejections, an unavailable store and malformed HTTP have codes;
 * anything else is an internal error, which is reported and returned without details.
 */

import { Refused } from '#contract/refused.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

/** The refusal for a thrown value, or `undefined` for an internal error. */
export function mapToRefusal(thrown: unknown): Refused | undefined {
  if (thrown instanceof Refused) return thrown;
  if (thrown instanceof IdempotencyConflict) return new Refused('idempotency_conflict');
  if (thrown instanceof WriterBusy) return new Refused('venue_busy', undefined, { headers: { 'retry-after': '1' } });
  if (thrown instanceof VenueHalted) return new Refused('venue_halted', undefined, { headers: { 'retry-after': '10' } });
  if (thrown instanceof StoreUnavailable)
    return new Refused('dependency_unavailable', undefined, {
      dependency: thrown.dependency,
      headers: { 'retry-after': '5' },
    });
  return thrown instanceof Error ? malformedRequest(thrown) : undefined;
}

/** The framework sets a status below 500 on the client's errors. */
function malformedRequest(error: Error & { readonly code?: unknown; readonly statusCode?: unknown }): Refused | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refused('payload_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refused('unsupported_media_type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refused('malformed_request', 'The body is not as long as Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return new Refused('malformed_request', 'The address is not validly percent-encoded.');
    default:
      return typeof error.statusCode === 'number' && error.statusCode < 500 ? new Refused('malformed_request') : undefined;
  }
}
