/** Refusals of the form of a request. */
import { type ErrorEntry, entry } from './error-entry.ts';
import { REQUEST_LIMITS } from './request-limits.ts';

export const REQUEST_ERRORS = {
  invalid_request: entry(
    400,
    'A field is missing, unknown or invalid.',
    'Correct the field that the message names.',
    'fix_request',
  ),
  malformed_json: entry(400, 'The body is not JSON.', 'Send one JSON object.', 'fix_request'),
  malformed_request: entry(
    400,
    'The request is not valid HTTP, or its address is not validly encoded.',
    'Percent-encode the address.',
    'fix_request',
  ),
  invalid_cursor: entry(
    400,
    'The cursor is not a nextCursor of this list.',
    'Send nextCursor, with the other parameters unchanged.',
    'fix_request',
  ),
  idempotency_key_required: entry(
    400,
    'The Idempotency-Key header is missing.',
    'Send a new key for each new request, and the same key for a retry.',
    'fix_request',
  ),
  idempotency_key_invalid: entry(
    400,
    'The Idempotency-Key is not valid.',
    'Send 1 to 128 visible ASCII characters.',
    'fix_request',
  ),
  unknown_market: entry(
    400,
    'The body names a market that does not exist.',
    'Use a marketId of GET /v1/markets.',
    'read_market',
    'fix_request',
  ),
  price_off_tick: entry(
    400,
    'The price has more decimals than the market allows.',
    'Round it to the tickSize of the market.',
    'fix_request',
  ),
  quantity_off_lot: entry(
    400,
    'The quantity has more decimals than the market allows.',
    'Round it to the lotSize of the market.',
    'fix_request',
  ),
  notional_too_fine: entry(400, 'The notional has more than 6 decimals.', 'Round it to 6 decimals.', 'fix_request'),
  path_not_found: entry(404, 'This path does not exist.', 'GET /openapi.json lists the paths.', 'fix_request'),
  method_not_allowed: entry(405, 'This path does not accept this method.', 'Use a method of the Allow header.', 'fix_request'),
  not_supported: entry(
    501,
    'The unified API (/v2) does not support the request. Nothing was done.',
    'Use a supported value, or the operation of /v1.',
    'fix_request',
  ),
  request_timeout: entry(408, 'The request did not arrive in time.', 'Send it again.', 'retry_later'),
  payload_too_large: entry(
    413,
    'The body is larger than the operation accepts.',
    `Send at most ${REQUEST_LIMITS.bodyBytes / 1024} KiB, or the maxBytes that x-openperp-limits.bodies of /openapi.json gives for the operation.`,
    'fix_request',
  ),
  unsupported_media_type: entry(
    415,
    'The body is not declared as JSON in UTF-8, or is compressed.',
    'Send content-type: application/json, and no content-encoding.',
    'fix_request',
  ),
  headers_too_large: entry(
    431,
    `The headers are larger than ${REQUEST_LIMITS.headerBytes / 1024} KiB.`,
    'Send fewer or shorter headers.',
    'fix_request',
  ),
} as const satisfies Record<string, ErrorEntry>;
