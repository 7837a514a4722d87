/** The faucet: grants an account a funding intent, once. A deposit that is bound to the intent pays it. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkDepositAmount } from './deposit-bound.ts';
import { emitSettlement } from './settlement-fold.ts';
import type { Deposit } from './settlement-state.ts';

/** Grants an account money of the faucet. The venue's edge fixes the amount. */
export interface GrantFaucet {
  readonly type: 'GrantFaucet';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

export type FaucetCommand = GrantFaucet;

export const FAUCET_COMMANDS: CommandRules<FaucetCommand> = {
  GrantFaucet: {
    plan: planGrant,
    commit: commitGrant,
    layout: {
      tag: 40,
      fields: (io, it) => ({ type: 'GrantFaucet', account: io.int(it.account), amountAtoms: io.int(it.amountAtoms) }),
    },
  },
};

/** A repeated grant is refused with the first intent before the switches are read, because it moves nothing. */
export function planGrant(turn: Turn, { account, amountAtoms }: GrantFaucet): Refusal | undefined {
  const refusal = checkAccount(turn, account);
  if (refusal !== undefined) return refusal;
  const granted = turn.state.settlement.grantOf(account);
  if (granted !== undefined) return { code: 'faucet_granted', bound: granted };
  return checkIntake(turn.state.switches, 'move_money', 'deposits') ?? checkDepositAmount(turn.state, amountAtoms);
}

export function commitGrant(turn: Turn, { account, amountAtoms }: GrantFaucet): void {
  const intent = turn.state.settlement.nextIntent();
  emitSettlement(turn, { type: 'FundingIntentCreated', intent, account, amountAtoms, source: 'faucet' });
}

/** `cancelled`: the account was retired before a deposit was bound. */
export type FundingIntentStatus = 'available' | 'deposit_bound' | 'consumed' | 'cancelled';

/** `bound` is the deposit that is bound to the intent, if there is one. */
export function fundingIntentStatus(isRetired: boolean, bound: Pick<Deposit, 'step'> | undefined): FundingIntentStatus {
  if (bound === undefined) return isRetired ? 'cancelled' : 'available';
  return bound.step === 'none' ? 'consumed' : 'deposit_bound';
}
