/** Retires accounts: for good, with all keys, and with the fundings and deployments of agents that cannot go on afterwards. */
import type { AccountOrdinal } from '#units/ids.ts';
import { failRetired } from '#venue/agent/deploying.ts';
import { refuseUnmovable } from '#venue/agent-account/funding.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { openOrdersOf } from '#venue/order/open-orders.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { checkAccount, revoke } from './administration.ts';

/** Retires an account without open orders and positions. Its cash stays in the account. */
export interface RetireAccount {
  readonly type: 'RetireAccount';
  readonly account: AccountOrdinal;
  /** Present if the account is excluded as legacy. */
  readonly isLegacy?: true;
}

export type RetirementCommand = RetireAccount;

export const RETIREMENT_COMMANDS: CommandRules<RetirementCommand> = {
  RetireAccount: {
    plan: planRetirement,
    commit: commitRetirement,
    layout: {
      tag: 4,
      fields: retirementLayout,
      extended: [
        {
          tag: 26,
          applies: ({ isLegacy }) => isLegacy === true,
          fields: (io, it) => ({ ...retirementLayout(io, it), isLegacy: true }),
        },
      ],
    },
  },
};

function retirementLayout(io: Cursor, it: RetireAccount): RetireAccount {
  return { type: 'RetireAccount', account: io.int(it.account) };
}

export function planRetirement(turn: Turn, command: RetireAccount): Refusal | undefined {
  const refusal = checkAccount(turn, command.account);
  if (refusal !== undefined) return refusal;
  const account = turn.state.account(command.account)!;
  const isBusy =
    openOrdersOf(turn.state, account.ordinal).length > 0 ||
    account.positions.some((position) => position !== undefined && position.signedBaseAtoms !== 0);
  return isBusy ? { code: 'account_busy' } : undefined;
}

/** Revokes all keys of the account, and ends the fundings and deployments that cannot go on. */
export function commitRetirement(turn: Turn, command: RetireAccount): void {
  const account = turn.state.account(command.account)!;
  for (const keyId of [...account.apiKeys.keys()]) revoke(turn, account, keyId);
  account.isRetired = true;
  account.isLegacy = command.isLegacy === true;
  turn.events.emit({ type: 'AccountRetired', account: account.ordinal, ...(account.isLegacy && { isLegacy: true }) });
  refuseUnmovable(turn, account.ordinal);
  failRetired(turn, account.ordinal);
}
