/**
 * Who trades through the crash: makers that quote around the mark, takers that hit them, and accounts that hold
 * leveraged positions for a while. They decide from a seeded generator and the prices they see, like anyone outside.
 */
import type { Side } from '#venue/command.ts';

/** What a trader can do and see. All quantities are in lots, all prices in ticks. */
export interface Desk {
  /** Answers the number of the order while it rests, `undefined` when it does not. */
  limit(account: number, market: number, side: Side, price: number, lots: number): number | undefined;
  market(account: number, market: number, side: Side, lots: number, leverageX: number, reduceOnly: boolean): void;
  cancel(account: number, order: number): void;
  /** The last index price, in ticks. */
  indexOf(market: number): number;
  /** The signed lots that an account holds. */
  holdingOf(account: number, market: number): number;
  /** What the account may use for orders, in money atoms, and what one lot costs at the index. */
  availableOf(account: number): number;
  lotPriceOf(market: number): number;
}

export type Trader = (desk: Desk, random: () => number) => void;

const LADDER = [0.000_3, 0.001, 0.003, 0.01, 0.03, 0.06];

/** Quotes both sides and requotes them, leaning against what it holds. */
export function maker(account: number, market: number): Trader {
  let open: number[] = [];
  return (desk, random) => {
    const index = desk.indexOf(market);
    for (const order of open) desk.cancel(account, order);
    open = [];
    const unit = desk.availableOf(account) / 400 / desk.lotPriceOf(market);
    const lean = Math.max(-1, Math.min(1, desk.holdingOf(account, market) / (unit * 200))) * 0.001;
    for (const distance of LADDER) {
      const lots = Math.max(1, Math.floor(unit * (1 + distance * 100) * (0.5 + random())));
      const bid = desk.limit(account, market, 'buy', Math.floor(index * (1 - distance - lean)), lots);
      const ask = desk.limit(account, market, 'sell', Math.ceil(index * (1 + distance - lean)), lots);
      for (const order of [bid, ask]) if (order !== undefined) open.push(order);
    }
  };
}

/** Trades small sizes at the market, a little more often in the direction that flattens it. */
export function taker(account: number, market: number): Trader {
  return (desk, random) => {
    if (random() < 0.5) return;
    const held = desk.holdingOf(account, market);
    const lots = Math.max(1, Math.floor((desk.availableOf(account) * random()) / 200 / desk.lotPriceOf(market)));
    const buys = random() < (held > 0 ? 0.4 : 0.6);
    desk.market(account, market, buys ? 'buy' : 'sell', lots, 0, false);
  };
}

/** Puts most of its money on one side at its leverage, holds for hours, closes whatever it costs, starts again. */
export function gambler(account: number, market: number, leverageX: number): Trader {
  return (desk, random) => {
    const held = desk.holdingOf(account, market);
    if (held !== 0 && random() < 0.003) {
      desk.market(account, market, held > 0 ? 'sell' : 'buy', Math.abs(held), 0, true);
      return;
    }
    if (held !== 0 || random() > 0.02) return;
    const money = desk.availableOf(account) * 0.8 * leverageX;
    const lots = Math.floor(money / desk.lotPriceOf(market) / (1 + leverageX * 0.002));
    if (lots > 0) desk.market(account, market, random() < 0.75 ? 'buy' : 'sell', lots, leverageX, false);
  };
}
