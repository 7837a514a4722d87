/** Binds the venue to one external ledger, once and for good: the ids in the journal are of that ledger. */
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { emitSettlement } from './settlement-fold.ts';

export interface BindLedger {
  readonly type: 'BindLedger';
  readonly ledgerId: string;
  readonly treasuryPartyId: string;
  readonly custodyPartyId: string;
}

export type LedgerBindingCommand = BindLedger;

export const LEDGER_BINDING_COMMANDS: CommandRules<LedgerBindingCommand> = {
  BindLedger: {
    plan: planLedger,
    commit: commitLedger,
    layout: {
      tag: 52,
      fields: (io, it) => ({
        type: 'BindLedger',
        ledgerId: io.text(it.ledgerId),
        treasuryPartyId: io.text(it.treasuryPartyId),
        custodyPartyId: io.text(it.custodyPartyId),
      }),
    },
  },
};

export function planLedger({ state }: Turn): Refusal | undefined {
  return state.settlement.ledger === undefined ? undefined : { code: 'ledger_bound' };
}

export function commitLedger(turn: Turn, { ledgerId, treasuryPartyId, custodyPartyId }: BindLedger): void {
  emitSettlement(turn, { type: 'LedgerBound', ledgerId, treasuryPartyId, custodyPartyId });
}
