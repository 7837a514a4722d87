/** Account rows by their events: opened, retired, and an owner's party, signing wallet and consent. Passkeys are in no row. */
import type { EpochMs } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { AccountOpened, AccountRetired, PartyChanged, PartyConsentChanged, SigningWalletCreated } from '#venue/event.ts';
import type { AccountRow } from './account-rows.ts';
import type { Moment } from './rows.ts';

export function openedAccount(event: AccountOpened, at: Moment): AccountRow {
  return {
    account: event.account,
    label: event.label,
    partyId: event.partyId,
    partySequence: at.sequence,
    partyStatus: event.partyId === '' ? 'absent' : 'active',
    isOwner: 0,
    agentOwner: 0,
    hasWallet: 0,
    consentState: 'absent',
    consentReason: '',
    isRetired: 0,
    isLegacy: 0,
    cashAtoms: ZERO_QUOTE,
    reservedAtoms: ZERO_QUOTE,
    referrer: null,
    isPayingReferral: 0,
    kycSkippedAtEpochMs: 0 as EpochMs,
    transferredAtEpochMs: 0 as EpochMs,
    lastSequence: at.sequence,
  };
}

export function retiredAccount(row: AccountRow, { isLegacy }: AccountRetired, { sequence }: Moment): AccountRow {
  return { ...row, isRetired: 1, isLegacy: isLegacy ? 1 : 0, lastSequence: sequence };
}

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
