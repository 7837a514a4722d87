/** The optional verification of identity (KYC): an owner may skip it. The venue stores when, and no personal data. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { checkAccount } from './administration.ts';

export interface SkipKyc {
  readonly type: 'SkipKyc';
  readonly account: AccountOrdinal;
}

export type KycCommand = SkipKyc;

export const KYC_COMMANDS: CommandRules<KycCommand> = {
  SkipKyc: {
    plan: planSkip,
    commit: commitSkip,
    layout: { tag: 66, fields: (io, it) => ({ type: 'SkipKyc', account: io.int(it.account) }) },
  },
};

export function planSkip(turn: Turn, { account }: SkipKyc): Refusal | undefined {
  const refusal = checkAccount(turn, account);
  if (refusal !== undefined) return refusal;
  return turn.state.account(account)!.kycSkippedAtEpochMs === 0 ? undefined : { code: 'kyc_skipped' };
}

export function commitSkip(turn: Turn, { account }: SkipKyc): void {
  turn.state.account(account)!.kycSkippedAtEpochMs = turn.now;
  turn.events.emit({ type: 'KycSkipped', account });
}
