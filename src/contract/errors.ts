/**
 * Every way in which a request can be refused, in one closed catalogue. A code has one status everywhere. The catalogue is published in the
 * OpenAPI document.
 */
import { REQUEST_LIMITS } from './request-limits.ts';

/** What a client can do about a refusal. `none` where nothing on its side helps. */
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
  /** Whether sending the same again, with the same idempotency key, can succeed. */
  readonly retryable: boolean;
  /** Whether a placement's refusal is stored under its idempotency key: the same request then gets the same refusal again. */
  readonly stored: boolean;
  readonly recoveryActions: readonly RecoveryAction[];
}

/** A refusal that no idempotency key stores: of another request, before the venue takes a turn, or one that may pass. */
function entry(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { status, cause, whatToDo, retryable: recoveryActions.includes('retry_later'), stored: false, recoveryActions };
}

/** A final refusal of a placement by the venue, which the journal holds like anything else that a turn decides. */
function verdict(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { ...entry(status, cause, whatToDo, ...recoveryActions), stored: true };
}

export const ERRORS = {
  // The request itself.
  invalid_request: entry(
    400,
    'A field is missing, unknown, or not of its shape.',
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
    'The cursor is not one that this list handed out.',
    'Send nextCursor with otherwise unchanged parameters.',
    'fix_request',
  ),
  idempotency_key_required: entry(
    400,
    'The Idempotency-Key header is missing.',
    'Send one key per attempt; keep it on a retry.',
    'fix_request',
  ),
  idempotency_key_invalid: entry(
    400,
    'The Idempotency-Key is not usable.',
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
    'The price is finer than the market allows.',
    'Round it to the tickSize of the market.',
    'fix_request',
  ),
  quantity_off_lot: entry(
    400,
    'The quantity is finer than the market allows.',
    'Round it to the lotSize of the market.',
    'fix_request',
  ),
  notional_too_fine: entry(400, 'The notional has more than 6 decimals.', 'Round it to 6 decimals.', 'fix_request'),
  path_not_found: entry(404, 'There is no such path.', 'See GET /openapi.json for the paths.', 'fix_request'),
  method_not_allowed: entry(
    405,
    'The path exists, but not with this method.',
    'Use a method of the Allow header.',
    'fix_request',
  ),
  not_supported: entry(
    501,
    'The unified surface has nothing for what was asked.',
    'Use what it has, or the operation of /v1: nothing was done.',
    'fix_request',
  ),
  request_timeout: entry(408, 'The request did not arrive in time.', 'Send it again.', 'retry_later'),
  payload_too_large: entry(
    413,
    'The body is larger than any that the operation needs.',
    `Send a smaller body: ${REQUEST_LIMITS.bodyBytes / 1024} KiB, or what x-openperp-limits.bodies of /openapi.json has for the operation.`,
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

  // Who asks.
  unauthorized: entry(
    401,
    'The request carries no API key that the venue accepts.',
    'Send Authorization: Bearer <API key>.',
    'replace_api_key',
  ),
  insufficient_scope: entry(
    403,
    'The API key has no scope that this operation takes.',
    'Use a key with a scope that the message names.',
    'replace_api_key',
  ),
  account_forbidden: entry(
    403,
    "The account is not the API key's own.",
    'Use the accountId of GET /v1/api-keys/current.',
    'use_own_account',
  ),
  account_not_enabled: verdict(
    403,
    'The account has no active party binding.',
    'Complete the party binding first.',
    'complete_party_binding',
  ),

  realtime_ticket_rejected: entry(
    401,
    'The ticket in the body is not accepted; realtimeTicketFailure says why.',
    'Mint a new one with POST /v1/realtime/ticket.',
    'mint_realtime_ticket',
  ),

  // What does not exist.
  account_not_found: entry(404, 'There is no such account.', 'Check the accountId.', 'fix_request'),
  market_not_found: entry(404, 'There is no such market.', 'Use a marketId of GET /v1/markets.', 'read_market'),
  order_not_found: entry(404, 'The account has no such order.', 'Check the orderId.', 'fix_request'),
  api_key_not_found: entry(404, 'The account has no such API key.', 'Check the keyId.', 'fix_request'),
  withdrawal_not_found: entry(
    404,
    'There is no such withdrawal that is still reserved.',
    'Check the withdrawalId.',
    'fix_request',
  ),

  // What a market's rules never allow.
  price_out_of_bounds: verdict(
    400,
    'The price is outside of minPrice and maxPrice.',
    'Keep within the bounds of the market.',
    'fix_request',
    'read_market',
  ),
  quantity_out_of_bounds: verdict(
    400,
    'The quantity is outside of minQuantity and maxQuantity.',
    'Keep within the bounds of the market.',
    'fix_request',
    'read_market',
  ),
  notional_too_small: verdict(400, 'The notional does not buy the smallest quantity.', 'Raise the notional.', 'fix_request'),
  leverage_too_high: verdict(
    400,
    'leverageX is above the maxLeverageX of the market.',
    'Lower it.',
    'fix_request',
    'read_market',
  ),
  market_invalid: entry(400, 'The market specification is not sound.', 'Correct the rule that is broken.', 'fix_request'),
  amount_out_of_bounds: entry(400, 'The amount is zero, or more than the venue can hold.', 'Send another amount.', 'fix_request'),
  batch_size_invalid: entry(400, 'The batch is empty, or has more than 32 entries.', 'Send from 1 to 32 entries.', 'fix_request'),
  transfer_to_itself: entry(400, 'The transfer goes to the account that it comes from.', 'Name another account.', 'fix_request'),

  // What the present state does not allow.
  idempotency_conflict: entry(
    409,
    'The idempotency key was used with another body.',
    'Use a new key for a new request; repeat the body exactly for a retry.',
    'fix_request',
  ),
  duplicate_client_order_id: verdict(
    409,
    'The clientOrderId belongs to an earlier order.',
    'Use a new clientOrderId for a new order.',
    'use_new_client_order_id',
    'read_order',
  ),
  market_not_open: entry(409, 'The market takes no orders now.', 'Wait until its status is open.', 'read_market', 'retry_later'),
  market_reduce_only: entry(
    409,
    'The market takes only orders that reduce a position: by its status, or while positions wait their turn to be liquidated.',
    'Send a reduce-only order against your position, or wait: for the status open, or, where it is that already, for a moment.',
    'read_market',
    'retry_later',
  ),
  market_transition_invalid: entry(
    409,
    'The status of the market cannot change to that one.',
    'Read its status: a draft is opened or closed, an open market becomes reduce_only or cancel_only and back, a cancel_only one is closed.',
    'read_market',
  ),
  market_busy: entry(
    409,
    'The market still holds orders or positions.',
    'Wait until they are cancelled and closed, then close it.',
    'read_market',
    'retry_later',
  ),
  nothing_to_advance: entry(409, 'The market has no work left over.', 'Nothing needs to be done.', 'none'),
  order_not_open: entry(409, 'The order has already ended.', 'Read it to see how.', 'read_order'),
  price_out_of_band: verdict(
    409,
    'The price is too far from the mark.',
    'Move it inside the price band.',
    'read_market',
    'fix_request',
  ),
  insufficient_margin: entry(
    409,
    'The account has less available than the order needs.',
    'Lower the order or add funds.',
    'read_account',
  ),
  insufficient_cash: entry(
    409,
    'The account has less cash that nothing holds than the amount.',
    'Lower the amount, or cancel orders that hold cash first.',
    'read_account',
  ),
  post_only_would_cross: verdict(
    409,
    'A post-only order would trade at once.',
    'Move the price away from the market.',
    'read_market',
    'fix_request',
  ),
  reduce_only_would_increase: verdict(
    409,
    'A reduce-only order would not reduce a position.',
    'Check the side of the position, or send the order without reduceOnly.',
    'read_account',
  ),
  too_many_open_orders: entry(
    409,
    'The account has as many open orders in the market as it may.',
    'Cancel some first.',
    'read_account',
    'retry_later',
  ),
  too_many_positions: entry(
    409,
    'The market has as many open positions as it may, and the account has none there.',
    'Wait until others are closed, or use another market.',
    'read_market',
    'retry_later',
  ),
  exposure_limit: verdict(
    409,
    'The position and the orders that would enlarge it are beyond what the venue can hold for one account.',
    'Lower the order, or cancel others first.',
    'read_account',
  ),
  position_limit: verdict(
    409,
    'The position and the orders that would enlarge it are larger than what the venue can hold for one account.',
    'Lower the order, or cancel others first.',
    'read_account',
  ),
  too_many_realtime_tickets: entry(
    409,
    'The account has as many families of realtime tickets as it may.',
    'Rotate tickets rather than to mint new ones; revoke those that are not needed, or let them expire.',
    'retry_later',
  ),
  account_retired: verdict(409, 'The account is retired.', 'Use another account.', 'none'),
  account_busy: entry(409, 'The account still holds orders or positions.', 'Cancel and close them first.', 'read_account'),
  api_key_invalid: entry(
    400,
    'The API key has no scope, or one twice, or has expired already.',
    'Name each scope once, and a time to come.',
    'fix_request',
  ),
  too_many_api_keys: entry(409, 'The account has as many active API keys as it may.', 'Revoke some first.', 'read_account'),
  api_key_exists: entry(409, 'The keyId is taken.', 'Make a new key.', 'fix_request'),
  market_exists: entry(409, 'The marketId is taken.', 'Choose another.', 'fix_request'),

  // What the venue cannot do now.
  rate_limited: entry(
    429,
    'The API key, its account, or the network that asks sends such requests faster than it may.',
    'Wait for the seconds in the Retry-After header.',
    'retry_later',
  ),
  dependency_unavailable: entry(
    503,
    'What this operation needs besides the venue itself is away; dependency says what.',
    'Wait for the seconds in the Retry-After header. Orders are taken meanwhile: see GET /ready.',
    'retry_later',
  ),
  internal_error: entry(
    500,
    'Internal error.',
    'Tell the operator the requestId. What was asked for may have been done: a command with an idempotency key may be sent again with the same key.',
    'none',
  ),
  mark_price_unavailable: entry(
    503,
    'The market has no price to value an order by.',
    'Wait until it has one.',
    'read_market',
    'retry_later',
  ),
  index_not_current: entry(
    503,
    'The index price of the market is stale or unconfirmed, so that nothing may open risk.',
    'Wait until the indexStatus of its stats is current; orders that only reduce a position are taken meanwhile.',
    'read_market',
    'retry_later',
  ),
  upstream_unavailable: entry(
    503,
    'The venue behind this gateway does not answer. Whether it took a command shows when it is back.',
    'Send the same again, with the same idempotency key, after the seconds in the Retry-After header.',
    'retry_later',
  ),
  venue_busy: entry(
    503,
    'More is queued than the venue takes, or what is read is being rebuilt. Nothing was accepted, unless the message says so.',
    'Send the same again in a moment.',
    'retry_later',
  ),
  venue_halted: entry(
    503,
    'The venue is halted. Whether a command was taken shows when it is back.',
    'Send the same again, with the same idempotency key, when GET /ready answers 200.',
    'retry_later',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Any request can meet these, whatever its operation declares. */
export const ALWAYS_POSSIBLE: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
];
