/** Transfers available cash from one account to another. */

import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import { postCash } from '#venue/account/cash.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';

/** Transfers available cash from one account to another, in one turn. */
export interface TransferCash {
  readonly type: 'TransferCash';
  /** The account that pays. */
  readonly account: AccountOrdinal;
  readonly to: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
}

export type TransferCommand = TransferCash;

export const TRANSFER_COMMANDS: CommandRules<TransferCommand> = {
  TransferCash: {
    plan: planTransfer,
    commit: commitTransfer,
    layout: {
      tag: 17,
      fields: (io, it) => ({
        type: 'TransferCash',
        account: io.int(it.account),
        to: io.int(it.to),
        amountAtoms: io.int(it.amountAtoms),
        reference: io.text(it.reference),
      }),
    },
  },
};

export function planTransfer(turn: Turn, { account, to, amountAtoms }: TransferCash): Refusal | undefined {
  const refusal =
    checkAccount(turn, account) ?? checkAccount(turn, to) ?? checkIntake(turn.state.switches, 'move_money', 'transfers');
  if (refusal !== undefined) return refusal;
  if (account === to) return { code: 'transfer_to_itself' };
  const { availableAtoms } = turn.state.account(account)!;
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  return amountAtoms > availableAtoms ? { code: 'insufficient_cash', bound: availableAtoms } : undefined;
}

export function commitTransfer(turn: Turn, command: TransferCash): void {
  const { account, to, amountAtoms, reference } = command;
  turn.events.emit({ type: 'CashTransferred', from: account, to, amountAtoms, reference });
  postCash(turn, turn.state.account(account)!, 'transfer_out', minus(ZERO_QUOTE, amountAtoms));
  postCash(turn, turn.state.account(to)!, 'transfer_in', amountAtoms);
}
