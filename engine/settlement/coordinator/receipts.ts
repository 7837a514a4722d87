/** From a ledger command to what the journal records of it. */
import type { DepositStep, WithdrawalStep } from '#reads/owner-money.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import type { RecordDepositStep } from '#venue/command.ts';
import type { LedgerCalls } from './ledger-calls.ts';

/** What the journal records of a receipt. Texts are empty if there is nothing. */
export type StepReceipt = Omit<RecordDepositStep, 'type' | 'deposit' | 'step' | 'attempt'>;

interface Calls {
  readonly calls: LedgerCalls;
  readonly item: string;
}

/** Submits the command, again if it was submitted before. `undefined` while it is pending. */
export async function receiptOf({ calls, item }: Calls, command: LedgerCommand): Promise<Receipt | undefined> {
  const known = await calls.submit(command, item);
  return known.status === 'sequenced' ? known.receipt : undefined;
}

/**
 * A rejected acceptance of an offer that is accepted nevertheless was accepted by another command of its owner: the money is with the
 * owner, so the step counts as accepted. `accepted_elsewhere`: the same for an offer that was to be withdrawn.
 */
export async function recordedOutcome(
  { calls }: Calls,
  step: DepositStep | WithdrawalStep,
  offerId: string,
  receipt: Receipt,
): Promise<StepReceipt | 'accepted_elsewhere'> {
  const { ledgerEventId, offset: ledgerOffset } = receipt;
  const recorded = { ledgerEventId, ledgerOffset };
  if (receipt.outcome === 'sequenced_accepted')
    return { ...recorded, outcome: 'accepted', reason: '', createdId: receipt.createdId ?? '' };
  const isClosed = receipt.reason === 'offer_closed';
  const offer = isClosed ? await calls.read((ledger) => ledger.offer(offerId)) : undefined;
  if (offer?.status !== 'accepted') return { ...recorded, outcome: 'rejected', reason: receipt.reason, createdId: '' };
  if (step === 'owner_offer_acceptance') return { ...recorded, outcome: 'accepted', reason: '', createdId: '' };
  return 'accepted_elsewhere';
}

/** An expired offer that the owner accepted by another command: the venue's own acceptance then only establishes that. */
export async function isOfferAccepted({ calls }: Calls, offerId: string): Promise<boolean> {
  const offer = await calls.read((ledger) => ledger.offer(offerId));
  return offer?.status === 'accepted';
}

/** The record of an offer that cannot be withdrawn because it was accepted: its acceptance is due. */
export function closedOffer({ ledgerEventId, offset }: Receipt): StepReceipt {
  return { outcome: 'rejected', reason: 'offer_closed', createdId: '', ledgerEventId, ledgerOffset: offset };
}
