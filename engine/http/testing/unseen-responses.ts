/**
 * Values of the contract that no test over HTTP can produce, each with the reason. Every other value must be seen, and a seen
 * value must not be listed (`contract-coverage.test.ts`).
 */
import type { Operation } from '#contract/operation.ts';
import { UNIFIED_OPERATION_IDS, unifiedOperations } from '#contract/unified.ts';
import { responseLine } from './observed-responses.ts';

const OF_A_GATEWAY_ALONE = 'Of a gateway alone: seen in gateway/distorted-responses.test.ts.';
const TAKES_EQUAL_CODES = 'Takes two equal codes of 64 random bits.';
const TAKES_A_CROWD = 'Takes 50,000 accounts with a position in one market.';

export const UNSEEN_RESPONSES: Readonly<Record<string, string>> = {
  'placeOrder answers 409 too_many_positions': TAKES_A_CROWD,
  'createUnifiedOrder answers 409 too_many_positions': TAKES_A_CROWD,
  'amendOrder answers 409 too_many_positions': TAKES_A_CROWD,
  'amendOrder answers 400 leverage_too_high': 'Takes a market with several margin tiers: amendment.test.ts in the core.',
  'Error.code = too_many_positions': TAKES_A_CROWD,
  'RejectedOrderOutcome.code = too_many_positions': TAKES_A_CROWD,
  'RejectedOrderPreview.code = too_many_positions': TAKES_A_CROWD,
  'registerAffiliate answers 409 referral_code_invalid': TAKES_EQUAL_CODES,
  'Error.code = referral_code_invalid': TAKES_EQUAL_CODES,
  'Freshness.backfillStatus = catching_up': 'The REST service is opened when the projection has caught up.',
  'Error.code = upstream_unavailable': OF_A_GATEWAY_ALONE,
  ...Object.fromEntries(
    UNIFIED_OPERATION_IDS.filter((id) => !(unifiedOperations[id] as Operation).acceptsAnyBody).map((id) => [
      responseLine(id, 503, 'upstream_unavailable'),
      OF_A_GATEWAY_ALONE,
    ]),
  ),
  'AccountSnapshot.riskEvidence.status = partial': 'A market without a price takes no orders, and a price once had is not lost.',
};
