/** A deposit or a withdrawal as the journal's events describe it, and the transition tables, written a second time. */

export type FlowKind = 'deposit' | 'withdrawal';

export interface Flow {
  readonly kind: FlowKind;
  readonly ordinal: number;
  readonly account: number;
  readonly amountAtoms: number;
  /** Of the ids of its ledger commands. */
  readonly nonce: string;
  readonly partyId: string;
  /** The step that is due; of a flow that has ended, the last one. */
  step: string;
  attempt: number;
  isSubmitted: boolean;
  isRenewal: boolean;
  offerId: string;
  offerExpiresAtEpochMs: number;
  /** Of a withdrawal; a deposit is `open` until it is confirmed. */
  status: string;
  end: 'confirmed' | 'settled' | 'blocked' | undefined;
}

export function nameOf({ kind, ordinal }: Pick<Flow, 'kind' | 'ordinal'>): string {
  return `${kind} ${ordinal}`;
}

/** The part of an item's key that starts the ids of its ledger commands. */
export function nonceOf(ledgerKey: string): string {
  return ledgerKey.split('.')[0]!;
}

/** The id of a ledger command without the proof of its venue: `<nonce>-<step>-<attempt>`, or `<nonce>-issue`. */
export function unprovenId(commandId: string): string {
  return commandId.split('.')[0]!;
}

/** Steps that only the owner may start. */
export const OWNER_STEPS: ReadonlySet<string> = new Set([
  'owner_offer_acceptance',
  'owner_account_acceptance',
  'owner_withdrawal_consent',
]);

export interface Due {
  readonly step: string;
  readonly attempt: number;
}

/** What is due after the recorded step. The ends are `none`, `settled` and `blocked`. */
export function dueAfter({ kind, step, attempt, isRenewal }: Flow, outcome: string, reason: string): Due {
  const isAccepted = outcome === 'accepted';
  const isClosed = step === 'offer_withdrawal' && !isAccepted && reason === 'offer_closed';
  const same = (due: string): Due => ({ step: due, attempt });
  const next = (due: string): Due => ({ step: due, attempt: attempt + 1 });
  switch (`${kind} ${step}`) {
    case 'deposit treasury_offer':
      return isAccepted ? same('owner_offer_acceptance') : next('treasury_offer');
    case 'deposit owner_offer_acceptance':
      return same(isAccepted ? 'owner_account_acceptance' : 'offer_withdrawal');
    case 'deposit owner_account_acceptance':
      return isAccepted ? same('none') : next('owner_account_acceptance');
    case 'deposit offer_withdrawal':
      if (!isAccepted && reason === 'offer_accepted') return same('owner_account_acceptance');
      return isClosed && isRenewal ? same('owner_offer_acceptance') : next('treasury_offer');
    case 'withdrawal owner_withdrawal_consent':
      return same(isAccepted ? 'payout_offer' : 'blocked');
    case 'withdrawal payout_offer':
      return same(isAccepted ? 'owner_offer_acceptance' : 'blocked');
    case 'withdrawal owner_offer_acceptance':
      return same(isAccepted ? 'settled' : 'offer_withdrawal');
    case 'withdrawal offer_withdrawal':
      if (!isClosed) return same('blocked');
      return isRenewal ? same('owner_offer_acceptance') : next('owner_offer_acceptance');
    default:
      throw new Error(`a ${kind} has no step ${step}`);
  }
}
