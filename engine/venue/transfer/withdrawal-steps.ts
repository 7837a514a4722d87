/**
 * The statuses of an owner's withdrawal, its steps on the external ledger, and what follows each. The owner consents, the venue offers
 * money of its custody, and the owner accepts the offer, which settles the withdrawal. Otherwise it ends blocked.
 */
import type { DueStep, StepResult } from './ledger-steps.ts';

/** Of an open withdrawal. `submitted` from the first step on the ledger on. */
export const OPEN_WITHDRAWAL_STATUSES = ['requested', 'reserved', 'authorized', 'submitted'] as const;
export type OpenWithdrawalStatus = (typeof OPEN_WITHDRAWAL_STATUSES)[number];

export const WITHDRAWAL_STEPS = [
  'owner_withdrawal_consent',
  'payout_offer',
  'owner_offer_acceptance',
  'offer_withdrawal',
] as const;
export type WithdrawalStep = (typeof WITHDRAWAL_STEPS)[number];
export const DUE_WITHDRAWAL_STEPS = [...WITHDRAWAL_STEPS, 'settled', 'blocked'] as const;
export type DueWithdrawalStep = (typeof DUE_WITHDRAWAL_STEPS)[number];

/** The reason of a withdrawal whose offer was not accepted in time. */
export const OFFER_NOT_ACCEPTED = 'payout_offer_expired';

type Due = DueStep<DueWithdrawalStep>;
type Transitions = Readonly<Record<StepResult, Due>>;

const due = (step: DueWithdrawalStep): Due => ({ step, isNewAttempt: false });
const again = (step: DueWithdrawalStep): Due => ({ step, isNewAttempt: true });

/** Only the withdrawal of an offer has results besides `accepted` and `rejected`. */
function step(accepted: Due, rejected: Due, closed = rejected): Transitions {
  return { accepted, rejected, offer_closed: closed, offer_accepted: closed };
}

/**
 * The cash returns to the account only when no money can have left the custody: without an offer, or after it was withdrawn. A closed
 * offer may have been accepted, so that its acceptance is due, whose receipt decides.
 */
const TRANSITIONS: Readonly<Record<WithdrawalStep, Transitions>> = {
  owner_withdrawal_consent: step(due('payout_offer'), due('blocked')),
  payout_offer: step(due('owner_offer_acceptance'), due('blocked')),
  owner_offer_acceptance: step(due('settled'), due('offer_withdrawal')),
  offer_withdrawal: step(due('blocked'), due('blocked'), again('owner_offer_acceptance')),
};

/** The withdrawal of an expired offer: the venue has not submitted the acceptance of this attempt. */
const RENEWAL: Transitions = step(due('blocked'), due('blocked'), due('owner_offer_acceptance'));

export function withdrawalStepAfter(step: WithdrawalStep, isRenewal: boolean, result: StepResult): Due {
  return (isRenewal ? RENEWAL : TRANSITIONS[step])[result];
}
