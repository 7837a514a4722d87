/**
 * Why the venue refuses a command. Planning decides a refusal, before anything changes. A final refusal is journaled, so a retry
 * gets the same response. A temporary one is not journaled. The HTTP edge words the messages for people.
 */
import type { OrderOrdinal } from '#units/ids.ts';

export const REFUSAL_CODES = [
  'account_not_found',
  'account_not_enabled',
  'account_retired',
  'account_busy',
  'api_key_not_found',
  'api_key_exists',
  'api_key_invalid',
  'too_many_api_keys',
  'amount_out_of_bounds',
  'market_not_found',
  'market_exists',
  'market_invalid',
  'market_not_open',
  'mark_price_unavailable',
  'order_not_found',
  'order_not_open',
  'duplicate_client_order_id',
  'price_out_of_bounds',
  'price_out_of_band',
  'quantity_out_of_bounds',
  'notional_too_small',
  'leverage_too_high',
  'insufficient_margin',
  'post_only_would_cross',
  'reduce_only_would_increase',
  'too_many_open_orders',
  'exposure_limit',
  'position_limit',
  'index_not_current',
  'market_reduce_only',
  'market_transition_invalid',
  'market_busy',
  'nothing_to_advance',
  'too_many_positions',
  'batch_size_invalid',
  'insufficient_cash',
  'withdrawal_not_found',
  'transfer_to_itself',
  'account_legacy_excluded',
  'venue_halted',
  'intake_paused',
  'capability_unavailable',
  'environment_bound',
  'capability_invalid',
  'registration_invalid',
  'identity_registered',
  'owner_not_found',
  'passkey_invalid',
  'passkey_exists',
  'passkey_not_found',
  'passkey_counter_invalid',
  'last_passkey',
  'too_many_passkeys',
  'setup_key_active',
  'setup_complete',
  'setup_unavailable',
  'ledger_reference_invalid',
  'party_state_conflict',
  'party_exists',
  'wallet_exists',
  'consent_state_conflict',
  'faucet_granted',
  'funding_intent_not_found',
  'funding_intent_bound',
  'deposit_not_found',
  'deposit_state_conflict',
  'destination_not_allowed',
  'too_many_withdrawals',
  'withdrawal_state_conflict',
  'ledger_bound',
  'money_id_used',
  'money_id_invalid',
  'ledger_offset_known',
  'agent_account_invalid',
  'too_many_agent_accounts',
  'agent_account_not_found',
  'agent_account_not_ready',
  'agent_script_invalid',
  'too_many_agent_drafts',
  'agent_draft_not_found',
  'agent_draft_not_reviewed',
  'agent_draft_in_use',
  'agent_deployment_invalid',
  'too_many_agent_deployments',
  'agent_deployment_not_found',
  'agent_deployment_ended',
  'agent_state_conflict',
  'agent_order_invalid',
  'agent_order_repeated',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/**
 * Refusals that neither the journal nor the idempotency index stores: the same key runs again. These are the retryable codes of
 * the error catalogue, and `insufficient_margin`: otherwise an account without money could fill the disk with it.
 */
export const UNSTORED_REFUSALS: ReadonlySet<RefusalCode> = new Set([
  'insufficient_margin',
  'market_not_open',
  'market_reduce_only',
  'mark_price_unavailable',
  'index_not_current',
  'too_many_open_orders',
  'too_many_positions',
  'market_busy',
  'venue_halted',
  'intake_paused',
  'capability_unavailable',
  'too_many_withdrawals',
  'too_many_agent_drafts',
  'too_many_agent_deployments',
]);

export interface Refusal {
  readonly code: RefusalCode;
  /** The order that the refusal is about: for a duplicate client order id, the earlier order. */
  readonly order?: OrderOrdinal;
  /** The bound that was broken, in atoms of the bounded value; for `insufficient_margin` the missing amount. */
  readonly bound?: number;
}
