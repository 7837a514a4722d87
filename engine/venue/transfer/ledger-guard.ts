/**
 * The guard of the external ledger: from this record on, nothing new starts on the ledger while the switches do not permit it. A journal
 * of an earlier program has no guard up to its first start with this one, so that its records give the same events again.
 */
import type { CommandRules } from '#venue/command-rule.ts';
import { emitSettlement } from './settlement-fold.ts';

/** Changes nothing if it is repeated. */
export interface GuardLedger {
  readonly type: 'GuardLedger';
}

export type LedgerGuardCommand = GuardLedger;

export const LEDGER_GUARD_COMMANDS: CommandRules<LedgerGuardCommand> = {
  GuardLedger: {
    plan: () => undefined,
    commit: (turn) => emitSettlement(turn, { type: 'LedgerGuarded', isGuarded: true }),
    layout: { tag: 60, fields: () => ({ type: 'GuardLedger' }) },
  },
};
