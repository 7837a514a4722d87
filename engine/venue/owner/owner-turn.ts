/** What the commands of owners share: the checks of their account, and taking an event into the state. */
import type { AccountOrdinal } from '#units/ids.ts';
import { retirementOf } from '#venue/account/account.ts';
import type { OwnerEvent } from '#venue/event/owner-events.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';

/** Refuses an account that does not exist or has no owner; otherwise returns `undefined`. */
export function checkOwner({ state }: Turn, account: AccountOrdinal): Refusal | undefined {
  if (state.account(account) === undefined) return { code: 'account_not_found' };
  return state.owners.of(account) === undefined ? { code: 'owner_not_found' } : undefined;
}

/** The same, and refuses a retired account. */
export function checkActiveOwner(turn: Turn, account: AccountOrdinal): Refusal | undefined {
  const refusal = checkOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const opened = turn.state.account(account)!;
  return opened.isRetired ? retirementOf(opened) : undefined;
}

export function emitOfOwner(turn: Turn, event: OwnerEvent): void {
  turn.state.owners.take(event, turn.now);
  turn.events.emit(event);
}
