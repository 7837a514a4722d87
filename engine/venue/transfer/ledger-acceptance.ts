/**
 * The operator's acceptance of a difference between ledger and journal: all entries of the ledger up to an event were dealt with, and
 * the next comparison starts after it.
 */
import type { CommandRules } from '#venue/command-rule.ts';
import { isLedgerReason, isLedgerText } from '#venue/owner/party.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { isLedgerEvent, type LedgerEvent, ledgerEventLayout } from './ledger-steps.ts';
import { emitSettlement } from './settlement-fold.ts';

/** The event id proves which history the operator has seen. */
export interface AcceptLedgerEntries extends LedgerEvent {
  readonly type: 'AcceptLedgerEntries';
  readonly reason: string;
}

export type LedgerAcceptanceCommand = AcceptLedgerEntries;

export const LEDGER_ACCEPTANCE_COMMANDS: CommandRules<LedgerAcceptanceCommand> = {
  AcceptLedgerEntries: {
    plan: planAcceptance,
    commit: commitAcceptance,
    layout: {
      tag: 59,
      fields: (io, it) => ({ type: 'AcceptLedgerEntries', ...ledgerEventLayout(io, it), reason: io.text(it.reason) }),
    },
  },
};

/** Only entries after those that the journal knows can be accepted. `bound` is the highest known offset. */
export function planAcceptance({ state }: Turn, { reason, ...event }: AcceptLedgerEntries): Refusal | undefined {
  const isValid = isLedgerEvent(event) && isLedgerText(event.ledgerEventId) && isLedgerReason(reason);
  if (!isValid || state.settlement.ledger === undefined) return { code: 'ledger_reference_invalid' };
  const { offset } = state.settlement.ledgerHead;
  return event.ledgerOffset > offset ? undefined : { code: 'ledger_offset_known', bound: offset };
}

export function commitAcceptance(turn: Turn, { ledgerOffset, ledgerEventId, reason }: AcceptLedgerEntries): void {
  emitSettlement(turn, { type: 'LedgerEntriesAccepted', ledgerOffset, ledgerEventId, reason });
}
