/** Refusals of what is temporarily not possible. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const UNAVAILABLE_ERRORS = {
  rate_limited: entry(
    429,
    'The API key, its account or the network of the client exceeded its rate limit.',
    'Retry after the seconds in the Retry-After header.',
    'retry_later',
  ),
  dependency_unavailable: entry(
    503,
    'A service that this operation needs is unavailable; dependency names it.',
    'Retry after the seconds in the Retry-After header. Orders are still accepted: see GET /ready.',
    'retry_later',
  ),
  source_unavailable: entry(
    503,
    'The venue has no current source for this resource, or its capability is switched off.',
    'Retry later.',
    'retry_later',
  ),
  internal_error: entry(
    500,
    'Internal error.',
    'Report the requestId to the operator. The request may have been carried out. If it has an idempotency key, retry with the same key.',
    'none',
  ),
  mark_price_unavailable: entry(503, 'The market has no mark price yet.', 'Wait until it has one.', 'read_market', 'retry_later'),
  index_not_current: entry(
    503,
    'The index price of the market is stale or unconfirmed, so no order may increase risk.',
    'Wait until the indexStatus in its stats is current. Orders that only reduce a position are still accepted.',
    'read_market',
    'retry_later',
  ),
  upstream_unavailable: entry(
    503,
    'The venue behind this gateway does not respond. It may have carried out the request.',
    'Retry with the same idempotency key after the seconds in the Retry-After header.',
    'retry_later',
  ),
  venue_busy: entry(
    503,
    'The queue of the venue is full, or the data for this read is being rebuilt. Nothing was accepted, unless the message says so.',
    'Retry in a moment.',
    'retry_later',
  ),
  venue_halted: entry(
    503,
    'The venue is halted. It may have carried out the request.',
    'Retry with the same idempotency key when GET /ready returns 200.',
    'retry_later',
  ),
  intake_paused: entry(
    503,
    'The operator paused the intake of the venue. Nothing was carried out.',
    'Retry when GET /ready no longer lists intake_paused. Cancels and orders that only reduce a position are still accepted.',
    'retry_later',
  ),
  capability_unavailable: entry(
    503,
    'The operator has not opened the capability that the request needs. Nothing was carried out.',
    'Retry when GET /ready lists the capability as on. Reads and cancels are still accepted.',
    'retry_later',
  ),
} as const satisfies Record<string, ErrorEntry>;
