/** From a ledger command to what the journal records of it. */
import type { DepositStep, WithdrawalStep } from '#reads/owner-money.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { CommandRefused } from '#settlement/port/ledger.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import { ACCEPTED_OFFER, type RecordDepositStep } from '#venue/command.ts';
import type { Item } from './item.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { receiptOfSameOffer } from './lost-offers.ts';

/** What the journal records of a receipt. Texts are empty if there is nothing. */
export type StepReceipt = Omit<RecordDepositStep, 'type' | 'deposit' | 'step' | 'attempt'>;

interface Calls {
  readonly calls: LedgerCalls;
  readonly item: Item;
}

/**
 * Submits the command, again if it was submitted before. `undefined` while it is pending. The ledger refuses an offer whose id it has
 * with another expiry: then that offer's receipt counts.
 */
export async function receiptOf({ calls, item }: Calls, command: LedgerCommand): Promise<Receipt | undefined> {
  try {
    const known = await calls.submit(command, item);
    return known.status === 'sequenced' ? known.receipt : undefined;
  } catch (error) {
    const receipt = error instanceof CommandRefused ? await receiptOfSameOffer(calls, command) : undefined;
    if (receipt === undefined) throw error;
    return receipt;
  }
}

/** Why an offer that another command has withdrawn was neither accepted nor withdrawn: unlike `offer_closed`, nothing can follow it. */
const OFFER_WITHDRAWN = 'offer_withdrawn';

/**
 * A rejected acceptance of an offer that is accepted nevertheless was accepted by another command of its owner: the money is with the
 * owner, so the step counts as accepted. `accepted_elsewhere`: the same for an offer that was to be withdrawn. `contradicted`: the offer
 * is not closed, so a response was late or the ledger is at fault.
 */
export async function recordedOutcome(
  { calls }: Calls,
  step: DepositStep | WithdrawalStep,
  offerId: string,
  receipt: Receipt,
): Promise<StepReceipt | 'accepted_elsewhere' | 'contradicted'> {
  const { ledgerEventId, offset: ledgerOffset } = receipt;
  const recorded = { ledgerEventId, ledgerOffset };
  if (receipt.outcome === 'sequenced_accepted')
    return { ...recorded, outcome: 'accepted', reason: '', createdId: receipt.createdId ?? '' };
  if (receipt.reason !== 'offer_closed') return { ...recorded, outcome: 'rejected', reason: receipt.reason, createdId: '' };
  const offer = await calls.read((ledger) => ledger.offer(offerId));
  if (offer?.status === 'withdrawn') return { ...recorded, outcome: 'rejected', reason: OFFER_WITHDRAWN, createdId: '' };
  if (offer?.status !== 'accepted') return 'contradicted';
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

/** The same if the venue's acceptance was rejected, so that its receipt says nothing: the owner has the money. */
export function acceptedOffer(receipt: Receipt): StepReceipt {
  return { ...closedOffer(receipt), reason: ACCEPTED_OFFER };
}
