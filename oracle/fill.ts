/** One trade, and what it changes for each of its sides: position, margin, fee and profit. */
import { ceilDiv, floorDiv, larger, smaller, towardZero } from './arithmetic.ts';
import type { Side } from './command.ts';
import { closableBy, sizeOf } from './equity.ts';
import { fundOf, noteFundPayment, noteFundReceipt } from './fund-budget.ts';
import { settleFunding } from './funding-payment.ts';
import { missingAtMark, notionalOf, type OpeningTerms, openingMargin, reservedOf, restingOf } from './margin.ts';
import { countTrade } from './mark.ts';
import type { Step } from './matching.ts';
import { coverLoss, payFee, postCash, repayFund } from './money.ts';
import { initialMarginIn } from './open-interest.ts';
import { addPosition, afterChange, removePosition } from './positions.ts';
import { removeOrder } from './resting.ts';
import { observeTrade } from './trigger-price.ts';
import { endEntry, endOfEpisode, followFill } from './waiting.ts';
import type { Market, Position, World } from './world.ts';
import { accountOf, note, positionOf } from './world.ts';

export type Origin = 'client' | 'liquidation' | 'auto_deleveraging';

export interface Trade {
  readonly trade: number;
  readonly price: bigint;
  readonly quantity: bigint;
  readonly notional: bigint;
}

/** One side of a trade. */
export interface FillSide {
  readonly account: number;
  readonly order: number;
  readonly side: Side;
  readonly liquidity: 'maker' | 'taker';
  readonly cause: Origin;
  readonly fee: bigint;
  readonly remaining: bigint;
  readonly isComplete: boolean;
  /** The margin of a quantity that the side opens, beside proceeds of what it closes. */
  readonly lockedFor: (opened: bigint, proceeds: bigint) => bigint;
}

export function executeTrade(
  world: World,
  market: Market,
  origin: Origin,
  takerSide: Side,
  price: bigint,
  quantity: bigint,
): Trade {
  world.lastTrade += 1;
  const trade = { trade: world.lastTrade, price, quantity, notional: notionalOf(market, price, quantity) };
  // Auto-deleveraging is not at a price that an order quoted.
  if (origin === 'client') countTrade(market, trade.notional, quantity);
  if (origin !== 'auto_deleveraging') {
    market.lastPrice = price;
    market.lastTradedAt = world.now;
    observeTrade(world, market);
  }
  note(world, {
    type: 'TradeExecuted',
    trade: trade.trade,
    market: market.ordinal,
    origin,
    priceAtoms: price,
    quantityAtoms: quantity,
    notionalAtoms: trade.notional,
    takerSide,
  });
  return trade;
}

/** The fee of a notional, or the rebate if negative: what it leaves stays with the one who pays. */
export function feeOf(notional: bigint, feeBps: number): bigint {
  return towardZero(notional * BigInt(feeBps), 10_000n);
}

/** Fills a resting order. A rebate is at most what the taker pays. Cash of the account adds what its margin lacks. */
export function fillMaker(world: World, market: Market, step: Step, trade: Trade, takerFee: bigint): void {
  const { order } = step;
  const before = order.remaining;
  order.remaining -= trade.quantity;
  order.filled += trade.quantity;
  if (order.remaining === 0n) removeOrder(world, order);
  // The fills of an order lock the differences of its one rounded margin, so that they add up to what it reserved.
  const share = openingMargin(market, order, before) - openingMargin(market, order, order.remaining);
  const fee = larger(-takerFee, feeOf(trade.notional, market.specification.makerFeeBps));
  const reservedFor = (opened: bigint) => (order.reduceOnly ? 0n : smaller(share, openingMargin(market, order, opened)));
  settleSide(world, market, trade, {
    account: order.account,
    order: order.order,
    side: order.side,
    liquidity: 'maker',
    cause: 'client',
    fee,
    remaining: order.remaining,
    isComplete: order.remaining === 0n,
    lockedFor: (opened, proceeds) => {
      const reserved = reservedFor(opened);
      if (step.topUp === 0n || opened === 0n) return reserved;
      const available = accountOf(world, order.account)!.cash - reservedOf(world, order.account) + proceeds - fee - reserved;
      return reserved + smaller(available, missingFor(world, market, step, trade, opened));
    },
  });
}

