/** What a position pays (or receives, if negative) for the last funding period, and where it comes from. */
import { absolute, ceilDiv, floorDiv, larger, smaller } from './arithmetic.ts';
import { equityOf, type Holding, sizeOf } from './equity.ts';
import { fundBudgetOf, fundOf, noteFundPayment } from './fund-budget.ts';
import { postLedger } from './money.ts';
import { afterChange } from './positions.ts';
import { isParked } from './status.ts';
import type { Market, Position, World } from './world.ts';
import { note } from './world.ts';

/** An entry never rises above this, nor falls below one atom. */
const MAX_ENTRY = 2n ** 50n;

/** Settles a position that its owner trades: it pays in full. */
export function settleFunding(world: World, market: Market, position: Position): void {
  settle(world, market, position, undefined);
}

/** Settles a position in the sweep: the fund pays what a parked one owes beyond its equity, within the budget. */
export function sweepPosition(world: World, market: Market, position: Position): void {
  const isInsured = market.specification.autoDeleveraging && isParked(market, position);
  settle(world, market, position, isInsured ? larger(0n, equityOf(market, position, market.mark)) : undefined);
}

/** The holding after it has settled the last period. The position is unchanged. */
export function fundedHolding(market: Market, position: Position): Holding {
  return charged(position, paymentOf(market, position)).holding;
}

export function owesFunding({ funding }: Market, position: Position): boolean {
  return position.fundingPeriod !== funding.period;
}

/** Payments round up and receipts down; the insurance fund gets the difference. */
function paymentOf(market: Market, position: Position): bigint {
  if (!owesFunding(market, position)) return 0n;
  const { perLotMicroAtoms } = market.funding;
  const micro = sizeOf(position) * absolute(perLotMicroAtoms);
  const pays = position.base > 0n === perLotMicroAtoms > 0n;
  return pays ? ceilDiv(micro, 1_000_000n) : -floorDiv(micro, 1_000_000n);
}

function settle(world: World, market: Market, position: Position, payable: bigint | undefined): void {
  const payment = paymentOf(market, position);
  position.fundingPeriod = market.funding.period;
  if (payment === 0n) return;
  const beyond = payable === undefined ? 0n : larger(0n, payment - payable);
  const insured = smaller(fundBudgetOf(world, market), beyond);
  const { holding, unpaid: short } = charged(position, payment - insured);
  position.entry = holding.entry;
  position.margin = holding.margin;
  const unpaid = insured + short;
  note(world, {
    type: 'FundingPaid',
    position: position.episode,
    account: position.account,
    market: market.ordinal,
    period: market.funding.period,
    paidAtoms: payment - unpaid,
    marginAtoms: position.margin,
    entryNotionalAtoms: position.entry,
  });
  const fromFund = smaller(unpaid, fundOf(world, market));
  postLedger(world, 'insurance', -fromFund);
  postLedger(world, 'deficit', fromFund - unpaid);
  noteFundPayment(world, market, position, fromFund);
  market.funding.pooled += payment;
  postLedger(world, 'funding', payment);
  afterChange(market, position);
}

/** A receipt goes to the margin. A payment comes from the margin, then worsens the entry. */
function charged({ base, entry, margin }: Holding, payment: bigint): { holding: Holding; unpaid: bigint } {
  if (payment <= 0n) return { holding: { base, entry, margin: margin - payment }, unpaid: 0n };
  const fromMargin = smaller(payment, margin);
  const rest = payment - fromMargin;
  const onEntry = smaller(rest, larger(0n, base > 0n ? MAX_ENTRY - entry : entry - 1n));
  const worse = base > 0n ? entry + onEntry : entry - onEntry;
  return { holding: { base, entry: worse, margin: margin - fromMargin }, unpaid: rest - onEntry };
}
