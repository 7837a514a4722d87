/**
 * One pass of a withdrawal. Its cash is reserved in the venue from the request on; it is settled by the owner's acceptance of the
 * payout offer, or blocked, which returns the cash.
 */

import type { WithdrawalView } from '#reads/owner-money.ts';
import type { WithdrawalOrdinal } from '#units/ids.ts';
import { NO_OFFER } from '#venue/command.ts';
import type { Next } from './item-queue.ts';
import { mayRetry } from './ledger-calls.ts';
import { withdrawalCommand } from './ledger-steps.ts';
import { expiryOfOffer } from './lost-offers.ts';
import { APPROVAL_DEADLINE_MS, type PassPorts } from './pass-ports.ts';
import { closedOffer, isOfferAccepted, receiptOf, recordedOutcome } from './receipts.ts';

export async function passWithdrawal(ports: PassPorts, withdrawal: WithdrawalOrdinal): Promise<Next> {
  const it = ports.owners.withdrawal(withdrawal);
  if (it === undefined) return 'idle';
  if (it.isSubmitted) return recordStep(ports, it);
  if (it.status !== 'submitted') return passUnsubmitted(ports, it);
  const { attempt } = it;
  switch (it.step) {
    case 'payout_offer': {
      const offerExpiresAtEpochMs = await expiryOfOffer(ports, withdrawalCommand(it, it.step).commandId);
      if (offerExpiresAtEpochMs === undefined) return 'retry';
      return ports.carryOut({ type: 'SubmitWithdrawalStep', withdrawal, step: it.step, attempt, offerExpiresAtEpochMs });
    }
    case 'owner_offer_acceptance': {
      const inMs = it.offerExpiresAtEpochMs - ports.clock.now();
      if (inMs > 0) return { inMs };
      const isAccepted = await isOfferAccepted(ports, it.offerId);
      if (!isAccepted) return ports.carryOut({ type: 'RenewWithdrawal', withdrawal });
      return ports.carryOut({
        type: 'SubmitWithdrawalStep',
        withdrawal,
        step: it.step,
        attempt,
        offerExpiresAtEpochMs: NO_OFFER,
      });
    }
    case 'offer_withdrawal':
      return ports.carryOut({
        type: 'SubmitWithdrawalStep',
        withdrawal,
        step: it.step,
        attempt,
        offerExpiresAtEpochMs: NO_OFFER,
      });
    default:
      return 'idle';
  }
}

/** While nothing can be submitted to the ledger. Before its first step there, a withdrawal ends by its deadline all the same. */
export async function passWithdrawalOffLedger(ports: PassPorts, withdrawal: WithdrawalOrdinal): Promise<Next> {
  const it = ports.owners.withdrawal(withdrawal);
  if (it === undefined || it.status === 'submitted') return 'idle';
  const inMs = msToDeadline(ports, it);
  return inMs > 0 ? { inMs } : block(ports, it, 'not_reserved_in_time');
}

/** The journal has submitted nothing. Lost records may have paid it: that is looked up now, because at the deadline the ledger may be down. */
async function passUnsubmitted(ports: PassPorts, it: WithdrawalView): Promise<Next> {
  const mayBePaid = ports.isInDoubt() && (await readPayment(ports, it)) === 'possible';
  if (mayBePaid) await findLostOffer(ports, it);
  const inMs = msToDeadline(ports, it);
  const mayStart = ports.mayStart('withdrawals');
  // After a time without the ledger, the custody may cover what could not be reserved.
  const isShort = async () => mayStart && it.status === 'requested' && !(await isCovered(ports, it));
  // Its owner signs again also after the deadline, because its cash does not return.
  const isReservable = it.status === 'requested' && (inMs > 0 || mayBePaid);
  const start = () => (mayStart ? ports.inTurn(() => reserve(ports, it)) : ports.waitForSwitch());
  const next = isReservable ? await start() : 'idle';
  if (next === 'again' || next === 'retry') return next;
  if (inMs <= 0) return block(ports, it, (await isShort()) ? 'custody_insufficient' : 'not_reserved_in_time');
  return next === 'idle' ? { inMs } : next;
}

function msToDeadline({ clock }: PassPorts, { requestedAtEpochMs }: WithdrawalView): number {
  return requestedAtEpochMs + APPROVAL_DEADLINE_MS - clock.now();
}

/** `unreserved` is the reason if the ledger does not cover it. */
async function block(ports: PassPorts, it: WithdrawalView, unreserved: DeadlineReason): Promise<Next> {
  const { withdrawal, status } = it;
  switch (await paymentOf(ports, it)) {
    case 'possible':
      return ports.report(
        `the ledger has the owner's consent to withdrawal ${withdrawal}, which the journal has lost: its cash does not return by itself, ` +
          'because it may have been paid; it goes on when its owner signs again',
      );
    case 'unknown':
      return 'retry';
    case 'impossible':
      return ports.carryOut({ type: 'BlockWithdrawal', withdrawal, reason: REASON_BY_STATUS[status] ?? unreserved });
  }
}