/** What the margin of an opened quantity lacks at the mark, in the tier of the position, the orders and the fill. */
function missingFor(world: World, market: Market, { order, openInterest }: Step, trade: Trade, opened: bigint): bigint {
  const entry = positionOf(market, order.account)?.entry ?? 0n;
  const exposure = entry + restingOf(world, market, order.account).notional + trade.notional;
  const rateBps = initialMarginIn(market.specification, exposure, openInterest);
  return missingAtMark(market, order, opened, openingMargin(market, order, opened), rateBps);
}

/** The margin that the taker locks for what it opens at a price: at least the initial margin at the mark. */
export function takerMargin(market: Market, terms: Omit<OpeningTerms, 'price'>, price: bigint): (opened: bigint) => bigint {
  const at = { ...terms, price };
  return (opened) => {
    const margin = openingMargin(market, at, opened);
    return margin + missingAtMark(market, at, opened, margin, terms.initialMarginBps);
  };
}

export function settleSide(world: World, market: Market, trade: Trade, it: FillSide): void {
  const held = positionOf(market, it.account);
  if (held !== undefined) settleFunding(world, market, held);
  const closed = smaller(trade.quantity, closableBy(it.side, held));
  const opened = trade.quantity - closed;
  const closingFee = towardZero(it.fee * closed, trade.quantity);
  const close = held !== undefined && closed > 0n ? closeOf(market, held, trade.price, closed, closingFee) : NOTHING;
  const locked = it.lockedFor(opened, close.released + close.pnl + close.loss - close.repaid);
  const startsEpisode = opened > 0n && (held === undefined || closed > 0n);
  const endedEpisode = held?.episode;
  if (startsEpisode) world.lastEpisode += 1;
  const episode = startsEpisode ? world.lastEpisode : endedEpisode!;
  noteFill(world, market, trade, it, episode, close);
  const { account } = it;
  postCash(world, account, 'margin_release', close.released);
  if (close.loss > 0n) noteFundPayment(world, market, held!, coverLoss(world, account, close.loss, fundOf(world, market)));
  postCash(world, account, 'realized_pnl', close.pnl);
  payFee(world, account, it.fee);
  repayFund(world, account, close.repaid);
  if (held !== undefined) noteFundReceipt(world, market, held, close.repaid, held.insured - close.repaid);
  postCash(world, account, 'margin_lock', -locked);
  const position = change(market, it, trade, { held, close, closed, opened, locked, episode, startsEpisode });
  notePosition(world, market, trade, it, { close, closed, opened, closingFee, endedEpisode, episode, position });
  world.changed.push(account);
  if (endedEpisode !== undefined && position?.episode !== endedEpisode) endOfEpisode(world, market, account, endedEpisode);
  followFill(world, it.order, episode, opened);
  if (it.isComplete) endEntry(world, it.order);
}

interface Close {
  readonly entry: bigint;
  readonly released: bigint;
  readonly pnl: bigint;
  /** What loss and fee exceed the whole margin by. */
  readonly loss: bigint;
  readonly repaid: bigint;
}

const NOTHING: Close = { entry: 0n, released: 0n, pnl: 0n, loss: 0n, repaid: 0n };

/** A close takes its share of entry and margin, rounded in favour of what stays. A loss beyond the share takes the rest of the margin. */
function closeOf(market: Market, held: Position, price: bigint, closed: bigint, closingFee: bigint): Close {
  const size = sizeOf(held);
  const entry = held.base > 0n ? ceilDiv(held.entry * closed, size) : floorDiv(held.entry * closed, size);
  const share = floorDiv(held.margin * closed, size);
  const worth = notionalOf(market, price, closed);
  const pnl = held.base > 0n ? worth - entry : entry - worth;
  const proceeds = share + pnl - closingFee;
  const missing = larger(0n, -proceeds);
  const fromRest = smaller(missing, held.margin - share);
  const repaid = smaller(held.insured, larger(0n, proceeds));
  return { entry, released: share + fromRest, pnl, loss: missing - fromRest, repaid };
}

