/** A withdrawal in the venue's state. */
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';

/** A withdrawal that is neither settled nor released. */
export interface PendingWithdrawal {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}
