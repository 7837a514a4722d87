/** Postings: money that moves between accounts and the ledgers of the venue. */
import { smaller } from './arithmetic.ts';
import type { Ledger, World } from './world.ts';
import { accountOf } from './world.ts';

export function postCash(world: World, account: number, kind: string, amount: bigint): void {
  accountOf(world, account)!.cash += amount;
  if (amount !== 0n) count(world, `account ${account} ${kind}`, amount);
}

export function postLedger(world: World, ledger: Ledger, amount: bigint): void {
  world.ledgers[ledger] += amount;
  if (amount !== 0n) count(world, `ledger ${ledger}`, amount);
}

export function payFee(world: World, account: number, fee: bigint): void {
  postCash(world, account, 'trade_fee', -fee);
  postLedger(world, 'fees', fee);
}

/** Gives back to the insurance fund what it paid for a position. */
export function repayFund(world: World, account: number, amount: bigint): void {
  postCash(world, account, 'insurance_cover', -amount);
  postLedger(world, 'insurance', amount);
}

/** Covers a loss beyond all that backs it: the insurance fund, as far as it has money for the market, then the deficit. Returns what the fund pays. */
export function coverLoss(world: World, account: number, amount: bigint, fund: bigint): bigint {
  const insured = smaller(amount, fund);
  postCash(world, account, 'insurance_cover', insured);
  postLedger(world, 'insurance', -insured);
  postCash(world, account, 'deficit_cover', amount - insured);
  postLedger(world, 'deficit', insured - amount);
  return insured;
}

function count(world: World, name: string, amount: bigint): void {
  world.postings[name] = (world.postings[name] ?? 0n) + amount;
}
