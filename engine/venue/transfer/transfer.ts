/** Moves cash that nothing holds from one account to another, at once. */
import { minus, ZERO_QUOTE } from '#units/money.ts';
import { refusalOfAccount } from '#venue/account/administration.ts';
import { postCash } from '#venue/account/cash.ts';
import type { TransferCash } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';

export function planTransfer(state: VenueState, { account, to, amountAtoms }: TransferCash): Refusal | undefined {
  const refusal = refusalOfAccount(state, account) ?? refusalOfAccount(state, to);
  if (refusal !== undefined) return refusal;
  if (account === to) return { code: 'transfer_to_itself' };
  const { availableAtoms } = state.account(account)!;
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  return amountAtoms > availableAtoms ? { code: 'insufficient_cash', bound: availableAtoms } : undefined;
}

export function commitTransfer(state: VenueState, command: TransferCash, events: EventWriter): void {
  const { account, to, amountAtoms, reference } = command;
  events.cashTransferred({ from: account, to, amountAtoms, reference });
  postCash(state.account(account)!, 'transfer_out', minus(ZERO_QUOTE, amountAtoms), events);
  postCash(state.account(to)!, 'transfer_in', amountAtoms, events);
}
