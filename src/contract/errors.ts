/**
 * The closed catalogue of error codes. A code has the same status everywhere. The OpenAPI document publishes the catalogue.
 */
import { REQUEST_LIMITS } from './request-limits.ts';

/** What a client can do about a refusal; `none` if it can do nothing. */
export const RECOVERY_ACTIONS = [
  'none',
  'fix_request',
  'retry_later',
  'use_new_client_order_id',
  'use_own_account',
  'replace_api_key',
  'read_account',
  'read_market',
  'read_order',
  'complete_party_binding',
  'mint_realtime_ticket',
] as const;
export type RecoveryAction = (typeof RECOVERY_ACTIONS)[number];

export interface ErrorEntry {
  readonly status: number;
  readonly cause: string;
  readonly whatToDo: string;
  /** Whether the same request with the same idempotency key can succeed later. */
  readonly retryable: boolean;
  /** Whether the refusal of a placement is stored under its idempotency key: a repeated request then gets the same refusal. */
  readonly stored: boolean;
  readonly recoveryActions: readonly RecoveryAction[];
}

/** A refusal that is not stored: it is temporary, comes before the turn, or refuses something other than a placement. */
function entry(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { status, cause, whatToDo, retryable: recoveryActions.includes('retry_later'), stored: false, recoveryActions };
}

/** A final refusal of a placement. The journal records it, and it is stored under the idempotency key. */
function verdict(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { ...entry(status, cause, whatToDo, ...recoveryActions), stored: true };
}

