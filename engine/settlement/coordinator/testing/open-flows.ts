/** Brings a deposit or a withdrawal of a life to where a test starts. */
import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { Life, type LifeOptions } from './life.ts';

export interface OwnedLife {
  readonly life: Life;
  readonly time: ManualTime;
  /** Of alice, whose party is active. */
  readonly account: AccountOrdinal;
}

/** A venue whose owner has deposited the amount. */
export async function fundedLife(amountAtoms = 1_000, options: Partial<LifeOptions> = {}): Promise<OwnedLife> {
  const time = new ManualTime();
  const life = await Life.open({ time, ...options });
  const account = await life.owner('alice');
  await life.activateParty(account);
  if (amountAtoms > 0) await life.deposit(account, amountAtoms);
  return { life, time, account };
}

/** A deposit that is bound to the faucet's grant. */
export async function boundDeposit(life: Life, account: AccountOrdinal): Promise<DepositOrdinal> {
  await life.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(1_000) });
  const { intent } = life.owners.fundingIntents(account)[0]!;
  await life.carryOut({ type: 'BindDeposit', account, intent, ledgerKey: newLedgerKey() });
  return life.owners.fundingIntents(account)[0]!.deposit!;
}

/** A deposit whose offer waits for its owner. */
export async function offeredDeposit(life: Life, account: AccountOrdinal): Promise<DepositOrdinal> {
  const deposit = await boundDeposit(life, account);
  await life.until('an offer', () => isDepositDue(life, deposit, 'owner_offer_acceptance'));
  return deposit;
}

export function isDepositDue(life: Life, deposit: DepositOrdinal, step: string): boolean {
  const it = life.owners.deposit(deposit)!;
  return it.step === step && !it.isSubmitted;
}

/** A withdrawal of 400 atoms with this status; `submitted`: its consent is submitted. */
export async function withdrawalIn(
  life: Life,
  account: AccountOrdinal,
  status: 'requested' | 'reserved' | 'authorized' | 'submitted',
  key = 'key',
): Promise<WithdrawalOrdinal> {
  const withdrawal = (await life.requestWithdrawal(account, 400, key))!;
  if (status === 'requested') return withdrawal;
  await life.until('a reserved withdrawal', () => life.owners.withdrawal(withdrawal)?.status === 'reserved');
  if (status === 'reserved') return withdrawal;
  await life.carryOut({ type: 'AuthorizeWithdrawal', account, withdrawal });
  if (status === 'authorized') return withdrawal;
  const step = 'owner_withdrawal_consent';
  await life.carryOut({ type: 'SubmitWithdrawalStep', withdrawal, step, attempt: 1, offerExpiresAtEpochMs: epochMs(0) });
  return withdrawal;
}

/** A withdrawal of 400 atoms whose payout offer waits for its owner. */
export async function offeredWithdrawal(life: Life, account: AccountOrdinal, key?: string): Promise<WithdrawalOrdinal> {
  const withdrawal = await withdrawalIn(life, account, 'submitted', key);
  await life.until('a payout offer', () => life.owners.withdrawal(withdrawal)?.step === 'owner_offer_acceptance');
  return withdrawal;
}
