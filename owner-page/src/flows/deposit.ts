/** What is due of a deposit, from the response of its confirm operation. */
import type { DepositSigning } from '../venue/resources.ts';
import type { Due } from './due.ts';

/** The steps of a deposit, in order. The venue offers the money, the owner approves twice. */
export const DEPOSIT_STEPS = [
  { step: 'treasury_offer', name: 'The venue offers the money on the ledger' },
  { step: 'owner_offer_acceptance', name: 'You accept the offer' },
  { step: 'owner_account_acceptance', name: 'You assign the money to your account' },
] as const;

const CONFIRMED = 'The deposit is confirmed: the money is in your account.';
const UNKNOWN = 'The external ledger does not answer. The venue queries it again; the money moves once.';

export function dueOfDeposit({ signingStep, challenge, deposit }: DepositSigning): Due {
  if (deposit.status === 'ledger_confirmed') return { by: 'none', result: 'done', message: CONFIRMED };
  if (challenge !== null && signingStep !== null) return { by: 'owner', step: signingStep, challenge };
  if (deposit.status === 'submitted_unknown') return { by: 'venue', waitsFor: UNKNOWN };
  const isOffering = deposit.status === 'bound';
  return { by: 'venue', waitsFor: isOffering ? 'The venue prepares the next step.' : 'The external ledger confirms a step.' };
}
