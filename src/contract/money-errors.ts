/** Refusals of the faucet, deposits, withdrawals and the ids of money. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const MONEY_ERRORS = {
  faucet_granted: entry(
    409,
    'The faucet has granted this account its money.',
    'Use the funding intent of the grant.',
    'read_account',
  ),
  funding_intent_not_found: entry(
    404,
    'The account has no funding intent with this id.',
    'Read the funding intents of the account.',
    'fix_request',
  ),
  funding_intent_bound: entry(409, 'A deposit is bound to the funding intent.', 'Continue with that deposit.', 'read_account'),
  deposit_not_found: entry(404, 'The account has no deposit with this id.', 'Check the depositId.', 'fix_request'),
  deposit_state_conflict: entry(
    409,
    'The deposit is not in a state in which this is possible.',
    'Send the action initiate to see what is due.',
    'read_account',
  ),
  destination_not_allowed: entry(
    403,
    'The destination is not the ledger party of the account.',
    'Name the party of the account as the destination.',
    'fix_request',
  ),
  too_many_withdrawals: entry(
    409,
    'The account has the maximum number of open withdrawals.',
    'Finish one of them, or wait until one has ended.',
    'read_account',
    'retry_later',
  ),
  withdrawal_state_conflict: entry(
    409,
    'The withdrawal is not in a state in which this is possible.',
    'Read the withdrawal to see its status and what is due.',
    'read_account',
  ),
  ledger_bound: entry(
    409,
    'The venue settles on another ledger, for good.',
    'Start the venue with that ledger, or with another data directory.',
    'none',
  ),
  money_id_used: entry(
    409,
    'Money was moved under this id before. Nothing was moved again.',
    'Do nothing if it is the same movement; otherwise choose a new id.',
    'none',
  ),
  money_id_invalid: entry(400, 'The id of the movement is empty or too long.', 'Use 1 to 160 characters.', 'fix_request'),
  ledger_offset_known: entry(
    409,
    'The journal knows the entries of the external ledger up to this offset.',
    'Accept entries after those.',
    'none',
  ),
} as const satisfies Record<string, ErrorEntry>;
