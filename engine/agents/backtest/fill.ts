/**
 * Fills a market order of a backtest. No book of the past exists, so an order fills completely at the close of its bar, moved by the
 * slippage against the order.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfTowardZero, bpsOfUp, minus, plus, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { PaperFills } from '#venue/agent/paper-ledger.ts';
import type { BacktestMarket, BacktestTerms } from './backtest-terms.ts';

export type Side = PaperFills['side'];

export interface Fill extends PaperFills {
  readonly priceAtoms: PriceAtoms;
  /** What the slippage cost. It is part of the price, not of the fee. */
  readonly slippageAtoms: QuoteAtoms;
}

const ONE_TICK = priceAtoms(1);

/**
 * The slippage is rounded up to the tick, and a sale is never below one tick. The fee is rounded toward zero, as the venue rounds that of
 * a real fill.
 */
export function fillAtClose(terms: BacktestTerms, side: Side, quantityAtoms: BaseAtoms, closeAtoms: number): Fill {
  const close = priceAtoms(closeAtoms);
  const price = slippedPrice(close, side, bpsOfUp(close, terms.slippageBps));
  const notional = notionalOf(terms.market, price, quantityAtoms);
  return {
    side,
    filledBaseAtoms: quantityAtoms,
    filledNotionalAtoms: notional,
    feeAtoms: bpsOfTowardZero(notional, terms.feeBps),
    fills: 1,
    priceAtoms: price,
    slippageAtoms: notionalOf(terms.market, side === 'buy' ? minus(price, close) : minus(close, price), quantityAtoms),
  };
}

/** Exact: the listing of a market bounds price × quantity. The quantity is signed for positions. */
export function notionalOf(market: BacktestMarket, price: number, quantityAtoms: BaseAtoms): QuoteAtoms {
  return quoteAtoms(price * quantityAtoms * market.tickLotAtoms);
}

function slippedPrice(close: PriceAtoms, side: Side, slippage: PriceAtoms): PriceAtoms {
  if (side === 'buy') return plus(close, slippage);
  const price = minus(close, slippage);
  return price < ONE_TICK ? ONE_TICK : price;
}
