/**
 * The steps of a deposit on the external ledger, and what follows each. The venue offers money of its treasury, the owner accepts the
 * offer, and then transfers the money to the venue's custody. Only the last step credits the account.
 */
import type { DueStep, StepResult } from './ledger-steps.ts';

export const DEPOSIT_STEPS = [
  'treasury_offer',
  'owner_offer_acceptance',
  'owner_account_acceptance',
  'offer_withdrawal',
] as const;
export type DepositStep = (typeof DEPOSIT_STEPS)[number];
/** `none`: the deposit is confirmed. */
export const DUE_DEPOSIT_STEPS = [...DEPOSIT_STEPS, 'none'] as const;
export type DueDepositStep = (typeof DUE_DEPOSIT_STEPS)[number];

type Due = DueStep<DueDepositStep>;
type Transitions = Readonly<Record<StepResult, Due>>;

const due = (step: DueDepositStep): Due => ({ step, isNewAttempt: false });
const again = (step: DueDepositStep): Due => ({ step, isNewAttempt: true });

/** Only the withdrawal of an offer has results besides `accepted` and `rejected`. */
function step(accepted: Due, rejected: Due, closed = rejected, acceptedElsewhere = closed): Transitions {
  return { accepted, rejected, offer_closed: closed, offer_accepted: acceptedElsewhere };
}

const TRANSITIONS: Readonly<Record<DepositStep, Transitions>> = {
  treasury_offer: step(due('owner_offer_acceptance'), again('treasury_offer')),
  owner_offer_acceptance: step(due('owner_account_acceptance'), due('offer_withdrawal')),
  owner_account_acceptance: step(due('none'), again('owner_account_acceptance')),
  // The venue's acceptance was rejected for good, so that the offer can be replaced, unless its owner accepted it by another command.
  offer_withdrawal: step(
    again('treasury_offer'),
    again('treasury_offer'),
    again('treasury_offer'),
    due('owner_account_acceptance'),
  ),
};

/**
 * The withdrawal of an expired offer that the venue never saw accepted. If it is closed, the acceptance was sequenced before the venue
 * was restored from an older copy: another offer would pay twice, and the acceptance's receipt is on the ledger.
 */
const RENEWAL: Transitions = step(again('treasury_offer'), again('treasury_offer'), due('owner_offer_acceptance'));

export function depositStepAfter(step: DepositStep, isRenewal: boolean, result: StepResult): Due {
  return (isRenewal ? RENEWAL : TRANSITIONS[step])[result];
}
