/**
 * The traders of the crash: makers that quote around the price and withdraw when it moves fast, takers that hit them, and a crowd
 * with leveraged positions. They see what clients see, and decide with a seeded generator.
 */
import type { Side } from '#venue/command.ts';
import { CROWD, dollars, MAKERS } from './crash-parameters.ts';

/** A limit order that a maker wants: its price in ticks, its quantity in lots. */
export type Quote = readonly [side: Side, price: number, lots: number];

/** What a trader can do and see. All quantities are in lots, all prices in ticks. */
export interface TradingDesk {
  /** Places a batch of limit orders and returns the ordinals of those that rest. */
  quote(account: number, market: number, quotes: readonly Quote[], leverageX: number): readonly number[];
  /** Cancels orders in one turn, including ones that have ended. */
  pull(account: number, orders: readonly number[]): void;
  market(account: number, market: number, side: Side, lots: number, leverageX: number, reduceOnly: boolean): void;
  /** Closes the account's position when the mark reaches `stop`, or `target`; at the market. */
  protect(account: number, market: number, stop: number, target: number): void;
  /** Closes the account's position when the mark has moved by this share from the best one. */
  trail(account: number, market: number, distanceBps: number): void;
  /** Requests a withdrawal, which the operator settles or releases. */
  withdraw(account: number, atoms: number): void;
  /** The signed lots that an account holds. */
  holdingOf(account: number, market: number): number;
  /** What the account may use for orders, in money atoms; and what one lot costs at the index, 0 before there is one. */
  availableOf(account: number): number;
  lotPriceOf(market: number): number;
  /** The mark in ticks. */
  markOf(market: number): number;
}

export type Trader = (desk: TradingDesk, random: () => number) => void;

/** A maker sees the price when the index source does, and quotes before the venue receives it. */
export interface Maker {
  /** Cancels its quotes if the price has left them. Without a price it does not quote. */
  stepBack(desk: TradingDesk, price: number | undefined, random: () => number): void;
  quote(desk: TradingDesk, random: () => number): void;
}

/** How many observations a minute has. */
const MINUTE = 6;

/** Quotes a ladder on both sides, thinner and wider the more the last minute moved, and skewed against its position. */
export function maker(account: number, market: number): Maker {
  let open: readonly number[] = [];
  let quotedAt = 0;
  let wanted: number | undefined;
  const minute: number[] = [];
  return {
    stepBack(desk, price, random) {
      wanted = undefined;
      if (price !== undefined) {
        minute.push(price);
        if (minute.length > MINUTE) minute.shift();
        const hasMoved = Math.abs(price - quotedAt) > quotedAt * MAKERS.requotesAfter;
        if (!hasMoved && random() > 0.02) return;
        wanted = price;
      }
      if (open.length > 0) desk.pull(account, open);
      open = [];
    },
    quote(desk, random) {
      const lotPrice = desk.lotPriceOf(market);
      if (wanted === undefined || lotPrice === 0) return;
      quotedAt = wanted;
      const moved = Math.max(...minute.map((price) => Math.abs(wanted! / price - 1)));
      const depth = Math.max(MAKERS.thinnest, 1 - moved / MAKERS.runsAway);
      const position = (desk.holdingOf(account, market) * lotPrice) / dollars(MAKERS.cash);
      const middle = wanted * (1 - Math.max(-1, Math.min(1, position)) * 0.002);
      const quotes = MAKERS.ladder.flatMap(([distance, notional]): Quote[] => {
        const away = distance + moved * MAKERS.widens;
        const lots = Math.max(1, Math.floor((dollars(notional) * depth * (0.7 + 0.6 * random())) / lotPrice));
        return [
          ['buy', Math.floor(middle * (1 - away)), lots],
          ['sell', Math.ceil(middle * (1 + away)), lots],
        ];
      });
      open = desk.quote(account, market, quotes, MAKERS.leverageX);
    },
  };
}

/** Trades small sizes at the market, a little more often in the direction that flattens it. */
export function taker(account: number, market: number): Trader {
  return (desk, random) => {
    if (random() < 0.7) return;
    const position = desk.holdingOf(account, market);
    const lots = Math.max(1, Math.floor((desk.availableOf(account) * random()) / 100 / desk.lotPriceOf(market)));
    const buys = random() < (position > 0 ? 0.4 : 0.6);
    desk.market(account, market, buys ? 'buy' : 'sell', lots, 2, false);
  };
}

/** How a trader of the crowd trades. */
export interface Gambler {
  readonly account: number;
  readonly market: number;
  readonly leverageX: number;
  readonly side: Side;
  /** The target notional in money atoms. The trader's money limits it further. */
  readonly notionalAtoms: number;
  readonly depositAtoms: number;
  /** Trigger orders that it places with each position. Absent: none. */
  readonly protection?: Protection | undefined;
}

/** A stop with a target, of which one cancels the other; or a trailing stop. */
export type Protection = 'stop' | 'trailing';

/** Opens one position at its leverage and holds it. Now and then it closes the position, withdraws gains or enters again. */
export function gambler(it: Gambler): Trader {
  const { account, market, leverageX, side, notionalAtoms, depositAtoms } = it;
  let hasTraded = false;
  return (desk, random) => {
    const position = desk.holdingOf(account, market);
    const chance = random();
    if (position !== 0) {
      if (chance < CROWD.exits) desk.market(account, market, position > 0 ? 'sell' : 'buy', Math.abs(position), 0, true);
      return;
    }
    const available = desk.availableOf(account);
    if (hasTraded && available > depositAtoms * 1.1) desk.withdraw(account, available - depositAtoms);
    if (chance > (hasTraded ? CROWD.returns : CROWD.enters)) return;
    const notional = Math.min(notionalAtoms, desk.availableOf(account) * stakeOf(leverageX));
    const lots = Math.floor(notional / desk.lotPriceOf(market));
    if (lots < 1) return;
    desk.market(account, market, side, lots, leverageX, false);
    hasTraded = desk.holdingOf(account, market) !== 0;
    if (hasTraded) protect(it, desk, random);
  };
}

/** The distance is a share of the margin, so that most stops come before the liquidation and some behind it. */
function protect({ account, market, leverageX, side, protection }: Gambler, desk: TradingDesk, random: () => number): void {
  if (protection === undefined) return;
  const distance = (CROWD.nearestStop + CROWD.stopsWithin * random()) / leverageX;
  if (protection === 'trailing') {
    desk.trail(account, market, Math.max(1, Math.floor(distance * 10_000)));
    return;
  }
  const direction = side === 'buy' ? 1 : -1;
  const at = (away: number) => Math.max(1, Math.round(desk.markOf(market) * (1 + direction * away)));
  desk.protect(account, market, at(-distance), at(2 * distance));
}

/** The notional per unit of money at a leverage, minus what fees and a bad price may cost. */
export function stakeOf(leverageX: number): number {
  return (CROWD.staked * leverageX) / (1 + leverageX * CROWD.spent);
}
