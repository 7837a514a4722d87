/** Refusals of authentication and authorization, and of unknown resources. */
import { type ErrorEntry, entry, verdict } from './error-entry.ts';

export const ACCESS_ERRORS = {
  unauthorized: entry(
    401,
    'The request has no valid API key or session.',
    'Send Authorization: Bearer <API key or session>.',
    'replace_api_key',
  ),
  insufficient_scope: entry(
    403,
    'The API key does not have the scope that this operation needs.',
    'Use a key with a scope that the message names.',
    'replace_api_key',
  ),
  session_required: entry(
    403,
    "The operation needs an owner's session: an API key does not suffice.",
    'Let the owner sign in, and repeat the request with that session.',
    'none',
  ),
  not_an_api_key: entry(
    403,
    "The bearer is an owner's session, and the operation is about the API key of the request.",
    'Send an API key.',
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
    'The API key or the session belongs to another account.',
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

  account_not_found: entry(404, 'The account does not exist.', 'Check the accountId.', 'fix_request'),
  market_not_found: entry(404, 'The market does not exist.', 'Use a marketId of GET /v1/markets.', 'read_market'),
  position_not_found: entry(404, 'The account has no open position in the market.', 'Check the marketId.', 'fix_request'),
  order_not_found: entry(404, 'The account has no such order.', 'Check the orderId.', 'fix_request'),
  api_key_not_found: entry(404, 'The account has no such API key.', 'Check the keyId.', 'fix_request'),
  withdrawal_not_found: entry(404, 'No withdrawal has this withdrawalId.', 'Check the withdrawalId.', 'fix_request'),
} as const satisfies Record<string, ErrorEntry>;
