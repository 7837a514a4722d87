/** An entry of the error catalogue: its status, its texts for people, and what a client can do about it. */

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
  'start_again',
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
export function entry(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { status, cause, whatToDo, retryable: recoveryActions.includes('retry_later'), stored: false, recoveryActions };
}

/** A final refusal of a placement. The journal records it, and it is stored under the idempotency key. */
export function verdict(status: number, cause: string, whatToDo: string, ...recoveryActions: RecoveryAction[]): ErrorEntry {
  return { ...entry(status, cause, whatToDo, ...recoveryActions), stored: true };
}
