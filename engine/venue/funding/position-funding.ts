/** Funding of one position. The position settles a period before its first change after the period's end, or in the sweep. */

import type { QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { postLedger } from '#venue/account/cash.ts';
import type { Market } from '#venue/market/market.ts';
import type { Holding, Position } from '#venue/position/position.ts';
import { copyHolding, isLong } from '#venue/position/position.ts';
import { fundBudgetOf, fundOf, noteFundPayment } from '#venue/risk/fund-budget.ts';
import { positionEquityOf } from '#venue/risk/position-risk.ts';
import type { Turn } from '#venue/turn.ts';
import { fundingPaymentOf, splitPaymentOf } from './payment.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER as QuoteAtoms;

/** Settles the last period with the position, unless already settled. Call it before anything changes the position. */
export function settlePositionFunding(turn: Turn, market: Market, position: Position): void {
  settle(turn, market, position, NO_LIMIT);
}

/**
 * Settles the last period with a position in the sweep. If a parked position of a market with auto-deleveraging owes more than
 * its equity at the mark, the insurance fund pays the difference, within the market's budget: charging it to the entry would only shift
 * the cost to the counterparties that close the position. A position that its owner trades pays in full.
 */
export function sweepPositionFunding(turn: Turn, market: Market, position: Position): void {
  const { positions, specification, markPriceAtoms, tickLotAtoms } = market;
  const isInsured = specification.autoDeleveraging && positions.isParked(position);
  const payable = isInsured ? largerOf(ZERO_QUOTE, positionEquityOf(position, markPriceAtoms, tickLotAtoms)) : NO_LIMIT;
  settle(turn, market, position, payable);
}

function settle(turn: Turn, market: Market, position: Position, payable: QuoteAtoms): void {
  const { funding } = market;
  if (position.fundingPeriod === funding.period || position.signedBaseAtoms === 0) return;
  position.fundingPeriod = funding.period;
  const payment = fundingPaymentOf(position.signedBaseAtoms, funding.perLotMicroAtoms);
  if (payment === 0) return;
  const insured = payment <= payable ? ZERO_QUOTE : smallerOf(fundBudgetOf(turn, market), minus(payment, payable));
  const unpaid = plus(insured, charge(position, minus(payment, insured)));
  turn.events.emit({
    type: 'FundingPaid',
    position: position.ordinal,
    account: position.account,
    market: market.ordinal,
    period: funding.period,
    paidAtoms: minus(payment, unpaid),
    marginAtoms: position.marginAtoms,
    entryNotionalAtoms: position.entryNotionalAtoms,
  });
  noteFundPayment(turn, market, position, payFromFund(turn, unpaid, fundOf(turn, market)));
  funding.pooledAtoms = plus(funding.pooledAtoms, payment);
  postLedger(turn, 'funding', payment);
  market.positions.update(market, position);
}

/** Writes to `into` what the position will hold after it settles the last period. The position is unchanged. */
export function fundedHolding(market: Market, position: Position, into: Holding): void {
  copyHolding(position, into);
  const { funding } = market;
  if (position.fundingPeriod === funding.period || position.signedBaseAtoms === 0) return;
  charge(into, fundingPaymentOf(position.signedBaseAtoms, funding.perLotMicroAtoms));
}

/** Charges a payment to a holding, or credits it if negative. Returns the amount that the holding cannot pay. */
function charge(holding: Holding, payment: QuoteAtoms): QuoteAtoms {
  if (payment <= 0) {
    holding.marginAtoms = minus(holding.marginAtoms, payment);
    return ZERO_QUOTE;
  }
  const { fromMarginAtoms, onEntryAtoms, unpaidAtoms } = splitPaymentOf(holding, payment);
  holding.marginAtoms = minus(holding.marginAtoms, fromMarginAtoms);
  holding.entryNotionalAtoms = isLong(holding)
    ? plus(holding.entryNotionalAtoms, onEntryAtoms)
    : minus(holding.entryNotionalAtoms, onEntryAtoms);
  return unpaidAtoms;
}

/** Pays the unpaid amount to the receivers from the insurance fund, which has `fundAtoms` for it. The rest is booked to the deficit ledger. Returns what the fund pays. */
function payFromFund(turn: Turn, unpaid: QuoteAtoms, fundAtoms: QuoteAtoms): QuoteAtoms {
  const insured = smallerOf(unpaid, fundAtoms);
  postLedger(turn, 'insurance', minus(ZERO_QUOTE, insured));
  postLedger(turn, 'deficit', minus(insured, unpaid));
  return insured;
}
