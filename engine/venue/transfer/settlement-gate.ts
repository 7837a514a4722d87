/** Whether an owner may start to move money on the external ledger. */
import type { Account } from '#venue/account/account.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Switches } from '#venue/switches/switches.ts';

/** `transfers` is off while the ledger's history and the journal differ, so that both directions need it too. */
export function checkSettlement(switches: Switches, capability: 'deposits' | 'withdrawals'): Refusal | undefined {
  return checkIntake(switches, 'move_money', capability) ?? checkIntake(switches, 'move_money', 'transfers');
}

/** Money moves only to and from a party of the owner's own. */
export function checkParty({ partyId }: Account): Refusal | undefined {
  return partyId === '' ? { code: 'account_not_enabled' } : undefined;
}
