/** An owner's party on the external ledger, its consent, and how far the owner's setup is. */

export const PARTY_STATUSES = ['absent', 'allocating', 'allocated', 'active'] as const;
export type PartyStatus = (typeof PARTY_STATUSES)[number];

export const CONSENT_STATES = ['absent', 'submitted', 'present', 'revoked'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

export interface Party {
  readonly status: PartyStatus;
  /** Empty until the ledger has allocated it. */
  readonly partyId: string;
  /** The random part of the ids of its ledger commands. */
  readonly ledgerKey: string;
}

export interface Consent {
  readonly state: ConsentState;
  /** While submitted, the revoked consent that it replaces; empty if the ledger has none. */
  readonly consentId: string;
  /** The random part of the id of the last ledger command. */
  readonly ledgerKey: string;
  /** Why the ledger did not create the consent; empty if it did. */
  readonly reason: string;
}

export const NO_PARTY: Party = { status: 'absent', partyId: '', ledgerKey: '' };
export const NO_CONSENT: Consent = { state: 'absent', consentId: '', ledgerKey: '', reason: '' };

/** Whether the consent that is due, or submitted, replaces a revoked one: only a passkey approves it. */
export function isReplacement({ state, consentId }: Pick<Consent, 'state' | 'consentId'>): boolean {
  return state !== 'present' && consentId !== '';
}

/** The reason while the ledger lacks the package that a consent needs. */
export const PACKAGE_ABSENT = 'package_absent';

export type SetupState = 'not_started' | 'pending' | 'waiting_for_package' | 'complete';

/** What the setup of an owner depends on. */
export interface SetupParts {
  readonly partyStatus: PartyStatus;
  readonly hasWallet: boolean;
  readonly consentState: ConsentState;
  readonly consentReason: string;
}

export function setupOf({ partyStatus, hasWallet, consentState, consentReason }: SetupParts): SetupState {
  if (partyStatus === 'absent') return 'not_started';
  if (partyStatus === 'active' && hasWallet && consentState === 'present') return 'complete';
  return consentReason === PACKAGE_ABSENT ? 'waiting_for_package' : 'pending';
}

/** In characters: of ids and keys of the external ledger, and of its reasons. */
const MAX_LEDGER_TEXT = 255;

/** Whether a text can be an id or a key of the external ledger. */
export function isLedgerText(text: string): boolean {
  return text.length > 0 && text.length <= MAX_LEDGER_TEXT;
}

export function isLedgerReason(text: string): boolean {
  return text.length <= MAX_LEDGER_TEXT;
}
