/**
 * One pass of a deposit: what its durable state needs now. A step is durable before its ledger command is submitted, and the receipt
 * is recorded once, so a pass may end anywhere and run again.
 */

import type { DepositView } from '#reads/owner-money.ts';
import type { DepositOrdinal } from '#units/ids.ts';
import { NO_OFFER } from '#venue/command.ts';
import { issueIdOf } from './command-id.ts';
import type { Next } from './item-queue.ts';
import { depositCommand, depositIssue } from './ledger-steps.ts';
import { expiryOfOffer } from './lost-offers.ts';
import { OFFER_LIFETIME_MS, type PassPorts } from './pass-ports.ts';
import { acceptedOffer, closedOffer, isOfferAccepted, receiptOf, recordedOutcome } from './receipts.ts';

export async function passDeposit(ports: PassPorts, deposit: DepositOrdinal): Promise<Next> {
  const it = ports.owners.deposit(deposit);
  if (it === undefined || it.confirmed || it.step === null) return 'idle';
  if (it.isSubmitted) return recordStep(ports, it);
  const { attempt } = it;
  switch (it.step) {
    case 'treasury_offer':
      return offer(ports, it);
    case 'offer_withdrawal':
      return ports.carryOut({ type: 'SubmitDepositStep', deposit, step: it.step, attempt, offerExpiresAtEpochMs: NO_OFFER });
    case 'owner_offer_acceptance': {
      const inMs = it.offerExpiresAtEpochMs - ports.clock.now();
      if (inMs > 0) return { inMs };
      const isAccepted = await isOfferAccepted(ports, it.offerId);
      if (!isAccepted) return ports.carryOut({ type: 'RenewDeposit', deposit });
      return ports.carryOut({ type: 'SubmitDepositStep', deposit, step: it.step, attempt, offerExpiresAtEpochMs: NO_OFFER });
    }
    case 'owner_account_acceptance':
      return 'idle';
  }
}

/**
 * The first offer is made at once. A later one waits until the owner requests it: an owner who never accepts does not keep the ledger
 * busy. Nor does one who repeats the request: after a rejected offer, whose cause the operator must remove, the next one waits.
 */
async function offer(ports: PassPorts, it: DepositView): Promise<Next> {
  const { deposit, attempt } = it;
  if (attempt > 1 && (!ports.isWanted(deposit) || isRejectedLately(ports, it))) return waitForOwner(ports, it);
  // Before the issue, which starts something on the ledger too.
  if (!ports.mayStart('deposits')) {
    // It waits for the switch now, not for room on the ledger.
    ports.calls.forget(issueIdOf(it.ledgerKey));
    return ports.waitForSwitch();
  }
  if (ports.issuesDeposits) {
    const issued = await receiptOf(ports, depositIssue(it));
    if (issued === undefined) return 'pending';
    if (issued.outcome === 'sequenced_rejected')
      return ports.report(`the ledger issued no money for deposit ${deposit}: ${issued.reason}`);
    ports.calls.forget(issued.commandId);
  }
  const step = 'treasury_offer';
  const offerExpiresAtEpochMs = await expiryOfOffer(ports, depositCommand(it, step).commandId);
  if (offerExpiresAtEpochMs === undefined) return 'retry';
  const next = await ports.carryOut({ type: 'SubmitDepositStep', deposit, step, attempt, offerExpiresAtEpochMs });
  if (next === 'again') ports.offered(deposit);
  return next;
}

/** Between two offers of a deposit if the ledger rejected the first. */
const REJECTED_OFFER_PAUSE_MS = 3_600_000;

/** The offer's expiry in the journal says when it was made, also after a restart. */
function isRejectedLately({ clock }: PassPorts, it: DepositView): boolean {
  const madeAtEpochMs = it.offerExpiresAtEpochMs - OFFER_LIFETIME_MS;
  return isOfferRejected(it) && clock.now() < madeAtEpochMs + REJECTED_OFFER_PAUSE_MS;
}

function isOfferRejected({ lastOutcome }: DepositView): boolean {
  return lastOutcome?.step === 'treasury_offer' && lastOutcome.outcome === 'rejected';
}

/** A rejected offer is the operator's matter: the ledger does not know the party, or the treasury lacks the money. */
function waitForOwner(ports: PassPorts, it: DepositView): Next {
  const { deposit, partyId, lastOutcome } = it;
  if (!isOfferRejected(it) || lastOutcome?.reason === 'offer_expired') return 'idle';
  return ports.report(`the ledger rejected the offer of deposit ${deposit} to ${partyId}: ${lastOutcome?.reason}`);
}

async function recordStep(ports: PassPorts, it: DepositView): Promise<Next> {
  const { deposit, attempt } = it;
  const step = it.step!;
  const command = depositCommand(it, step);
  const receipt = await receiptOf(ports, command);
  if (receipt === undefined) return 'pending';
  const outcome = await recordedOutcome(ports, step, it.offerId, receipt);
  if (outcome === 'contradicted')
    return ports.report(`the ledger rejected ${command.commandId} as offer_closed, and the offer ${it.offerId} is not closed`);
  const isAcceptanceRejected = it.lastOutcome?.step === 'owner_offer_acceptance' && it.lastOutcome.outcome === 'rejected';
  // The money is with the owner: another offer would pay twice. Without a rejected acceptance, that of the venue is due.
  const closed = isAcceptanceRejected ? acceptedOffer(receipt) : closedOffer(receipt);
  const recordable = outcome === 'accepted_elsewhere' ? closed : outcome;
  const recorded = await ports.carryOut({ type: 'RecordDepositStep', deposit, step, attempt, ...recordable });
  if (recorded === 'again') ports.calls.forget(command.commandId);
  return recorded;
}
