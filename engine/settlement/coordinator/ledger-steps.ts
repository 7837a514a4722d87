/**
 * The exact ledger command of each step, from durable state alone: a command that is submitted again, or signed by its owner, is
 * byte for byte the same.
 */

import type { OwnerView } from '#reads/owner-directory.ts';
import type { DepositStep, DepositView, LedgerView, WithdrawalStep, WithdrawalView } from '#reads/owner-money.ts';
import type { DevelopmentIssue, LedgerCommand, PartyAllocation, PartyConsent } from '#settlement/port/command.ts';
import { canonicalText, checkedCommand } from '#settlement/port/command-form.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { commandIdOf, issueIdOf } from './command-id.ts';

/** Steps in the order in which an attempt meets them: an offer is withdrawn before the money is with the owner. */
export const DEPOSIT_ORDER: readonly DepositStep[] = [
  'treasury_offer',
  'owner_offer_acceptance',
  'offer_withdrawal',
  'owner_account_acceptance',
];
export const WITHDRAWAL_ORDER: readonly WithdrawalStep[] = [
  'owner_withdrawal_consent',
  'payout_offer',
  'owner_offer_acceptance',
  'offer_withdrawal',
];

/** The money that backs a faucet deposit, where the ledger issues it. */
export function depositIssue({ ledgerKey, amountAtoms }: DepositView): DevelopmentIssue {
  return { step: 'development_issue', commandId: issueIdOf(ledgerKey), amountAtoms };
}

/** The command of the deposit's due step. */
export function depositCommand(it: DepositView, step: DepositStep): LedgerCommand {
  const { partyId, amountAtoms, offerId, offerExpiresAtEpochMs } = it;
  const commandId = commandIdOf(it.ledgerKey, step, it.attempt);
  switch (step) {
    case 'treasury_offer':
      return { step, commandId, partyId, amountAtoms, expiresAtEpochMs: offerExpiresAtEpochMs };
    case 'owner_offer_acceptance':
      return { step, commandId, partyId, offerId };
    case 'offer_withdrawal':
      return { step, commandId, offerId };
    case 'owner_account_acceptance':
      return { step, commandId, partyId, amountAtoms };
  }
}

/** The command of the withdrawal's due step. The owner withdraws to the own party only. */
export function withdrawalCommand(it: WithdrawalView, step: WithdrawalStep): LedgerCommand {
  const { destination, amountAtoms, offerId, consentId, offerExpiresAtEpochMs } = it;
  const commandId = commandIdOf(it.ledgerKey, step, it.attempt);
  switch (step) {
    case 'owner_withdrawal_consent':
      return { step, commandId, partyId: destination, destinationPartyId: destination, amountAtoms };
    case 'payout_offer':
      return { step, commandId, withdrawalConsentId: consentId, expiresAtEpochMs: offerExpiresAtEpochMs };
    case 'owner_offer_acceptance':
      return { step, commandId, partyId: destination, offerId };
    case 'offer_withdrawal':
      return { step, commandId, offerId };
  }
}

/** Whether an acceptance is due that the ledger would reject, because its offer has expired: its owner must not sign it. */
export function isOfferExpired(it: DepositView | WithdrawalView, now: EpochMs): boolean {
  return it.step === 'owner_offer_acceptance' && !it.isSubmitted && now >= it.offerExpiresAtEpochMs;
}

/** The hint names the account, so that the party can be traced to it. */
export function allocationCommand({ account, party }: OwnerView): PartyAllocation {
  const commandId = commandIdOf(party.ledgerKey, 'party_allocation', 1);
  return { step: 'party_allocation', commandId, partyHint: renderAccountId(account) };
}

/** A consent of the owner's party. The revoked one that it replaces is named, so it can never replace another one. */
export function consentCommand({ party }: Pick<OwnerView, 'party'>, ledgerKey: string, replacesConsentId: string): PartyConsent {
  const commandId = commandIdOf(ledgerKey, 'party_consent', 1);
  const replaces = replacesConsentId === '' ? null : replacesConsentId;
  return { step: 'party_consent', commandId, partyId: party.partyId, replacesConsentId: replaces };
}

/** What an owner's signature approves: the ledger and the exact command. */
export function approvedBytes({ ledgerId }: Pick<LedgerView, 'ledgerId'>, command: LedgerCommand): Uint8Array {
  return new TextEncoder().encode(`${ledgerId}\n${canonicalText(checkedCommand(command))}`);
}
