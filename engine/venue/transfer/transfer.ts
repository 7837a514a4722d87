/** Moves cash that nothing holds from one account to another, at once. */

import { minus, ZERO_QUOTE } from '#units/money.ts';
import { refusalOfAccount } from '#venue/account/administration.ts';
import { postCash } from '#venue/account/cash.ts';
import type { TransferCash } from '#venue/command.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';

export function planTransfer(turn: Turn, { account, to, amountAtoms }: TransferCash): Refusal | undefined {
  const refusal = refusalOfAccount(turn, account) ?? refusalOfAccount(turn, to);
  if (refusal !== undefined) return refusal;
  if (account === to) return { code: 'transfer_to_itself' };
  const { availableAtoms } = turn.state.account(account)!;
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  return amountAtoms > availableAtoms ? { code: 'insufficient_cash', bound: availableAtoms } : undefined;
}

export function commitTransfer(turn: Turn, command: TransferCash): void {
  const { account, to, amountAtoms, reference } = command;
  turn.events.cashTransferred({ from: account, to, amountAtoms, reference });
  postCash(turn, turn.state.account(account)!, 'transfer_out', minus(ZERO_QUOTE, amountAtoms));
  postCash(turn, turn.state.account(to)!, 'transfer_in', amountAtoms);
}
