/** Every code of the venue's catalogue becomes one exact ccxt error, after exactly one request. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type CannedResponse, type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse } from '#compat/testing/canned.ts';
import { errorEnvelope } from '#contract/error-envelope.ts';
import { ERROR_CODES, ERRORS, type ErrorCode } from '#contract/errors.ts';

/** The expected ccxt errors. A missing code does not compile. */
const EXPECTED: Record<ErrorCode, keyof typeof ccxt> = {
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
  authorization_pending: 'OperationRejected',
  slow_down: 'RateLimitExceeded',
  access_denied: 'PermissionDenied',
  expired_token: 'AuthenticationError',
  invalid_grant: 'AuthenticationError',
  user_code_not_found: 'BadRequest',
  device_grant_decided: 'BadRequest',
  too_many_device_grants: 'RateLimitExceeded',
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
  expiry_out_of_bounds: 'InvalidOrder',
  order_not_amendable: 'InvalidOrder',
  timeout_out_of_bounds: 'BadRequest',
  quantity_already_filled: 'InvalidOrder',
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
  margin_required: 'InsufficientFunds',
  position_not_found: 'BadRequest',
  post_only_would_cross: 'OrderImmediatelyFillable',
  reduce_only_would_increase: 'InvalidOrder',
  trigger_reached: 'InvalidOrder',
  linked_order_not_waiting: 'InvalidOrder',
  trigger_invalid: 'BadRequest',
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
  affiliate_registered: 'OperationRejected',
  referral_code_invalid: 'BadRequest',
  kyc_skipped: 'OperationRejected',
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
  ledger_offset_known: 'OperationRejected',
  agents_not_admitted: 'OperationRejected',
  agent_account_invalid: 'BadRequest',
  too_many_agent_accounts: 'OperationRejected',
  agent_account_not_found: 'BadRequest',
  agent_account_not_ready: 'OperationRejected',
  agent_script_invalid: 'BadRequest',
  agent_script_refused: 'BadRequest',
  unknown_strategy: 'BadRequest',
  agent_review_changed: 'OperationRejected',
  too_many_agent_drafts: 'OperationRejected',
  agent_draft_not_found: 'BadRequest',
  agent_draft_not_reviewed: 'OperationRejected',
  agent_draft_in_use: 'OperationRejected',
  agent_deployment_invalid: 'BadRequest',
  too_many_agent_deployments: 'OperationRejected',
  agent_deployment_not_found: 'BadRequest',
  agent_deployment_ended: 'OperationRejected',
  agent_state_conflict: 'OperationRejected',
  agent_order_invalid: 'BadRequest',
  agent_order_repeated: 'OperationRejected',
  agent_funding_invalid: 'BadRequest',
  agent_funding_exists: 'OperationRejected',
  too_many_agent_fundings: 'OperationRejected',
  agent_funding_not_found: 'BadRequest',
  agent_funding_expired: 'OperationRejected',
  agent_funding_state_conflict: 'OperationRejected',
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
};

let recorder: Recorder;
let refusal: CannedResponse | undefined;
let exchange: OpenPerp;

beforeEach(async () => {
  refusal = undefined;
  recorder = await startRecorder((request) => refusal ?? cannedResponse(request));
  exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
  await exchange.fetchBalance();
  recorder.clear();
});

afterEach(() => recorder.close());

function envelope(code: string): CannedResponse {
  const entry = ERRORS[code as ErrorCode] ?? { status: 409, cause: 'New.', retryable: false, recoveryActions: ['none'] };
  const { status, cause, retryable, recoveryActions } = entry;
  const body = { code, safeMessage: cause, retryable, recoveryActions, requestId: 'r-1', occurredAtEpochMs: 1 };
  return { status, body: { version: 'external-rest-error/v1', ...body } };
}

async function errorOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.fail('the call succeeded'),
    (error: Error) => error,
  );
}

describe.each(ERROR_CODES)('%s', (code) => {
  test('becomes its ccxt error after one request', async () => {
    refusal = envelope(code);
    errorEnvelope.parse(refusal.body);
    const error = await errorOf(exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.1, 65_000));
    expect(error.constructor).toBe(ccxt[EXPECTED[code]]);
    expect(error.message).toContain(code);
    expect(recorder.requests).toHaveLength(1);
  });
});

test.each([
  [409, 'ExchangeError'],
  [500, 'ExchangeNotAvailable'],
  [503, 'ExchangeNotAvailable'],
  [505, 'ExchangeNotAvailable'],
] as const)(
  'maps an unknown code with status %i to %s: the order is refused, or its outcome is unknown',
  async (status, name) => {
    refusal = { ...envelope('a_code_of_tomorrow'), status };
    const error = await errorOf(exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.1, 65_000));
    expect(error.constructor).toBe(ccxt[name]);
    expect(error.message).toContain('a_code_of_tomorrow');
    expect(recorder.requests).toHaveLength(1);
  },
);

test('retries with the same idempotency key after an internal error of the venue', async () => {
  refusal = envelope('internal_error');
  exchange.options.maxRetriesOnFailure = 2;
  const error = await errorOf(exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.1, 65_000));
  expect(error).toBeInstanceOf(ccxt.NetworkError);
  expect(recorder.requests).toHaveLength(3);
  expect(new Set(recorder.requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1);
});

test('maps the status of a response that is not the venue’s', async () => {
  refusal = { status: 502, body: { message: 'bad gateway' } };
  expect(await errorOf(exchange.fetchBalance())).toBeInstanceOf(ccxt.ExchangeNotAvailable);
});

test('sends the API key only in the header', async () => {
  refusal = envelope('unauthorized');
  const error = await errorOf(exchange.fetchBalance());
  expect(error.message).not.toContain('opk_test');
  expect(recorder.requests.map(({ path }) => path)).toEqual(['/v1/accounts/acct-7']);
  expect(recorder.requests[0]?.headers.authorization).toBe('Bearer opk_test');
});
