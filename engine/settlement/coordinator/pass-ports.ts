/** What a pass of an item may use, and the times that bound an open item. */

import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { Item } from './item.ts';
import type { Next } from './item-queue.ts';
import type { LedgerCalls } from './ledger-calls.ts';

/** How long an owner can accept an offer. */
export const OFFER_LIFETIME_MS = 86_400_000;

/** A withdrawal that its owner has not authorized and consented to by then is blocked: its cash returns to the account. */
export const APPROVAL_DEADLINE_MS = 86_400_000;

export interface PassPorts {
  /** The item that is passed. */
  readonly item: Item;
  readonly owners: OwnerDirectory;
  readonly calls: LedgerCalls;
  /** The journal's time, also of what the ledger is given. */
  readonly clock: Clock;
  readonly issuesDeposits: boolean;
  /** Whether records that the journal has lost may have brought the item further. */
  readonly isInDoubt: () => boolean;
  /** The ledger has shown that they have not. */
  readonly endDoubt: () => void;
  /** Whether the ledger is known to have the history that the journal knows: only then, an id that it does not know was never there. */
  readonly hasHistory: () => boolean;
  /** Withdrawals whose payout offers lost records have made. */
  readonly lostPayouts: Set<WithdrawalOrdinal>;
  /** Whether the switches let something new start on the ledger. */
  readonly mayStart: (capability: 'deposits' | 'withdrawals') => boolean;
  /** The item is passed again after a switch. */
  readonly waitForSwitch: () => Next;
  /**
   * Submits a command of the venue. `again` if it is durable and was carried out; `idle` if a switch must permit it first. A
   * receipt waits until the entries up to it are reviewed.
   */
  readonly carryOut: (command: Command) => Promise<Next>;
  /** Whether the owner has requested the deposit since its last offer. */
  readonly isWanted: (deposit: DepositOrdinal) => boolean;
  /** The offer that the owner requested is made. */
  readonly offered: (deposit: DepositOrdinal) => void;
  /** Reviews the ledger's new entries. Resolves to whether the journal explains them; otherwise transfers are halted. */
  readonly review: () => Promise<boolean>;
  /** Whether the consent of the account's party may have been revoked. */
  readonly isConsentInDoubt: (account: AccountOrdinal) => boolean;
  readonly consentChecked: (account: AccountOrdinal) => void;
  /** Reserves money of the custody for one withdrawal at a time. */
  readonly inTurn: (reserve: () => Promise<Next>) => Promise<Next>;
  /** The item is stuck until the operator solves the problem. It is passed again later. */
  readonly report: (problem: string) => Next;
}
