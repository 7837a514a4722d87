/**
 * Refusals in the shape of the unified library (7.2): the name of the error class that the library throws, and the envelope (7.1) as
 * `info`. One table gives the class of each code.
 */
import * as z from 'zod';
import { renderIsoTime } from '#units/iso-time.ts';
import { type ErrorEnvelope, errorEnvelope } from './error-envelope.ts';
import { ERROR_CODES, type ErrorCode } from './errors.ts';
import { epochMs } from './fields.ts';

/** The error class of ccxt, by code. */
export const UNIFIED_ERROR_NAMES = {
  invalid_request: 'BadRequest',
  malformed_json: 'BadRequest',
  malformed_request: 'BadRequest',
  invalid_cursor: 'BadRequest',
  idempotency_key_required: 'BadRequest',
  idempotency_key_invalid: 'BadRequest',
  unknown_market: 'BadSymbol',
  price_off_tick: 'InvalidOrder',
  quantity_off_lot: 'InvalidOrder',
  notional_too_fine: 'InvalidOrder',
  path_not_found: 'NotSupported',
  method_not_allowed: 'NotSupported',
  not_supported: 'NotSupported',
  request_timeout: 'RequestTimeout',
  payload_too_large: 'BadRequest',
  unsupported_media_type: 'BadRequest',
  headers_too_large: 'BadRequest',
  unauthorized: 'AuthenticationError',
  realtime_ticket_rejected: 'AuthenticationError',
  insufficient_scope: 'PermissionDenied',
  session_required: 'PermissionDenied',
  not_an_api_key: 'PermissionDenied',
  passkey_required: 'PermissionDenied',
  account_forbidden: 'PermissionDenied',
  account_not_enabled: 'AccountNotEnabled',
  account_not_found: 'BadRequest',
  market_not_found: 'BadSymbol',
  order_not_found: 'OrderNotFound',
  api_key_not_found: 'BadRequest',
  withdrawal_not_found: 'BadRequest',
  price_out_of_bounds: 'InvalidOrder',
  quantity_out_of_bounds: 'InvalidOrder',
  notional_too_small: 'InvalidOrder',
  leverage_too_high: 'InvalidOrder',
  market_invalid: 'BadRequest',
  amount_out_of_bounds: 'BadRequest',
  batch_size_invalid: 'BadRequest',
  transfer_to_itself: 'BadRequest',
  idempotency_conflict: 'DuplicateOrderId',
  duplicate_client_order_id: 'DuplicateOrderId',
  market_not_open: 'MarketClosed',
  market_reduce_only: 'OperationRejected',
  market_transition_invalid: 'BadRequest',
  market_busy: 'OperationRejected',
  nothing_to_advance: 'BadRequest',
  order_not_open: 'OrderNotFound',
  price_out_of_band: 'InvalidOrder',
  insufficient_margin: 'InsufficientFunds',
  insufficient_cash: 'InsufficientFunds',
  post_only_would_cross: 'OrderImmediatelyFillable',
  reduce_only_would_increase: 'InvalidOrder',
  too_many_open_orders: 'OperationRejected',
  too_many_positions: 'OperationRejected',
  exposure_limit: 'InvalidOrder',
  position_limit: 'InvalidOrder',
  account_retired: 'AccountSuspended',
  account_legacy_excluded: 'AccountSuspended',
  account_busy: 'OperationRejected',
  api_key_invalid: 'BadRequest',
  too_many_api_keys: 'BadRequest',
  too_many_realtime_tickets: 'RateLimitExceeded',
  api_key_exists: 'BadRequest',
  environment_bound: 'BadRequest',
  capability_invalid: 'BadRequest',
  market_exists: 'BadRequest',
  registration_invalid: 'BadRequest',
  identity_registered: 'BadRequest',
  owner_not_found: 'BadRequest',
  passkey_invalid: 'BadRequest',
  passkey_exists: 'BadRequest',
  passkey_not_found: 'BadRequest',
  passkey_counter_invalid: 'PermissionDenied',
  last_passkey: 'OperationRejected',
  too_many_passkeys: 'BadRequest',
  setup_key_active: 'OperationRejected',
  setup_complete: 'OperationRejected',
  setup_unavailable: 'OperationRejected',
  ledger_reference_invalid: 'BadRequest',
  party_state_conflict: 'OperationRejected',
  party_exists: 'BadRequest',
  wallet_exists: 'OperationRejected',
  consent_state_conflict: 'OperationRejected',
  faucet_granted: 'OperationRejected',
  funding_intent_not_found: 'BadRequest',
  funding_intent_bound: 'OperationRejected',
  deposit_not_found: 'BadRequest',
  deposit_state_conflict: 'OperationRejected',
  destination_not_allowed: 'PermissionDenied',
  too_many_withdrawals: 'OperationRejected',
  withdrawal_state_conflict: 'OperationRejected',
  ledger_bound: 'BadRequest',
  money_id_used: 'OperationRejected',
  money_id_invalid: 'BadRequest',
  unknown_provider: 'BadRequest',
  attempt_rejected: 'OperationRejected',
  sign_in_rejected: 'PermissionDenied',
  identity_not_registered: 'BadRequest',
  mapping_forbidden: 'PermissionDenied',
  passkey_rejected: 'PermissionDenied',
  challenge_rejected: 'OperationRejected',
  signature_rejected: 'PermissionDenied',
  no_usable_passkey: 'OperationRejected',
  setup_key_busy: 'OperationRejected',
  rate_limited: 'RateLimitExceeded',
  internal_error: 'ExchangeNotAvailable',
  mark_price_unavailable: 'MarketClosed',
  index_not_current: 'MarketClosed',
  dependency_unavailable: 'ExchangeNotAvailable',
  source_unavailable: 'ExchangeNotAvailable',
  upstream_unavailable: 'ExchangeNotAvailable',
  venue_busy: 'ExchangeNotAvailable',
  venue_halted: 'OnMaintenance',
  intake_paused: 'OnMaintenance',
  capability_unavailable: 'ExchangeNotAvailable',
} as const satisfies Record<ErrorCode, string>;

