/**
 * Withdrawals of owners to their own party. A request reserves the cash, the venue reserves it on the ledger, and the owner authorizes
 * it. Until its first step on the ledger a withdrawal may be blocked, which returns the cash.
 */
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { type QuoteAtoms, ZERO_QUOTE } from '#units/money.ts';
import { type Account, retirementOf } from '#venue/account/account.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { emitSettlement } from './settlement-fold.ts';
import { checkLedgerStart, checkParty, checkSettlement } from './settlement-gate.ts';
import type { OwnerWithdrawal } from './settlement-state.ts';
import { checkAvailable, commitRelease, reserveCash } from './withdrawal.ts';
import type { OpenWithdrawalStatus } from './withdrawal-steps.ts';

/** `ledgerKey` is random, so that no ledger command id is used twice. */
export interface RequestWithdrawal {
  readonly type: 'RequestWithdrawal';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** The account's own ledger party. */
  readonly destination: string;
  readonly ledgerKey: string;
  readonly idempotencyKey: string;
  /** A smaller amount is refused, unless it is all cash of the account. Absent in commands of earlier programs. */
  readonly minimumAtoms?: QuoteAtoms;
}

/** The ledger's custody covers the withdrawal. */
export interface ReserveOnLedger {
  readonly type: 'ReserveOnLedger';
  readonly withdrawal: WithdrawalOrdinal;
}

/** The owner permits the withdrawal. */
export interface AuthorizeWithdrawal {
  readonly type: 'AuthorizeWithdrawal';
  readonly account: AccountOrdinal;
  readonly withdrawal: WithdrawalOrdinal;
}

/** Ends a withdrawal that the ledger knows nothing of. */
export interface BlockWithdrawal {
  readonly type: 'BlockWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
  readonly reason: string;
}

export type OwnerWithdrawalCommand = RequestWithdrawal | ReserveOnLedger | AuthorizeWithdrawal | BlockWithdrawal;

/** The maximum number of open withdrawals of an account. */
export const MAX_OPEN_WITHDRAWALS = 16;

export const OWNER_WITHDRAWAL_COMMANDS: CommandRules<OwnerWithdrawalCommand> = {
  RequestWithdrawal: {
    plan: planOwnerRequest,
    commit: commitOwnerRequest,
    layout: {
      tag: 45,
      fields: requestLayout,
      extended: [
        {
          tag: 63,
          applies: ({ minimumAtoms }) => minimumAtoms !== undefined,
          fields: (io, it) => ({ ...requestLayout(io, it), minimumAtoms: io.int(it.minimumAtoms!) }),
        },
      ],
    },
  },
  ReserveOnLedger: {
    plan: planLedgerReservation,
    commit: commitLedgerReservation,
    layout: { tag: 46, fields: (io, it) => ({ type: 'ReserveOnLedger', withdrawal: io.int(it.withdrawal) }) },
  },
  AuthorizeWithdrawal: {
    plan: planAuthorization,
    commit: commitAuthorization,
    layout: {
      tag: 47,
      fields: (io, it) => ({
        type: 'AuthorizeWithdrawal',
        account: io.int(it.account),
        withdrawal: io.int(it.withdrawal),
      }),
    },
  },
  BlockWithdrawal: {
    plan: planBlock,
    commit: commitBlock,
    layout: {
      tag: 50,
      fields: (io, it) => ({
        type: 'BlockWithdrawal',
        withdrawal: io.int(it.withdrawal),
        reason: io.text(it.reason),
      }),
    },
  },
};

function requestLayout(io: Cursor, it: RequestWithdrawal): RequestWithdrawal {
  return {
    type: 'RequestWithdrawal',
    account: io.int(it.account),
    amountAtoms: io.int(it.amountAtoms),
    destination: io.text(it.destination),
    ledgerKey: io.text(it.ledgerKey),
    idempotencyKey: io.text(it.idempotencyKey),
  };
}