export const ERRORS = {
  // The form of the request.
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

  // Authentication and authorization.
  unauthorized: entry(401, 'The request has no valid API key.', 'Send Authorization: Bearer <API key>.', 'replace_api_key'),
  insufficient_scope: entry(
    403,
    'The API key does not have the scope that this operation needs.',
    'Use a key with a scope that the message names.',
    'replace_api_key',
  ),
  passkey_required: entry(
    403,
    'The operation needs a session of the owner that a passkey signed in. An API key or a social session does not suffice.',
    'Let the owner sign in with a passkey, and repeat the request with that session.',
    'none',
  ),
  account_forbidden: entry(
    403,
    'The API key belongs to another account.',
    'Use the accountId of GET /v1/api-keys/current.',
    'use_own_account',
  ),
  account_not_enabled: verdict(
    403,
    'The account has no active party binding.',
    'Complete the party binding.',
    'complete_party_binding',
  ),

  realtime_ticket_rejected: entry(
    401,
    'The ticket in the body was rejected; realtimeTicketFailure gives the reason.',
    'Mint a new one with POST /v1/realtime/ticket.',
    'mint_realtime_ticket',
  ),

  // Unknown resources.
  account_not_found: entry(404, 'The account does not exist.', 'Check the accountId.', 'fix_request'),
  market_not_found: entry(404, 'The market does not exist.', 'Use a marketId of GET /v1/markets.', 'read_market'),
  order_not_found: entry(404, 'The account has no such order.', 'Check the orderId.', 'fix_request'),
  api_key_not_found: entry(404, 'The account has no such API key.', 'Check the keyId.', 'fix_request'),
  withdrawal_not_found: entry(404, 'No reserved withdrawal has this withdrawalId.', 'Check the withdrawalId.', 'fix_request'),

  // Against the rules of the market.
  price_out_of_bounds: verdict(
    400,
    'The price is not between minPrice and maxPrice.',
    'Use a value within the bounds of the market.',
    'fix_request',
    'read_market',
  ),
  quantity_out_of_bounds: verdict(
    400,
    'The quantity is not between minQuantity and maxQuantity.',
    'Use a value within the bounds of the market.',
    'fix_request',
    'read_market',
  ),
  notional_too_small: verdict(400, 'The notional is too small for minQuantity.', 'Raise the notional.', 'fix_request'),
  leverage_too_high: verdict(
    400,
    'leverageX is above the maxLeverageX of the market.',
    'Lower leverageX.',
    'fix_request',
    'read_market',
  ),
  market_invalid: entry(400, 'The market specification is not valid.', 'Correct the rule that the message names.', 'fix_request'),
  amount_out_of_bounds: entry(
    400,
    'The amount is zero, or larger than the venue can store.',
    'Send another amount.',
    'fix_request',
  ),
  batch_size_invalid: entry(400, 'The batch is empty, or has more than 32 entries.', 'Send 1 to 32 entries.', 'fix_request'),
  transfer_to_itself: entry(
    400,
    'The sender and the receiver of the transfer are the same account.',
    'Name another account.',
    'fix_request',
  ),

  // Against the current state.
  idempotency_conflict: entry(
    409,
    'The idempotency key was used with a different body.',
    'Use a new key for a new request; for a retry, repeat the body exactly.',
    'fix_request',
  ),
  duplicate_client_order_id: verdict(
    409,
    'An earlier order has the same clientOrderId.',
    'Use a new clientOrderId for a new order.',
    'use_new_client_order_id',
    'read_order',
  ),
  market_not_open: entry(
    409,
    'The market does not accept orders now.',
    'Wait until its status is open.',
    'read_market',
    'retry_later',
  ),
  market_reduce_only: entry(
    409,
    'The market accepts only orders that reduce a position: its status is reduce_only, or positions are waiting to be liquidated.',
    'Send a reduce-only order against your position, or wait until the status is open. If it is open already, retry in a moment.',
    'read_market',
    'retry_later',
  ),
  market_transition_invalid: entry(
    409,
    'The market cannot change from its status to the requested one.',
    'Read its status. Allowed: draft to open or closed; open to reduce_only or cancel_only, and back; cancel_only to closed.',
    'read_market',
  ),
  market_busy: entry(
    409,
    'The market still has open orders or positions.',
    'Wait until they are cancelled and closed, then close the market.',
    'read_market',
    'retry_later',
  ),
  nothing_to_advance: entry(409, 'The market has no pending work.', 'Do nothing.', 'none'),
  order_not_open: entry(409, 'The order has already ended.', 'Read it to see how it ended.', 'read_order'),
  price_out_of_band: verdict(
    409,
    'The price is too far from the mark price.',
    'Use a price inside the price band.',
    'read_market',
    'fix_request',
  ),
  insufficient_margin: entry(
    409,
    'The account has less available than the order needs.',
    'Send a smaller order, or add funds.',
    'read_account',
  ),
  insufficient_cash: entry(
    409,
    'The account has less unreserved cash than the amount.',
    'Lower the amount, or cancel open orders to free their cash.',
    'read_account',
  ),
  post_only_would_cross: verdict(
    409,
    'The post-only order would trade at once.',
    'Use a price further from the best opposite price.',
    'read_market',
    'fix_request',
  ),
  reduce_only_would_increase: verdict(
    409,
    'The reduce-only order would not reduce a position.',
    'Check the side of the position, or send the order without reduceOnly.',
    'read_account',
  ),
  too_many_open_orders: entry(
    409,
    'The account has the maximum number of open orders in the market.',
    'Cancel some of them.',
    'read_account',
    'retry_later',
  ),
  too_many_positions: entry(
    409,
    'The market has the maximum number of open positions, and the account has no position in it.',
    'Wait until other positions are closed, or use another market.',
    'read_market',
    'retry_later',
  ),
  exposure_limit: verdict(
    409,
    'The notional of the position and of the orders that would enlarge it is above the limit for one account.',
    'Send a smaller order, or cancel other orders.',
    'read_account',
  ),
  position_limit: verdict(
    409,
    'The quantity of the position and of the orders that would enlarge it is above the limit for one account.',
    'Send a smaller order, or cancel other orders.',
    'read_account',
  ),
  too_many_realtime_tickets: entry(
    409,
    'The account has the maximum number of realtime ticket families.',
    'Rotate a ticket instead of minting a new one; revoke tickets that you do not need, or let them expire.',
    'retry_later',
  ),
  account_retired: verdict(409, 'The account is retired.', 'Use another account.', 'none'),
  account_legacy_excluded: verdict(
    409,
    'The account was retired as a legacy account of an earlier venue.',
    'Use another account.',
    'none',
  ),
  account_busy: entry(409, 'The account still has open orders or positions.', 'Cancel and close them.', 'read_account'),
  api_key_invalid: entry(
    400,
    'The API key has no scope, has a scope twice, or would already have expired.',
    'Name each scope once, and an expiry in the future.',
    'fix_request',
  ),
  too_many_api_keys: entry(409, 'The account has the maximum number of active API keys.', 'Revoke some of them.', 'read_account'),
  api_key_exists: entry(409, 'An API key with this keyId exists.', 'Create a key with a new keyId.', 'fix_request'),
  environment_bound: entry(
    409,
    'The journal is bound to an environment for good.',
    'Start the venue with that environment, or with another data directory.',
    'none',
  ),
  capability_invalid: entry(
    400,
    'There is no such capability, or the maximum number of sign-in providers has a switch.',
    'Name one of trading, deposits, withdrawals, transfers, agents, affiliate, registration, or provider:<id>.',
    'fix_request',
  ),
  market_exists: entry(409, 'A market with this marketId exists.', 'Choose another marketId.', 'fix_request'),

  // Temporarily not possible.
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

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Codes that any operation can return, whatever it declares. */
export const ALWAYS_POSSIBLE: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
];
