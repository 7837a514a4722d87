/**
 * A seeded stream of orders, sweeps and cancels: every book of a comparison gets the same one. It is generated against running
 * books, so that orders rest or cross as intended, and no account meets its own orders.
 */
import { BareBooks } from '#simulation/bare-books.ts';
import { BookCommands } from '#simulation/book-commands.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { FlowProfile } from './flow-profile.ts';
import { percent, thousands } from './prose.ts';

/** The share of cancels that are too late: their order has filled. */
const LATE_CANCEL_SHARE = 0.05;
/** Every so many operations of a market, the index price is published as the middle of its book. */
const INDEX_EVERY = 100;
/** Prices are around it, far from the market's price bounds. */
export const MIDDLE = 500_000;
const LOWEST = 1 as PriceAtoms;
const HIGHEST = 1_000_000 as PriceAtoms;

export interface OrderFlow {
  readonly profile: FlowProfile;
  readonly commands: BookCommands;
  /** The first commands build the books up and keep them busy before the clock starts. */
  readonly untimed: number;
  /** The shares of the timed operations. */
  readonly shares: { readonly rest: number; readonly cross: number; readonly sweep: number; readonly cancel: number };
}

/** The same profile and seed give the same flow. */
export function orderFlow(profile: FlowProfile, seed: number): OrderFlow {
  return new FlowMaker(profile, seed).make();
}

export function describeFlow({ profile, shares }: OrderFlow): string {
  const parts = [
    `${percent(shares.rest)} orders that rest`,
    `${percent(shares.cross)} orders that cross`,
    `${percent(shares.sweep)} sweeps`,
    `${percent(shares.cancel)} cancels`,
  ];
  return `${thousands(profile.operations)} operations of ${thousands(profile.accounts)} accounts: ${parts.join(', ')}`;
}

class FlowMaker {
  readonly #profile: FlowProfile;
  readonly #random: Random;
  readonly #commands = new BookCommands();
  readonly #books: BareBooks;
  /** Orders that rested; closed ones are dropped when drawn. */
  readonly #rested: OrderOrdinal[] = [];
  /** The market of each order. */
  readonly #marketOf: MarketOrdinal[] = [0 as MarketOrdinal];
  readonly #marks: PriceAtoms[];
  readonly #made = { rest: 0, cross: 0, sweep: 0, cancel: 0 };

  constructor(profile: FlowProfile, seed: number) {
    this.#profile = profile;
    this.#random = seededRandom(seed);
    this.#books = new BareBooks(profile.markets, profile.accounts);
    this.#marks = new Array<PriceAtoms>(profile.markets + 1).fill(MIDDLE as PriceAtoms);
  }

  make(): OrderFlow {
    const { markets, restingOrders, operations } = this.#profile;
    for (let made = 0; made < restingOrders * markets; made += 1)
      this.#rest((1 + (made % markets)) as MarketOrdinal, this.#side());
    this.#operateFor(Math.floor(operations * this.#profile.warmUpShare));
    const untimed = this.#commands.count;
    Object.assign(this.#made, { rest: 0, cross: 0, sweep: 0, cancel: 0 });
    this.#operateFor(operations);
    const share = (count: number) => count / operations;
    const { rest, cross, sweep, cancel } = this.#made;
    const shares = { rest: share(rest), cross: share(cross), sweep: share(sweep), cancel: share(cancel) };
    return { profile: this.#profile, commands: this.#commands, untimed, shares };
  }

  #operateFor(operations: number): void {
    const { markets } = this.#profile;
    for (let made = 0; made < operations; made += 1) {
      if (made % (INDEX_EVERY * markets) === 0) this.#publishIndex();
      this.#operate((1 + this.#below(markets)) as MarketOrdinal);
    }
  }

  #publishIndex(): void {
    for (let market = 1; market <= this.#profile.markets; market += 1) {
      const sum = this.#books.bestAgainst('buy', market) + this.#books.bestAgainst('sell', market);
      this.#marks[market] = Math.floor(sum / 2) as PriceAtoms;
    }
  }

