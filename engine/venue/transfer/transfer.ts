/** Transfers available cash from one account to another. */

import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import { postCash } from '#venue/account/cash.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { CashTransferred } from '#venue/event.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkMoneyId, useMoneyId } from './money-id.ts';
import { checkAvailable } from './withdrawal.ts';

/** Transfers available cash from one account to another, in one turn. */
export interface TransferCash {
  readonly type: 'TransferCash';
  /** The account that pays. */
  readonly account: AccountOrdinal;
  readonly to: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  /** Refused for good after its first use. */
  readonly moneyId?: string;
}

export type TransferCommand = TransferCash;

export const TRANSFER_COMMANDS: CommandRules<TransferCommand> = {
  TransferCash: {
    plan: planTransfer,
    commit: commitTransfer,
    layout: {
      tag: 17,
      fields: transferLayout,
      extended: [
        {
          tag: 56,
          applies: ({ moneyId }) => moneyId !== undefined,
          fields: (io, it) => ({ ...transferLayout(io, it), moneyId: io.text(it.moneyId!) }),
        },
      ],
    },
  },
};

function transferLayout(io: Cursor, it: TransferCash): TransferCash {
  return {
    type: 'TransferCash',
    account: io.int(it.account),
    to: io.int(it.to),
    amountAtoms: io.int(it.amountAtoms),
    reference: io.text(it.reference),
  };
}

export function planTransfer(turn: Turn, command: TransferCash): Refusal | undefined {
  const { account, to, amountAtoms } = command;
  const refusal =
    checkAccount(turn, account) ?? checkAccount(turn, to) ?? checkIntake(turn.state.switches, 'move_money', 'transfers');
  if (refusal !== undefined) return refusal;
  if (account === to) return { code: 'transfer_to_itself' };
  return checkAvailable(turn.state.account(account)!, amountAtoms) ?? checkMoneyId(turn, command);
}

export function commitTransfer(turn: Turn, command: TransferCash): void {
  transferCash(turn, { ...command, from: command.account });
  useMoneyId(turn, command);
}

/** Moves cash that the plan has found available. */
export function transferCash(turn: Turn, { from, to, amountAtoms, reference }: Omit<CashTransferred, 'type'>): void {
  turn.events.emit({ type: 'CashTransferred', from, to, amountAtoms, reference });
  postCash(turn, turn.state.account(from)!, 'transfer_out', minus(ZERO_QUOTE, amountAtoms));
  postCash(turn, turn.state.account(to)!, 'transfer_in', amountAtoms);
}
