/** Whether something new may start on the external ledger. What is on it already goes on whatever the switches are. */
import type { Account } from '#venue/account/account.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Switches } from '#venue/switches/switches.ts';

/** `transfers` is off while the ledger's history and the journal differ, so that both directions need it too. */
export function checkSettlement(switches: Switches, capability: 'deposits' | 'withdrawals'): Refusal | undefined {
  return checkIntake(switches, 'move_money', capability) ?? checkIntake(switches, 'move_money', 'transfers');
}

/** Changes of parties move no money, but what they make on the ledger stays for good. */
export type LedgerFlow = 'parties' | 'deposits' | 'withdrawals';

/** Whether something new may start on the ledger: always, as far as the journal has no guard. */
export function checkLedgerStart({ settlement, switches }: VenueState, flow: LedgerFlow): Refusal | undefined {
  if (!settlement.isGuarded) return undefined;
  return flow === 'parties' ? checkIntake(switches, 'move_money', 'transfers') : checkSettlement(switches, flow);
}

/** Money moves only to and from a party of the owner's own. */
export function checkParty({ partyId }: Account): Refusal | undefined {
  return partyId === '' ? { code: 'account_not_enabled' } : undefined;
}
