/** Refusals of values that the market's rules or the venue's bounds exclude. */
import { type ErrorEntry, entry, verdict } from './error-entry.ts';

export const RULE_ERRORS = {
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
  timeout_out_of_bounds: entry(
    400,
    'timeoutMs is too short or too long.',
    'Use 0, or a timeout from 1 second to 24 hours.',
    'fix_request',
  ),
  expiry_out_of_bounds: verdict(
    400,
    'expiresAtEpochMs is too near or too far.',
    'Use a time from 1 second to 90 days ahead.',
    'fix_request',
  ),
  trigger_invalid: entry(
    400,
    'The trigger of the order is not valid.',
    'Correct the field that the message names.',
    'fix_request',
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
} as const satisfies Record<string, ErrorEntry>;
