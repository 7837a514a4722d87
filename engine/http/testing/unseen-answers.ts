/**
 * What the contract lists and no test over HTTP can bring the venue to, each with the reason. Whatever is not here has to
 * be seen, and what is seen has no place here (`contract-coverage.test.ts`).
 */
const TAKES_A_CROWD = 'Takes 50,000 accounts with a position in one market.';

export const UNSEEN_ANSWERS: Readonly<Record<string, string>> = {
  'placeOrder answers 409 too_many_positions': TAKES_A_CROWD,
  'createUnifiedOrder answers 409 too_many_positions': TAKES_A_CROWD,
  'Error.code = too_many_positions': TAKES_A_CROWD,
  'RejectedOrderOutcome.code = too_many_positions': TAKES_A_CROWD,
  'RejectedOrderPreview.code = too_many_positions': TAKES_A_CROWD,
  'Freshness.backfillStatus = catching_up': 'The REST service is opened when the projection has caught up.',
  'UnifiedError.name = ExchangeError':
    'Of a code that only a later venue has, behind a gateway alone: seen in gateway/upstream.test.ts.',
  'AccountSnapshot.riskEvidence.status = partial': 'A market without a price takes no orders, and a price once had is not lost.',
};
