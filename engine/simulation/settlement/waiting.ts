/** Which flows may wait for their owners, and which must go on by themselves: the states that the transition tables permit. */

import { type Flow, nameOf } from './books/flow.ts';
import type { SettlementAudit } from './books/settlement-audit.ts';

/** A flow or a party that must go on by itself, in words. */
export function waitsForNothing(audit: SettlementAudit, nowEpochMs: number): string | undefined {
  const { journal, ledger } = audit;
  for (const [account, { status, consent }] of journal.parties) {
    if (status === 'allocating') return `the party of account ${account}, which is allocating,`;
    if (consent === 'submitted') return `the consent of account ${account}, which is submitted,`;
  }
  const withdrawals = journal.open('withdrawal');
  const reservedAtoms = withdrawals
    .filter(({ status, offerId }) => status !== 'requested' && offerId === '')
    .reduce((sum, { amountAtoms }) => sum + amountAtoms, 0);
  for (const flow of [...journal.open('deposit'), ...withdrawals]) {
    const isCovered = ledger.availableInCustodyAtoms >= reservedAtoms + flow.amountAtoms;
    if (!waitsForOwner(flow, isCovered, nowEpochMs)) return `${nameOf(flow)}, whose ${flow.step} is due (${flow.status}),`;
  }
  return undefined;
}

function waitsForOwner(flow: Flow, isCovered: boolean, nowEpochMs: number): boolean {
  const { kind, step, status, attempt, isSubmitted, offerExpiresAtEpochMs } = flow;
  if (isSubmitted) return false;
  if (step === 'owner_offer_acceptance') return nowEpochMs < offerExpiresAtEpochMs;
  if (kind === 'deposit') return step === 'owner_account_acceptance' || (step === 'treasury_offer' && attempt > 1);
  // The custody is too small: it waits for money, at most for a day.
  if (status === 'requested') return !isCovered;
  return status === 'reserved' || status === 'authorized';
}