/** The owner of a retired account may withdraw its cash, unless it is excluded as legacy. */
export function planOwnerRequest(turn: Turn, command: RequestWithdrawal): Refusal | undefined {
  const { account: ordinal, destination } = command;
  const account = turn.state.account(ordinal);
  if (account === undefined) return { code: 'account_not_found' };
  if (account.isLegacy) return retirementOf(account);
  const refusal = checkParty(account) ?? checkSettlement(turn.state.switches, 'withdrawals');
  if (refusal !== undefined) return refusal;
  if (destination !== account.partyId) return { code: 'destination_not_allowed' };
  const isFull = turn.state.settlement.openWithdrawalsOf(ordinal) >= MAX_OPEN_WITHDRAWALS;
  return checkAmount(account, command) ?? (isFull ? { code: 'too_many_withdrawals', bound: MAX_OPEN_WITHDRAWALS } : undefined);
}

/** All cash of the account may be withdrawn also below the minimum, so that no rest is locked in. */
function checkAmount(account: Account, { amountAtoms, minimumAtoms = ZERO_QUOTE }: RequestWithdrawal): Refusal | undefined {
  const refusal = checkAvailable(account, amountAtoms);
  if (refusal !== undefined || amountAtoms >= minimumAtoms || amountAtoms === account.cashAtoms) return refusal;
  return { code: 'amount_out_of_bounds', bound: minimumAtoms };
}

export function commitOwnerRequest(turn: Turn, { minimumAtoms: _, ...request }: RequestWithdrawal): void {
  const withdrawal = turn.state.nextWithdrawal();
  emitSettlement(turn, { ...request, type: 'WithdrawalRequested', withdrawal });
  reserveCash(turn, withdrawal, request);
}

export function planLedgerReservation(turn: Turn, { withdrawal }: ReserveOnLedger): Refusal | undefined {
  return checkWithdrawal(turn, withdrawal, ({ status }) => status === 'requested') ?? checkLedgerStart(turn.state, 'withdrawals');
}

export function commitLedgerReservation(turn: Turn, { withdrawal }: ReserveOnLedger): void {
  changeStatus(turn, withdrawal, 'reserved');
}

/** Another account's withdrawal is refused as an unknown one. */
export function planAuthorization(turn: Turn, { account, withdrawal }: AuthorizeWithdrawal): Refusal | undefined {
  if (turn.state.account(account) === undefined) return { code: 'account_not_found' };
  const open = turn.state.settlement.withdrawals.get(withdrawal);
  if (open !== undefined && open.account !== account) return { code: 'withdrawal_not_found' };
  return (
    checkWithdrawal(turn, withdrawal, ({ status }) => status === 'reserved') ??
    checkSettlement(turn.state.switches, 'withdrawals')
  );
}

export function commitAuthorization(turn: Turn, { withdrawal }: AuthorizeWithdrawal): void {
  changeStatus(turn, withdrawal, 'authorized');
}

export function planBlock(turn: Turn, { withdrawal }: BlockWithdrawal): Refusal | undefined {
  return checkWithdrawal(turn, withdrawal, ({ status }) => status !== 'submitted');
}

export function commitBlock(turn: Turn, { withdrawal, reason }: BlockWithdrawal): void {
  blockWithdrawal(turn, turn.state.settlement.withdrawals.get(withdrawal)!, reason);
}

/** Ends an open withdrawal and returns its cash. It is not open afterwards, so that it cannot end again. */
export function blockWithdrawal(turn: Turn, open: OwnerWithdrawal, reason: string): void {
  const { withdrawal, account, amountAtoms } = open;
  emitSettlement(turn, { type: 'WithdrawalBlocked', withdrawal, account, amountAtoms, reason });
  commitRelease(turn, { type: 'ReleaseWithdrawal', withdrawal });
}

/** Refuses a withdrawal that does not exist, that has ended, or whose state does not permit the command. */
export function checkWithdrawal(
  { state }: Turn,
  ordinal: WithdrawalOrdinal,
  isPossible: (withdrawal: OwnerWithdrawal) => boolean,
): Refusal | undefined {
  if (ordinal < 1 || ordinal > state.lastWithdrawal) return { code: 'withdrawal_not_found' };
  const open = state.settlement.withdrawals.get(ordinal);
  return open !== undefined && isPossible(open) ? undefined : { code: 'withdrawal_state_conflict' };
}

function changeStatus(turn: Turn, withdrawal: WithdrawalOrdinal, status: OpenWithdrawalStatus): void {
  const { account } = turn.state.settlement.withdrawals.get(withdrawal)!;
  emitSettlement(turn, { type: 'WithdrawalStatusChanged', withdrawal, account, status });
}