/** Refused before the path is known, so always in the plain envelope, also under `/v2`. */
export const REFUSED_BEFORE_ROUTING: readonly ErrorCode[] = ['request_timeout', 'headers_too_large'];
/** Refused before or after the path is known: under `/v2` in the library's shape or in the plain envelope. */
export const REFUSED_AROUND_ROUTING: readonly ErrorCode[] = ['malformed_request'];

const names = [
  ...new Set(ERROR_CODES.filter((code) => !REFUSED_BEFORE_ROUTING.includes(code)).map((code) => UNIFIED_ERROR_NAMES[code])),
];

export const unifiedError = z
  .strictObject({
    name: z.enum(names as [string, ...string[]]).meta({ description: 'The error class that ccxt throws.' }),
    message: z.string().min(1).meta({ description: 'For people: the safeMessage of info.' }),
    code: z.string().min(1).meta({ description: 'The code of info.' }),
    retryable: z.boolean(),
    timestamp: epochMs,
    datetime: z.string().meta({ description: 'The timestamp in ISO 8601.' }),
    info: errorEnvelope,
  })
  .meta({ id: 'UnifiedError', description: 'The response to every refused request under /v2.' });
export type UnifiedError = z.infer<typeof unifiedError>;

export function unifiedErrorOf(envelope: ErrorEnvelope): UnifiedError {
  const { code, safeMessage, retryable, occurredAtEpochMs } = envelope;
  return {
    name: UNIFIED_ERROR_NAMES[code],
    message: safeMessage,
    code,
    retryable,
    timestamp: occurredAtEpochMs,
    datetime: renderIsoTime(occurredAtEpochMs),
    info: envelope,
  };
}
