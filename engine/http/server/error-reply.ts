/**
 * What a thrown thing means to the client. Refusals, the writer's three rejections and a store that is away have their codes, malformed HTTP
 * has its own; everything else is a defect, which is reported and answered without a word of what it was.
 */

import { Refused } from '#contract/refused.ts';
import { StoreAway } from '#identity/store-away.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

const TICKETS_AWAY = { dependency: 'realtime_tickets', headers: { 'retry-after': '5' } } as const;

/** The refusal that a thrown value stands for, or `undefined` for a defect. */
export function refusalOf(thrown: unknown): Refused | undefined {
  if (thrown instanceof Refused) return thrown;
  if (thrown instanceof IdempotencyConflict) return new Refused('idempotency_conflict');
  if (thrown instanceof WriterBusy) return new Refused('venue_busy', undefined, { headers: { 'retry-after': '1' } });
  if (thrown instanceof VenueHalted) return new Refused('venue_halted', undefined, { headers: { 'retry-after': '10' } });
  // Tickets are all that is kept elsewhere and that a request needs.
  if (thrown instanceof StoreAway) return new Refused('dependency_unavailable', undefined, TICKETS_AWAY);
  return thrown instanceof Error ? malformedRequest(thrown) : undefined;
}

/** The framework marks what the client did wrong with a status below 500. */
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