/** Whether a withdrawal may have been paid although the journal has submitted no step of it. */
export type Payment = 'possible' | 'impossible' | 'unknown';

type PaymentPorts = Pick<PassPorts, 'calls' | 'isInDoubt' | 'endDoubt' | 'hasHistory'>;

/** Without a response of the ledger, an earlier one counts if it has ended the doubt. */
export async function paymentOf(ports: PaymentPorts, it: WithdrawalView): Promise<Payment> {
  try {
    return await readPayment(ports, it);
  } catch (error) {
    if (mayRetry(error)) return ports.isInDoubt() ? 'unknown' : 'impossible';
    throw error;
  }
}

/**
 * With the owner's consent on the ledger, the journal is an older copy, and the money may have been paid. That holds also after the
 * operator accepted the entries of the lost records. Another ledger, or an older one, cannot show that there is no consent. Rejects if
 * the ledger is unavailable.
 */
async function readPayment(ports: PaymentPorts, it: WithdrawalView): Promise<Payment> {
  const { calls, isInDoubt, endDoubt, hasHistory } = ports;
  const { commandId } = withdrawalCommand(it, 'owner_withdrawal_consent');
  const found = await calls.read((ledger) => ledger.lookUp(commandId));
  const isAbsent = found.status === 'unknown' || (found.status === 'sequenced' && found.receipt.outcome === 'sequenced_rejected');
  if (!isAbsent) return 'possible';
  if (isInDoubt() && !hasHistory()) return 'unknown';
  endDoubt();
  return 'impossible';
}

/** Why a withdrawal without a step on the ledger ends by its deadline. */
export const DEADLINE_REASONS = [
  'custody_insufficient',
  'not_reserved_in_time',
  'not_authorized_in_time',
  'not_consented_in_time',
] as const;
type DeadlineReason = (typeof DEADLINE_REASONS)[number];

const REASON_BY_STATUS: Readonly<Record<string, DeadlineReason>> = {
  reserved: 'not_authorized_in_time',
  authorized: 'not_consented_in_time',
};

/** Only one withdrawal at a time compares the custody with what is reserved. */
async function reserve(ports: PassPorts, it: WithdrawalView): Promise<Next> {
  const { withdrawal } = it;
  const mayReserve = ports.lostPayouts.has(withdrawal) || (await isCovered(ports, it));
  return mayReserve ? ports.carryOut({ type: 'ReserveOnLedger', withdrawal }) : { inMs: CUSTODY_CHECK_MS };
}

async function isCovered(ports: PassPorts, { amountAtoms }: WithdrawalView): Promise<boolean> {
  const { owners, calls } = ports;
  // Before the balance: a payout that is offered meanwhile may be in the balance still, and in the sum no more.
  const neededAtoms = owners.unofferedWithdrawalsAtoms() - lostPayoutAtoms(ports) + amountAtoms;
  const custodyPartyId = owners.ledger()?.custodyPartyId;
  const balance = custodyPartyId === undefined ? undefined : await calls.read((ledger) => ledger.balance(custodyPartyId));
  return (balance?.availableAtoms ?? 0) >= neededAtoms;
}

/** Lost records may have made its payout offer: then its money has left the custody, and is never needed again. */
async function findLostOffer({ calls, lostPayouts }: PassPorts, it: WithdrawalView): Promise<void> {
  const { commandId } = withdrawalCommand(it, 'payout_offer');
  const found = await calls.read((ledger) => ledger.lookUp(commandId));
  if (found.status === 'sequenced' && found.receipt.outcome === 'sequenced_accepted') lostPayouts.add(it.withdrawal);
}

/** The part of the unoffered withdrawals that needs no money of the custody. */
function lostPayoutAtoms({ owners, lostPayouts }: PassPorts): number {
  let atoms = 0;
  for (const withdrawal of lostPayouts) {
    const it = owners.withdrawal(withdrawal);
    if (it !== undefined && it.status !== 'requested' && it.offerId === '') atoms += it.amountAtoms;
  }
  return atoms;
}

/** The custody was too small: money that comes in later may cover it. */
const CUSTODY_CHECK_MS = 60_000;

async function recordStep(ports: PassPorts, it: WithdrawalView): Promise<Next> {
  const { withdrawal, attempt } = it;
  const step = it.step!;
  const command = withdrawalCommand(it, step);
  const receipt = await receiptOf(ports, command);
  if (receipt === undefined) return 'pending';
  const outcome = await recordedOutcome(ports, step, it.offerId, receipt);
  if (outcome === 'contradicted')
    return ports.report(`the ledger rejected ${command.commandId} as offer_closed, and the offer ${it.offerId} is not closed`);
  const recordable = outcome === 'accepted_elsewhere' ? closedOffer(receipt) : outcome;
  const recorded = await ports.carryOut({ type: 'RecordWithdrawalStep', withdrawal, step, attempt, ...recordable });
  if (recorded === 'again') ports.calls.forget(command.commandId);
  return recorded;
}
