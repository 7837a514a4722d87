/** The cells of faults and statuses that no step shows, each with its reason. */
import type { FaultName } from './faults.ts';

interface Impossible {
  readonly statuses: readonly string[];
  readonly faults: readonly FaultName[];
  readonly reason: string;
}

const ONE_CALL = ['request_lost', 'answer_lost', 'request_late'] as const;
const OLDER = ['older_ledger', 'older_journal'] as const;

export const IMPOSSIBLE: readonly Impossible[] = [
  {
    statuses: [
      'onboarding allocating',
      'consent pending',
      'consent failure ledger_unavailable',
      'account consent pending',
      'deposit submitted',
      'deposit submitted_unknown',
      'transfer withdrawal requested',
    ],
    faults: ['request_repeated', 'receipt_lost'],
    reason: 'The ledger answers everything within the second for which a request waits.',
  },
  {
    statuses: ['consent failure ledger_unavailable', 'deposit submitted_unknown', 'transfer withdrawal requested'],
    faults: ['answer_repeated'],
    reason: 'A repeated response is an answer, and a balance is no receipt.',
  },
  {
    statuses: ['account consent pending', 'deposit submitted'],
    faults: ONE_CALL,
    reason: 'Only one call is struck: its request returns without an answer, and the flow goes on before the next read.',
  },
  {
    statuses: ['deposit submitted'],
    faults: ['down', 'down_after_effect', 'slow_beyond_timeout', 'busy', 'refused'],
    reason: 'The ledger has not acknowledged the command by then.',
  },
  {
    statuses: ['transfer withdrawal requested'],
    faults: ['busy', 'refused'],
    reason: 'A withdrawal is reserved after a read of the ledger: nothing is submitted.',
  },
  {
    statuses: [
      'onboarding allocating',
      'consent pending',
      'consent failure ledger_unavailable',
      'account consent pending',
      'deposit submitted_unknown',
      'withdrawal requested',
      'transfer withdrawal requested',
    ],
    faults: OLDER,
    reason: 'The copies are from before and after a step; foreign_command stops the venue in the middle of one.',
  },
  {
    statuses: ['deposit submitted'],
    faults: [...OLDER, 'foreign_command'],
    reason: 'A venue that has just started has no answer, and submits nothing to a ledger that differs.',
  },
  {
    statuses: ['refused capability_unavailable'],
    faults: [
      ...(['down', 'down_after_effect', 'slow', 'slow_beyond_timeout', 'answer_late'] as const),
      ...ONE_CALL,
      ...(['request_repeated', 'answer_repeated', 'receipt_lost', 'busy', 'refused'] as const),
    ],
    reason: 'The stores do not differ, so transfers are not halted.',
  },
];
