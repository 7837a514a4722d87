/** Account rows by the events of owners: party, signing wallet and consent. Passkeys are in no row. */
import type { PartyChanged, PartyConsentChanged, SigningWalletCreated } from '#venue/event.ts';
import type { AccountRow, Moment } from './rows.ts';

export function changedParty(row: AccountRow, { status, partyId }: PartyChanged, at: Moment): AccountRow {
  return { ...changed(row, at), partyStatus: status, partyId: status === 'active' ? partyId : '' };
}

export function walletCreated(row: AccountRow, _event: SigningWalletCreated, at: Moment): AccountRow {
  return { ...changed(row, at), hasWallet: 1 };
}

export function changedConsent(row: AccountRow, { consent, reason }: PartyConsentChanged, at: Moment): AccountRow {
  return { ...changed(row, at), consentState: consent, consentReason: reason };
}

function changed(row: AccountRow, { sequence }: Moment): AccountRow {
  return { ...row, partySequence: sequence, lastSequence: sequence };
}
