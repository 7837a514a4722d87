/**
 * Plans a paper order against the real book, as a market order of the agent account is planned: the same checks of the market, the same
 * matching, band, fees and rounding. It checks no margin, and changes neither book nor cash nor positions: the next order meets the same book.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import { plus, smallerOf } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { maxPositionAtomsOf } from '#venue/market/specification.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { FILL } from '#venue/order/match-plan.ts';
import { planMatches } from '#venue/order/matching.ts';
import { checkMarketActivity, checkQuantity } from '#venue/order/order-rules.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { endReasonOf } from '#venue/order/placement-plan.ts';
import { fillFee } from '#venue/order/reservation.ts';
import type { Turn } from '#venue/turn.ts';
import { afterFills, canTake, type PaperLedger } from './paper-ledger.ts';
import type { PaperReason } from './paper-outcome.ts';

export interface PaperTerms {
  readonly side: Side;
  readonly quantityAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
}

/** Fills the turn's paper plan. `account` is the agent account, whose own orders the order does not meet. */
export function planPaperFill(turn: Turn, market: Market, account: AccountOrdinal, terms: PaperTerms, ledger: PaperLedger): void {
  const { paper, plan } = turn;
  const { side, quantityAtoms } = terms;
  const closable = closableOf(ledger, side);
  paper.refuse(side, refusalOf(turn, market, terms, closable), ledger);
  if (paper.reason !== 'none') return;
  const wanted = terms.reduceOnly ? smallerOf(closable, quantityAtoms) : quantityAtoms;
  planMatchesOf(turn, market, account, terms, wanted);
  sumFills(turn, market);
  if (paper.filledBaseAtoms < quantityAtoms)
    paper.reason = paper.filledBaseAtoms === wanted ? 'reduce_only' : endReasonOf(plan.matches);
  if (paper.fills === 0) return;
  const limit = checkLimits(turn, market, ledger);
  if (limit !== undefined) {
    paper.refuse(side, limit, ledger);
    return;
  }
  paper.outcome = paper.reason === 'none' ? 'applied' : 'partially_applied';
  paper.ledger = afterFills(ledger, paper);
}

/** Why the market refuses the order before matching, or `none`. */
function refusalOf({ now }: Turn, market: Market, terms: PaperTerms, closable: BaseAtoms): PaperReason {
  if (market.markPriceAtoms === NO_PRICE) return 'mark_price_unavailable';
  if (!market.permits(terms.reduceOnly ? 'reduce' : 'open_risk', now)) return checkMarketActivity(market, now).code;
  if (terms.reduceOnly && closable === 0) return 'reduce_only_would_increase';
  return checkQuantity(market, terms.quantityAtoms)?.code ?? 'none';
}

function planMatchesOf(turn: Turn, market: Market, account: AccountOrdinal, terms: PaperTerms, wanted: BaseAtoms): void {
  const { incoming, plan, now } = turn;
  incoming.account = account;
  incoming.side = terms.side;
  incoming.limitPrice = market.bandPrice(terms.side);
  incoming.quantity = wanted;
  incoming.notional = undefined;
  incoming.mayOpen = !terms.reduceOnly || market.permits('open_risk', now);
  planMatches(turn, market, incoming, plan.matches);
}

/** Each fill pays its own fee, rounded as that of a real fill. */
function sumFills({ paper, plan, state }: Turn, market: Market): void {
  const { matches } = plan;
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const price = state.orders.priceOf(matches.slotAt(step));
    const notional = market.notional(price, matches.quantityAt(step));
    paper.filledNotionalAtoms = plus(paper.filledNotionalAtoms, notional);
    paper.feeAtoms = plus(paper.feeAtoms, fillFee(market, notional, 'taker'));
    paper.worstPriceAtoms = price;
  }
  paper.fills = matches.fillCount;
  paper.filledBaseAtoms = matches.filledBase;
}

/** The limit of a position's size is that of a real position. */
function checkLimits({ paper }: Turn, market: Market, ledger: PaperLedger): PaperReason | undefined {
  const { positionBaseAtoms: before } = ledger;
  const after = paper.side === 'buy' ? before + paper.filledBaseAtoms : before - paper.filledBaseAtoms;
  const maxSize = maxPositionAtomsOf(market.specification);
  if (Math.abs(after) > maxSize) return 'position_limit';
  return canTake(ledger, paper) ? undefined : 'paper_limit';
}

function closableOf({ positionBaseAtoms }: PaperLedger, side: Side): BaseAtoms {
  const closable = side === 'buy' ? 0 - positionBaseAtoms : positionBaseAtoms;
  return (closable > 0 ? closable : 0) as BaseAtoms;
}
