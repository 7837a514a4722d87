/**
 * Withdrawals. A request reserves cash: it moves to the venue's `withdrawals` ledger, where it cannot be traded with. Then it is
 * settled, when the money has left the venue, or released.
 */

import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { postCash, postLedger } from '#venue/account/cash.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkMoneyId, useMoneyId } from './money-id.ts';
import type { PendingWithdrawal } from './pending-withdrawal.ts';

/** Reserves available cash for a withdrawal. */
export interface ReserveWithdrawal {
  readonly type: 'ReserveWithdrawal';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** The ledger party that will receive the cash. */
  readonly destination: string;
}

/** Cancels a withdrawal: its cash returns to the account. */
export interface ReleaseWithdrawal {
  readonly type: 'ReleaseWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
}

/** Ends a withdrawal whose money has left the venue. */
export interface SettleWithdrawal {
  readonly type: 'SettleWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
}

/** Withdraws available cash at once: reserves and settles a withdrawal in one turn. */
export interface DebitCash {
  readonly type: 'DebitCash';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** The destination of the withdrawal. */
  readonly reference: string;
  /** Refused for good after its first use. */
  readonly moneyId?: string;
}

export type WithdrawalCommand = ReserveWithdrawal | ReleaseWithdrawal | SettleWithdrawal | DebitCash;

export const WITHDRAWAL_COMMANDS: CommandRules<WithdrawalCommand> = {
  ReserveWithdrawal: {
    plan: planRequest,
    commit: commitReservation,
    layout: {
      tag: 14,
      fields: (io, it) => ({
        type: 'ReserveWithdrawal',
        account: io.int(it.account),
        amountAtoms: io.int(it.amountAtoms),
        destination: io.text(it.destination),
      }),
    },
  },
  ReleaseWithdrawal: {
    plan: planEndOfWithdrawal,
    commit: commitRelease,
    layout: {
      tag: 15,
      fields: (io, it) => ({
        type: 'ReleaseWithdrawal',
        withdrawal: io.int(it.withdrawal),
      }),
    },
  },
  SettleWithdrawal: {
    plan: planEndOfWithdrawal,
    commit: commitSettlement,
    layout: {
      tag: 16,
      fields: (io, it) => ({
        type: 'SettleWithdrawal',
        withdrawal: io.int(it.withdrawal),
      }),
    },
  },
  DebitCash: {
    plan: planDebit,
    commit: commitDebit,
    layout: {
      tag: 21,
      fields: debitLayout,
      extended: [
        {
          tag: 55,
          applies: ({ moneyId }) => moneyId !== undefined,
          fields: (io, it) => ({ ...debitLayout(io, it), moneyId: io.text(it.moneyId!) }),
        },
      ],
    },
  },
};

function debitLayout(io: Cursor, it: DebitCash): DebitCash {
  return {
    type: 'DebitCash',
    account: io.int(it.account),
    amountAtoms: io.int(it.amountAtoms),
    reference: io.text(it.reference),
  };
}

/** A client's withdrawal, unlike the operator's debit, needs an open venue and the capability. */
export function planRequest(turn: Turn, command: ReserveWithdrawal): Refusal | undefined {
  if (turn.state.account(command.account) === undefined) return { code: 'account_not_found' };
  return checkIntake(turn.state.switches, 'move_money', 'withdrawals') ?? planReservation(turn, command);
}

export function planDebit(turn: Turn, command: DebitCash): Refusal | undefined {
  return planReservation(turn, command) ?? checkMoneyId(turn, command);
}

export function planReservation(turn: Turn, command: ReserveWithdrawal | DebitCash): Refusal | undefined {
  const account = turn.state.account(command.account);
  // The owner of a retired account may still withdraw its cash.
  return account === undefined ? { code: 'account_not_found' } : checkAvailable(account, command.amountAtoms);
}

export function checkAvailable({ availableAtoms }: Account, amountAtoms: QuoteAtoms): Refusal | undefined {
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  return amountAtoms > availableAtoms ? { code: 'insufficient_cash', bound: availableAtoms } : undefined;
}

export function commitReservation(turn: Turn, command: ReserveWithdrawal): void {
  const { account, amountAtoms, destination } = command;
  const withdrawal = turn.state.nextWithdrawal();
  turn.events.emit({ type: 'WithdrawalReserved', withdrawal, account, amountAtoms, destination });
  reserveCash(turn, withdrawal, command);
}

/** Makes the withdrawal pending and moves its cash to the `withdrawals` ledger. */
export function reserveCash(
  turn: Turn,
  withdrawal: WithdrawalOrdinal,
  { account, amountAtoms }: Pick<PendingWithdrawal, 'account' | 'amountAtoms'>,
): void {
  turn.state.withdrawals.set(withdrawal, { withdrawal, account, amountAtoms });
  postCash(turn, turn.state.account(account)!, 'withdrawal_reserve', minus(ZERO_QUOTE, amountAtoms));
  postLedger(turn, 'withdrawals', amountAtoms);
}

/** Emits the events of a reservation and its settlement, so that consumers process it like any withdrawal. */
export function commitDebit(turn: Turn, command: DebitCash): void {
  const { account, amountAtoms, reference } = command;
  commitReservation(turn, { type: 'ReserveWithdrawal', account, amountAtoms, destination: reference });
  commitSettlement(turn, { type: 'SettleWithdrawal', withdrawal: turn.state.lastWithdrawal });
  useMoneyId(turn, command);
}

/** The plan for releasing and for settling: the withdrawal must be pending. One of an owner ends by the ledger's receipts alone. */
export function planEndOfWithdrawal(turn: Turn, { withdrawal }: ReleaseWithdrawal | SettleWithdrawal): Refusal | undefined {
  if (turn.state.settlement.withdrawals.has(withdrawal)) return { code: 'withdrawal_state_conflict' };
  return turn.state.withdrawals.has(withdrawal) ? undefined : { code: 'withdrawal_not_found' };
}

/** Returns the cash to the account, also if the account is retired. */
export function commitRelease(turn: Turn, command: ReleaseWithdrawal): void {
  const { withdrawal, account, amountAtoms } = removePending(turn.state, command.withdrawal);
  turn.events.emit({ type: 'WithdrawalReleased', withdrawal, account, amountAtoms });
  postLedger(turn, 'withdrawals', minus(ZERO_QUOTE, amountAtoms));
  postCash(turn, turn.state.account(account)!, 'withdrawal_release', amountAtoms);
}

/** The money has left the venue, so net deposits decrease. */
export function commitSettlement(turn: Turn, command: SettleWithdrawal): void {
  const { withdrawal, account, amountAtoms } = removePending(turn.state, command.withdrawal);
  turn.events.emit({ type: 'WithdrawalSettled', withdrawal, account, amountAtoms });
  postLedger(turn, 'withdrawals', minus(ZERO_QUOTE, amountAtoms));
  turn.state.netDepositsAtoms = minus(turn.state.netDepositsAtoms, amountAtoms);
}

function removePending(state: VenueState, ordinal: WithdrawalOrdinal): PendingWithdrawal {
  const pending = state.withdrawals.get(ordinal)!;
  state.withdrawals.delete(ordinal);
  state.settlement.endWithdrawal(ordinal);
  return pending;
}
