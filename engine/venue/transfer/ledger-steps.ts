/**
 * Steps on the external ledger: what a deposit or a withdrawal has it do, and what the ledger's receipt says. The id of a ledger
 * command follows from the item's ledger key, the step and the attempt: a step that is submitted again after a crash has the same id.
 */
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export const STEP_OUTCOMES = ['accepted', 'rejected'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/**
 * What a transition depends on. The withdrawal of an offer was rejected: `offer_closed`, because the offer was closed before;
 * `offer_accepted`, because its owner accepted it by a command of its own.
 */
export type StepResult = StepOutcome | 'offer_closed' | 'offer_accepted';

/** An event of the external ledger: its id stands for the whole history up to its offset. */
export interface LedgerEvent {
  readonly ledgerEventId: string;
  /** The position among all sequenced commands of the ledger, from 1. */
  readonly ledgerOffset: number;
}

/** The fields of a receipt that the journal stores. */
export interface StepReceipt extends LedgerEvent {
  readonly outcome: StepOutcome;
  /** Why it was rejected; empty if it was accepted. */
  readonly reason: string;
  /** The offer or the consent that the step created; empty if it created none. */
  readonly createdId: string;
}

/** What is due after a step. */
export interface DueStep<Step extends string> {
  readonly step: Step;
  readonly isNewAttempt: boolean;
}

/** Steps that create a contract, which later steps name. */
const CREATING: readonly string[] = ['treasury_offer', 'owner_withdrawal_consent', 'payout_offer'];
/** Steps whose contract is an offer, which expires. */
const OFFERS: readonly string[] = ['treasury_offer', 'payout_offer'];
/** The ledger's reason for not withdrawing an offer that was accepted or withdrawn. */
const CLOSED_OFFER = 'offer_closed';
/** The same, once the venue has read that the offer was accepted. */
export const ACCEPTED_OFFER = 'offer_accepted';

/** The expiry of a step that makes no offer. */
export const NO_OFFER = 0 as EpochMs;

/** Whether an offer that is made now would be open, and no other step has an expiry. */
export function isExpiryOf(step: string, expiresAtEpochMs: EpochMs, now: EpochMs): boolean {
  return OFFERS.includes(step) ? expiresAtEpochMs > now : expiresAtEpochMs === NO_OFFER;
}

/** Whether the receipt is complete: it has a place in the ledger, and an accepted step names what it created. */
export function isReceiptOf(step: string, { outcome, createdId, ...event }: StepReceipt): boolean {
  if (!isLedgerEvent(event)) return false;
  return outcome === 'rejected' || !CREATING.includes(step) || createdId !== '';
}

export function isLedgerEvent({ ledgerEventId, ledgerOffset }: LedgerEvent): boolean {
  return ledgerOffset >= 1 && ledgerEventId !== '';
}

export function resultOf(step: string, { outcome, reason }: StepReceipt): StepResult {
  const isRejectedWithdrawal = step === 'offer_withdrawal' && outcome === 'rejected';
  return isRejectedWithdrawal && (reason === CLOSED_OFFER || reason === ACCEPTED_OFFER) ? reason : outcome;
}

export function ledgerEventLayout(io: Cursor, it: LedgerEvent): LedgerEvent {
  return { ledgerEventId: io.text(it.ledgerEventId), ledgerOffset: io.int(it.ledgerOffset) };
}

export function receiptLayout(io: Cursor, it: StepReceipt): StepReceipt {
  return {
    outcome: io.oneOf(STEP_OUTCOMES, it.outcome),
    reason: io.text(it.reason),
    createdId: io.text(it.createdId),
    ledgerEventId: io.text(it.ledgerEventId),
    ledgerOffset: io.int(it.ledgerOffset),
  };
}
