/**
 * What became of a command on the ledger. A receipt is final: the ledger returns the same one for the command id for good.
 */
import type { EpochMs } from '#units/money.ts';
import type { LedgerCommand, LedgerStep } from './command.ts';

/** Why a sequenced command changed nothing. */
export type RejectionReason =
  | 'party_unknown'
  | 'party_of_the_venue'
  | 'offer_unknown'
  | 'offer_closed'
  | 'offer_expired'
  | 'not_the_receiver'
  | 'balance_insufficient'
  | 'supply_exceeded'
  | 'withdrawal_consent_unknown'
  | 'withdrawal_consent_used'
  | 'consent_present'
  | 'consent_absent'
  | 'consent_revoked'
  | 'consent_mismatch'
  | 'package_absent';

interface SequencedReceipt {
  readonly commandId: string;
  readonly step: LedgerStep;
  /** The position among all sequenced commands of the ledger, from 1 without gaps. */
  readonly offset: number;
  /** Depends on this command, its outcome and all before it: two ledgers with the same id at an offset have the same history. */
  readonly ledgerEventId: string;
  /** The ledger's time. Never decreases with the offset. */
  readonly sequencedAtEpochMs: EpochMs;
}

export interface AcceptedReceipt extends SequencedReceipt {
  readonly outcome: 'sequenced_accepted';
  /** The party, offer or consent that the command created. Derived from the ledger's id and the command id. */
  readonly createdId: string | null;
}

export interface RejectedReceipt extends SequencedReceipt {
  readonly outcome: 'sequenced_rejected';
  readonly reason: RejectionReason;
}

export type Receipt = AcceptedReceipt | RejectedReceipt;

/** A command that the ledger has stored. `pending`: submitted and durable, not sequenced yet. */
export type KnownCommand = { readonly status: 'pending' } | { readonly status: 'sequenced'; readonly receipt: Receipt };

/** `unknown`: never submitted, or lost on the way, or lost because the ledger was restored from an older copy. */
export type CommandLookup = { readonly status: 'unknown' } | KnownCommand;

/** A sequenced command as reconciliation reads it. */
export interface LedgerEntry {
  readonly command: LedgerCommand;
  readonly receipt: Receipt;
}
