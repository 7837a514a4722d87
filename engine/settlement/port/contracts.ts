/** What the ledger shows of its parties and contracts. All of it is durable when it is returned. */
import type { EpochMs, QuoteAtoms } from '#units/money.ts';

export interface PartyBalance {
  /** What the party can offer or transfer. */
  readonly availableAtoms: QuoteAtoms;
  /** What the party's open offers lock. */
  readonly offeredAtoms: QuoteAtoms;
}

export interface LedgerOffer {
  readonly offerId: string;
  readonly kind: 'treasury' | 'payout';
  readonly senderPartyId: string;
  readonly receiverPartyId: string;
  readonly amountAtoms: QuoteAtoms;
  /** From this time on it cannot be accepted. Its amount stays locked until the sender withdraws it. */
  readonly expiresAtEpochMs: EpochMs;
  readonly status: 'open' | 'accepted' | 'withdrawn';
}

/** The consent contract of a party. */
export interface ConsentStatus {
  readonly state: 'absent' | 'present' | 'revoked';
  /** The newest consent; null if the party never had one. */
  readonly consentId: string | null;
  /** Whether the ledger has the package that a new consent needs. */
  readonly isPackageAvailable: boolean;
}

/** Held and offered money together equal what was issued. */
export interface LedgerSupply {
  readonly issuedAtoms: QuoteAtoms;
  readonly heldAtoms: QuoteAtoms;
  readonly offeredAtoms: QuoteAtoms;
}

/** Which ledger this is, and how far it is. A caller compares it with what it saw last. */
export interface LedgerHead {
  readonly ledgerId: string;
  readonly treasuryPartyId: string;
  readonly custodyPartyId: string;
  /** Of the newest sequenced command; 0 for an empty ledger. */
  readonly offset: number;
  /** Of the newest sequenced command; empty for an empty ledger. */
  readonly ledgerEventId: string;
}
