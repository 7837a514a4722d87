/** What is due of a withdrawal, from the withdrawal and from the response of its confirm operation. */
import type { Withdrawal, WithdrawalSigning } from '../venue/resources.ts';
import type { Due } from './due.ts';

/** The steps of a withdrawal, in order. The owner approves twice. */
export const WITHDRAWAL_STEPS = [
  { step: 'reserved', name: 'The venue reserves the money' },
  { step: 'owner_withdrawal_consent', name: 'You consent to the withdrawal' },
  { step: 'payout_offer', name: 'The venue offers the payout on the ledger' },
  { step: 'owner_offer_acceptance', name: 'You accept the payout' },
] as const;

export type WithdrawalDue =
  | Due
  /** The owner's session authorizes it. */
  | { readonly by: 'authorization' }
  /** The confirm operation says what is due. */
  | { readonly by: 'signing' };

const SETTLED = 'The withdrawal is settled: the money is with your party on the ledger.';

export function dueOfWithdrawal({ status, settled, reason }: Withdrawal): WithdrawalDue {
  if (settled) return { by: 'none', result: 'done', message: SETTLED };
  if (status === 'blocked') return { by: 'none', result: 'stopped', message: blockedText(reason) };
  if (status === 'requested') return { by: 'venue', waitsFor: 'The venue checks that the ledger covers the payout.' };
  return { by: status === 'reserved' ? 'authorization' : 'signing' };
}

export function dueOfWithdrawalSigning({ signingStep, challenge }: WithdrawalSigning): Due {
  if (challenge !== null && signingStep !== null) return { by: 'owner', step: signingStep, challenge };
  return { by: 'venue', waitsFor: 'The external ledger confirms a step.' };
}

function blockedText(reason: string | null): string {
  return `The withdrawal was stopped${reason === null ? '' : ` (${reason})`}. The money is back in your account.`;
}
