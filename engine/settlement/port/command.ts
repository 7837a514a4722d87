/**
 * The commands of the external ledger. The caller chooses `commandId`, and the ledger carries out a command id at most once, for
 * good. Owner commands are those that the owner of the party has signed. Allocations with the hint of an account, issues, offers and their
 * withdrawals need the authority of the venue: no one else can submit them, not even in vain.
 */
import type { EpochMs, QuoteAtoms } from '#units/money.ts';

interface CommandIdentity {
  /** Chosen by the caller and stored before the first submission, so that the same command can be submitted again after a crash. */
  readonly commandId: string;
}

/** Creates a party. The receipt's `createdId` is its party id. */
export interface PartyAllocation extends CommandIdentity {
  readonly step: 'party_allocation';
  /** The readable part of the party id. */
  readonly partyHint: string;
}

/** Creates money in the treasury. The only command that changes the ledger's total; refused unless the ledger allows it. */
export interface DevelopmentIssue extends CommandIdentity {
  readonly step: 'development_issue';
  readonly amountAtoms: QuoteAtoms;
}

/** Offers money of the treasury to a party. The amount is locked until the offer is accepted or withdrawn. */
export interface TreasuryOffer extends CommandIdentity {
  readonly step: 'treasury_offer';
  readonly partyId: string;
  readonly amountAtoms: QuoteAtoms;
  readonly expiresAtEpochMs: EpochMs;
}

/** The receiver accepts an offer of the treasury or a payout offer: the amount becomes the receiver's. */
export interface OwnerOfferAcceptance extends CommandIdentity {
  readonly step: 'owner_offer_acceptance';
  readonly partyId: string;
  readonly offerId: string;
}

/** The owner transfers money of the party into the venue's custody: the last step of a deposit. */
export interface OwnerAccountAcceptance extends CommandIdentity {
  readonly step: 'owner_account_acceptance';
  readonly partyId: string;
  readonly amountAtoms: QuoteAtoms;
}

/** The owner consents to one payout of this amount to this party. `createdId` is the consent that the payout offer needs. */
export interface OwnerWithdrawalConsent extends CommandIdentity {
  readonly step: 'owner_withdrawal_consent';
  readonly partyId: string;
  readonly destinationPartyId: string;
  readonly amountAtoms: QuoteAtoms;
}

/** Offers money of the custody as the consent states. A consent serves one payout offer, whatever becomes of the offer. */
export interface PayoutOffer extends CommandIdentity {
  readonly step: 'payout_offer';
  readonly withdrawalConsentId: string;
  readonly expiresAtEpochMs: EpochMs;
}

/** Takes back an open offer of the treasury or the custody, before or after its expiry. It cannot be accepted any more. */
export interface OfferWithdrawal extends CommandIdentity {
  readonly step: 'offer_withdrawal';
  readonly offerId: string;
}

/** Creates the consent contract of a party. A revoked one is only replaced by a command that names it. */
export interface PartyConsent extends CommandIdentity {
  readonly step: 'party_consent';
  readonly partyId: string;
  /** The revoked consent that the owner replaces; null for the first one. */
  readonly replacesConsentId: string | null;
}

export interface PartyConsentRevocation extends CommandIdentity {
  readonly step: 'party_consent_revocation';
  readonly partyId: string;
}

/** Adds or removes the package that consent contracts need. */
export interface PackageAvailability extends CommandIdentity {
  readonly step: 'package_availability';
  readonly isAvailable: boolean;
}

export type LedgerCommand =
  | PartyAllocation
  | DevelopmentIssue
  | TreasuryOffer
  | OwnerOfferAcceptance
  | OwnerAccountAcceptance
  | OwnerWithdrawalConsent
  | PayoutOffer
  | OfferWithdrawal
  | PartyConsent
  | PartyConsentRevocation
  | PackageAvailability;

export type LedgerStep = LedgerCommand['step'];