interface Change {
  readonly held: Position | undefined;
  readonly close: Close;
  readonly closed: bigint;
  readonly opened: bigint;
  readonly locked: bigint;
  readonly episode: number;
  readonly startsEpisode: boolean;
}

/** Changes, opens, flips or ends the position. Returns it, or undefined if it ended. */
function change(market: Market, it: FillSide, trade: Trade, made: Change): Position | undefined {
  const { held, close, closed, opened, locked, episode, startsEpisode } = made;
  const sign = it.side === 'buy' ? 1n : -1n;
  const openedNotional = notionalOf(market, trade.price, opened);
  if (startsEpisode) {
    const position: Position = {
      account: it.account,
      episode,
      base: sign * opened,
      entry: openedNotional,
      margin: locked,
      insured: 0n,
      unpaidLiquidation: 0n,
      fundingPeriod: market.funding.period,
    };
    // A flip keeps its place in the list, and waits on if it waited.
    if (held === undefined) addPosition(market, position);
    else market.positions[market.positions.indexOf(held)] = position;
    afterChange(market, position);
    return position;
  }
  const position = held!;
  position.base += sign * (closed + opened);
  position.entry += openedNotional - close.entry;
  position.margin += locked - close.released;
  position.insured -= close.repaid;
  if (position.base === 0n) removePosition(market, position);
  else afterChange(market, position);
  return position.base === 0n ? undefined : position;
}

function noteFill(world: World, market: Market, trade: Trade, it: FillSide, episode: number, close: Close): void {
  note(world, {
    type: 'OrderFilled',
    order: it.order,
    trade: trade.trade,
    account: it.account,
    market: market.ordinal,
    position: episode,
    side: it.side,
    liquidity: it.liquidity,
    priceAtoms: trade.price,
    quantityAtoms: trade.quantity,
    notionalAtoms: trade.notional,
    feeAtoms: it.fee,
    realizedPnlAtoms: close.pnl,
    remainingAtoms: it.remaining,
    isComplete: it.isComplete,
    accountReservedAtoms: reservedOf(world, it.account),
    ...(coveredBy(close) !== 0n && { liquidationFeeAtoms: 0n, insuranceCoveredAtoms: coveredBy(close) }),
  });
}

/** What the fund or the deficit pays for a fill; negative if the fill repays the fund. */
function coveredBy({ loss, repaid }: Close): bigint {
  return loss - repaid;
}

interface PositionNote {
  readonly close: Close;
  readonly closed: bigint;
  readonly opened: bigint;
  readonly closingFee: bigint;
  readonly endedEpisode: number | undefined;
  readonly episode: number;
  readonly position: Position | undefined;
}

/** A flip ends one episode and starts the next: two facts. */
function notePosition(world: World, market: Market, trade: Trade, it: FillSide, made: PositionNote): void {
  const { close, closed, opened, closingFee, endedEpisode, episode, position } = made;
  const sign = it.side === 'buy' ? 1n : -1n;
  const after = { base: position?.base ?? 0n, entry: position?.entry ?? 0n, margin: position?.margin ?? 0n };
  const fact = { type: 'PositionChanged', account: it.account, market: market.ordinal, trade: trade.trade, cause: it.cause };
  if (closed > 0n) {
    const left = opened > 0n ? { base: 0n, entry: 0n, margin: 0n } : after;
    note(world, {
      ...fact,
      position: endedEpisode,
      signedBaseAtoms: left.base,
      entryNotionalAtoms: left.entry,
      marginAtoms: left.margin,
      changedBaseAtoms: sign * closed,
      changedNotionalAtoms: notionalOf(market, trade.price, closed),
      realizedPnlAtoms: close.pnl,
      feeAtoms: closingFee,
      ...(coveredBy(close) !== 0n && { insuranceCoveredAtoms: coveredBy(close) }),
    });
  }
  if (opened > 0n) {
    note(world, {
      ...fact,
      position: episode,
      signedBaseAtoms: after.base,
      entryNotionalAtoms: after.entry,
      marginAtoms: after.margin,
      changedBaseAtoms: sign * opened,
      changedNotionalAtoms: notionalOf(market, trade.price, opened),
      realizedPnlAtoms: 0n,
      feeAtoms: it.fee - closingFee,
    });
  }
}
