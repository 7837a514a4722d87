/**
 * A seeded stream of orders, sweeps and cancels as plain columns: every book of a comparison is fed from the same one.
 * It is made against a running book, so that prices cross or rest as meant, and no account ever meets its own orders.
 */
import { seededRandom } from '#simulation/seeded-random.ts';
import { VenueBooks } from './venue-books.ts';

export const LIMIT = 0;
export const SWEEP = 1;
export const CANCEL = 2;

/** What a flow looks like. Shares are of the timed operations. */
export interface FlowProfile {
  readonly name: string;
  readonly markets: number;
  /** Resting orders per market: put there before the clock runs, and about as many at its end. */
  readonly restingOrders: number;
  /** How far from the middle orders rest, in ticks: on average, or at most where all levels are alike. */
  readonly distanceTicks: number;
  readonly shape: 'thinning' | 'level';
  readonly operations: number;
}

export const ACCOUNTS = 1_000;
const MIDDLE_TICKS = 500_000;
export const HIGHEST_TICKS = 2 ** 20;
const CROSSING_SHARE = 0.2;
const SWEEP_SHARE = 0.05;
const CANCEL_SHARE = 0.35;
/** Of a hundred cancels, how many come too late: their order has filled or been cancelled. */
const LATE_CANCEL_SHARE = 0.05;

/** One operation a place; orders are numbered from 1 in the order of their placing, whatever their market. */
export class OrderFlow {
  readonly profile: FlowProfile;
  readonly kinds: Uint8Array;
  readonly markets: Int32Array;
  readonly accounts: Int32Array;
  readonly sells: Uint8Array;
  readonly prices: Int32Array;
  readonly quantities: Int32Array;
  readonly orders: Int32Array;
  count = 0;
  /** How many of them build the book up, before the clock runs. */
  untimed = 0;

  constructor(profile: FlowProfile) {
    const capacity = profile.markets * profile.restingOrders + profile.operations;
    this.profile = profile;
    this.kinds = new Uint8Array(capacity);
    this.markets = new Int32Array(capacity);
    this.accounts = new Int32Array(capacity);
    this.sells = new Uint8Array(capacity);
    this.prices = new Int32Array(capacity);
    this.quantities = new Int32Array(capacity);
    this.orders = new Int32Array(capacity);
  }

  add(kind: number, market: number, account: number, sell: boolean, price: number, quantity: number, order: number): void {
    const place = this.count;
    this.kinds[place] = kind;
    this.markets[place] = market;
    this.accounts[place] = account;
    this.sells[place] = sell ? 1 : 0;
    this.prices[place] = price;
    this.quantities[place] = quantity;
    this.orders[place] = order;
    this.count += 1;
  }
}

/** The same profile and seed make the same flow. */
export function orderFlow(profile: FlowProfile, seed: number): OrderFlow {
  return new FlowMaker(profile, seed).make();
}

class FlowMaker {
  readonly #profile: FlowProfile;
  readonly #random: () => number;
  readonly #flow: OrderFlow;
  readonly #books: VenueBooks;
  /** Orders that rested once; the ones that are gone are dropped when they are drawn. */
  readonly #rested: number[] = [];
  readonly #middles: number[];
  #orders = 0;

  constructor(profile: FlowProfile, seed: number) {
    this.#profile = profile;
    this.#random = seededRandom(seed);
    this.#flow = new OrderFlow(profile);
    this.#books = new VenueBooks(profile.markets, HIGHEST_TICKS, this.#flow.kinds.length);
    this.#middles = new Array<number>(profile.markets).fill(MIDDLE_TICKS);
  }

  make(): OrderFlow {
    const { markets, restingOrders, operations } = this.#profile;
    for (let made = 0; made < restingOrders; made += 1) {
      for (let market = 1; market <= markets; market += 1) this.#rest(market);
    }
    this.#flow.untimed = this.#flow.count;
    for (let made = 0; made < operations; made += 1) this.#operate(1 + this.#below(markets));
    return this.#flow;
  }

  #operate(market: number): void {
    const { markets, restingOrders, shape } = this.#profile;
    const surplus = this.#books.restingOrders - markets * restingOrders;
    // Leaning against what the book has too many or too few of keeps it as deep as it began.
    const cancels = CANCEL_SHARE + Math.max(-0.2, Math.min(0.2, (2 * surplus) / (markets * restingOrders)));
    const draw = this.#random();
    if (shape === 'thinning' && this.#random() < 0.05) this.#middles[market - 1]! += this.#random() < 0.5 ? -1 : 1;
    if (draw < CROSSING_SHARE) this.#cross(market);
    else if (draw < CROSSING_SHARE + SWEEP_SHARE) this.#sweep(market);
    else if (draw < CROSSING_SHARE + SWEEP_SHARE + cancels) this.#cancel();
    else this.#rest(market);
  }

  #rest(market: number): void {
    const sell = this.#random() < 0.5;
    const { shape, distanceTicks } = this.#profile;
    const distance =
      shape === 'level' ? 1 + this.#below(distanceTicks) : 1 + Math.floor(-Math.log(1 - this.#random()) * distanceTicks);
    const best = this.#books.bestAgainst(market, sell);
    const aimed = this.#middles[market - 1]! + (sell ? distance : -distance);
    const price = best === 0 ? aimed : sell ? Math.max(aimed, best + 1) : Math.min(aimed, best - 1);
    this.#place(LIMIT, market, sell, price, 1 + this.#below(100));
  }

  /** Takes about two orders and may rest with what is left over. */
  #cross(market: number): void {
    const sell = this.#random() < 0.5;
    const best = this.#books.bestAgainst(market, sell);
    if (best === 0) return this.#rest(market);
    this.#place(LIMIT, market, sell, sell ? best - 1 : best + 1, 1 + this.#below(150));
  }

  #sweep(market: number): void {
    const sell = this.#random() < 0.5;
    if (this.#books.bestAgainst(market, sell) === 0) return this.#rest(market);
    this.#place(SWEEP, market, sell, sell ? 1 : HIGHEST_TICKS, 1 + this.#below(400));
  }

  #cancel(): void {
    while (this.#rested.length > 0) {
      const drawn = this.#below(this.#rested.length);
      const order = this.#rested[drawn]!;
      this.#rested[drawn] = this.#rested.at(-1)!;
      this.#rested.pop();
      if (!this.#books.isOpen(order) && this.#random() >= LATE_CANCEL_SHARE) continue;
      const market = this.#books.marketOf(order);
      this.#flow.add(CANCEL, market, 0, false, 0, 0, order);
      this.#books.cancel(order);
      return;
    }
    this.#rest(1);
  }

  #place(kind: number, market: number, sell: boolean, price: number, quantity: number): void {
    this.#orders += 1;
    let account = 1 + this.#below(ACCOUNTS);
    while (this.#books.meetsItself(market, account, sell, price, quantity)) account = 1 + this.#below(ACCOUNTS);
    this.#flow.add(kind, market, account, sell, price, quantity, this.#orders);
    this.#books.place(kind === LIMIT, market, account, sell, price, quantity, this.#orders);
    if (this.#books.isOpen(this.#orders)) this.#rested.push(this.#orders);
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}
