/** Renders a withdrawal. One table maps the statuses of rows to those of the interface, which has none for a settled withdrawal. */
import type { WithdrawalState } from '#contract/withdrawal-state.ts';
import type { WithdrawalResource } from '#contract/withdrawals.ts';
import { type AccountOrdinal, renderAccountId, renderWithdrawalId, type WithdrawalOrdinal } from '#units/ids.ts';
import type { WithdrawalRow, WithdrawalStatus } from './account-rows.ts';
import { renderMoney } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

const SHOWN: Readonly<Record<WithdrawalStatus, Pick<WithdrawalState, 'status' | 'settled'>>> = {
  requested: { status: 'requested', settled: false },
  reserved: { status: 'reserved', settled: false },
  authorized: { status: 'authorized', settled: false },
  submitted: { status: 'submitted', settled: false },
  settled: { status: 'submitted', settled: true },
  blocked: { status: 'blocked', settled: false },
  released: { status: 'blocked', settled: false },
};

export function withdrawalResource(row: WithdrawalRow): WithdrawalState {
  const { offerExpiresAtEpochMs, reason, ledgerEventId, updatedAtEpochMs, lastSequence } = row;
  return {
    withdrawalId: renderWithdrawalId(row.withdrawal),
    asset: 'USD.E',
    amountAtoms: String(row.amountAtoms),
    amount: renderMoney(row.amountAtoms),
    ...SHOWN[row.status],
    dueSigningStep: dueSigningStep(row),
    payoutOfferExpiresAtEpochMs: offerExpiresAtEpochMs === 0 ? null : offerExpiresAtEpochMs,
    reason: reason === '' ? null : reason,
    ledgerEventId: ledgerEventId === '' ? null : ledgerEventId,
    updatedAtEpochMs,
    lastSequence,
  };
}

/** The withdrawal (2.5); `undefined` if it is another account's, or the operator's. */
export function ownedWithdrawal(
  store: ProjectionStore,
  account: AccountOrdinal,
  withdrawal: WithdrawalOrdinal,
): WithdrawalResource | undefined {
  const row = store.withdrawals.find(withdrawal);
  if (row?.account !== account || row.idempotencyKey === '') return undefined;
  const { ledgerEventId: _, updatedAtEpochMs: __, ...state } = withdrawalResource(row);
  return {
    version: 'external-withdrawal/v1',
    accountId: renderAccountId(account),
    ...state,
    idempotencyKey: row.idempotencyKey,
  };
}

/** Nothing is due before the owner has authorized the withdrawal, nor while the ledger has the step. */
function dueSigningStep({ status, step, isSubmitted }: WithdrawalRow): WithdrawalState['dueSigningStep'] {
  const isOpen = status === 'authorized' || status === 'submitted';
  if (!isOpen || isSubmitted === 1) return null;
  return step === 'owner_withdrawal_consent' || step === 'owner_offer_acceptance' ? step : null;
}
