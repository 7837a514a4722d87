/** Accounts, and cash that enters, leaves or moves between them. */
import { ONE_X, reservedOf } from './margin.ts';
import { postCash, postLedger } from './money.ts';
import { listedMarket } from './prices.ts';
import { Refused, refuseIf } from './refused.ts';
import type { World } from './world.ts';
import { accountOf, note } from './world.ts';

/** All deposits together are at most this. */
const MAX_DEPOSITS = 2n ** 52n;

export function openAccount(world: World, label: string, partyId: string): void {
  const ordinal = world.accounts.length + 1;
  world.accounts.push({ ordinal, partyId, cash: 0n, leverages: [] });
  note(world, { type: 'AccountOpened', account: ordinal, label, partyId });
}

/** Chooses the leverage of later orders that name none. 0 returns to the default. */
export function setLeverage(world: World, account: number, market: number, leverageHundredths: number): void {
  checkAccount(world, account);
  const { maxLeverageX } = listedMarket(world, market).specification;
  refuseIf(BigInt(leverageHundredths) > BigInt(maxLeverageX) * ONE_X, 'leverage_too_high', BigInt(maxLeverageX));
  const owner = accountOf(world, account)!;
  owner.leverages = owner.leverages.filter((it) => it.market !== market);
  if (leverageHundredths > 0) owner.leverages.push({ market, leverageHundredths: BigInt(leverageHundredths) });
  note(world, { type: 'LeverageSet', account, market, leverageHundredths });
}

export function creditCash(world: World, account: number, amount: bigint): void {
  checkAccount(world, account);
  checkDeposit(world, amount);
  world.netDeposits += amount;
  postCash(world, account, 'deposit', amount);
}

/** The fund is the venue's, but the credit counts as a deposit. */
export function creditInsurance(world: World, amount: bigint): void {
  checkDeposit(world, amount);
  world.netDeposits += amount;
  postLedger(world, 'insurance', amount);
}

export function transferCash(world: World, from: number, to: number, amount: bigint, reference: string): void {
  checkAccount(world, from);
  checkAccount(world, to);
  refuseIf(from === to, 'transfer_to_itself');
  checkAvailable(world, from, amount);
  note(world, { type: 'CashTransferred', from, to, amountAtoms: amount, reference });
  postCash(world, from, 'transfer_out', -amount);
  postCash(world, to, 'transfer_in', amount);
}

/** Cash of a withdrawal is the venue's until the withdrawal is settled or released. */
export function reserveWithdrawal(world: World, account: number, amount: bigint, destination: string): void {
  checkAccount(world, account);
  checkAvailable(world, account, amount);
  world.lastWithdrawal += 1;
  const withdrawal = world.lastWithdrawal;
  world.withdrawals.push({ withdrawal, account, amount });
  note(world, { type: 'WithdrawalReserved', withdrawal, account, amountAtoms: amount, destination });
  postCash(world, account, 'withdrawal_reserve', -amount);
  postLedger(world, 'withdrawals', amount);
}

export function releaseWithdrawal(world: World, withdrawal: number): void {
  const { account, amount } = endWithdrawal(world, withdrawal);
  note(world, { type: 'WithdrawalReleased', withdrawal, account, amountAtoms: amount });
  postCash(world, account, 'withdrawal_release', amount);
}

export function settleWithdrawal(world: World, withdrawal: number): void {
  const { account, amount } = endWithdrawal(world, withdrawal);
  note(world, { type: 'WithdrawalSettled', withdrawal, account, amountAtoms: amount });
  world.netDeposits -= amount;
}

/** Reserves and settles at once. */
export function debitCash(world: World, account: number, amount: bigint, reference: string): void {
  reserveWithdrawal(world, account, amount, reference);
  settleWithdrawal(world, world.lastWithdrawal);
}

function endWithdrawal(world: World, withdrawal: number): World['withdrawals'][number] {
  const pending = world.withdrawals.find((it) => it.withdrawal === withdrawal);
  if (pending === undefined) throw new Refused('withdrawal_not_found');
  world.withdrawals = world.withdrawals.filter((it) => it !== pending);
  postLedger(world, 'withdrawals', -pending.amount);
  return pending;
}

function checkAccount(world: World, account: number): void {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
}

function checkDeposit(world: World, amount: bigint): void {
  const most = MAX_DEPOSITS - world.netDeposits;
  refuseIf(amount < 1n || amount > most, 'amount_out_of_bounds', most);
}

function checkAvailable(world: World, account: number, amount: bigint): void {
  refuseIf(amount < 1n, 'amount_out_of_bounds', 1n);
  const available = accountOf(world, account)!.cash - reservedOf(world, account);
  refuseIf(amount > available, 'insufficient_cash', available);
}