  /** Balances books with too many or too few orders, so that their depth stays constant. */
  #operate(market: MarketOrdinal): void {
    const depth = this.#profile.restingOrders * this.#profile.markets;
    const surplus = (this.#books.state.orders.count - depth) / depth;
    const { crossing, sweeps, cancels: usual } = this.#profile.mix;
    const cancels = usual + Math.max(-0.2, Math.min(0.2, 2 * surplus));
    const draw = this.#random();
    const side = this.#side();
    if (this.#books.bestAgainst(side, market) === NO_PRICE) this.#rest(market, side);
    else if (draw < crossing) this.#cross(market, side);
    else if (draw < crossing + sweeps) this.#sweep(market, side);
    else if (draw < crossing + sweeps + cancels) this.#cancel(market, side);
    else this.#rest(market, side);
  }

  #rest(market: MarketOrdinal, side: Side): void {
    const aimed = side === 'sell' ? MIDDLE + this.#distance() : MIDDLE - this.#distance();
    const best = this.#books.bestAgainst(side, market);
    const nearest = best === NO_PRICE ? aimed : side === 'sell' ? best + 1 : best - 1;
    const price = side === 'sell' ? Math.max(aimed, nearest) : Math.min(aimed, nearest);
    this.#made.rest += 1;
    this.#place('limit', market, side, price as PriceAtoms, 1 + this.#below(100));
  }

  /** Takes an order or two, and rests with the remaining quantity. */
  #cross(market: MarketOrdinal, side: Side): void {
    const best = this.#books.bestAgainst(side, market);
    this.#made.cross += 1;
    this.#place(
      'limit',
      market,
      side,
      (side === 'sell' ? best - 1 : best + 1) as PriceAtoms,
      1 + this.#below(this.#profile.mix.largestCrossing),
    );
  }

  #sweep(market: MarketOrdinal, side: Side): void {
    this.#made.sweep += 1;
    this.#place('sweep', market, side, side === 'sell' ? LOWEST : HIGHEST, 1 + this.#below(250));
  }

  /** Cancels a resting order of any market; without one, places a resting order. */
  #cancel(market: MarketOrdinal, side: Side): void {
    while (this.#rested.length > 0) {
      const drawn = this.#below(this.#rested.length);
      const order = this.#rested[drawn]!;
      this.#rested[drawn] = this.#rested.at(-1)!;
      this.#rested.pop();
      if (!this.#books.isOpen(order) && this.#random() >= LATE_CANCEL_SHARE) continue;
      this.#commands.addCancel(order, this.#marketOf[order]!);
      this.#made.cancel += 1;
      this.#carryOut();
      return;
    }
    this.#rest(market, side);
  }

  #place(kind: 'limit' | 'sweep', market: MarketOrdinal, side: Side, price: PriceAtoms, quantity: number): void {
    const order = this.#marketOf.length as OrderOrdinal;
    this.#marketOf.push(market);
    const mark = this.#marks[market]!;
    for (;;) {
      const account = (1 + this.#below(this.#profile.accounts)) as AccountOrdinal;
      this.#commands.addOrder({ kind, order, market, account, side, price, quantity: quantity as BaseAtoms, mark });
      if (!this.#books.wouldSelfTrade(this.#commands, this.#commands.count - 1)) break;
      this.#commands.dropLast();
    }
    this.#carryOut();
    if (this.#books.isOpen(order)) this.#rested.push(order);
  }

  #carryOut(): void {
    this.#books.run(this.#commands, this.#commands.count - 1, this.#commands.count);
  }

  #distance(): number {
    const { shape, distanceTicks } = this.#profile;
    if (shape === 'even') return 1 + this.#below(distanceTicks);
    return 1 + Math.floor(-Math.log(1 - this.#random()) * distanceTicks);
  }

  #side(): Side {
    return this.#random() < 0.5 ? 'buy' : 'sell';
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}
