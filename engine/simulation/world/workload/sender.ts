/** A sender of commands in a test world, and what it may read to make one. */
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { PriceFeed } from './price-feed.ts';
import type { PublicView, SeenMarket } from './public-view.ts';
import type { TradingStyle } from './trading-styles.ts';

export class Sender {
  readonly tradingStyle: TradingStyle;
  readonly name: string;
  /** Its account; 0 if it has no account. */
  readonly account: number;
  readonly random: RandomSource;
  #texts = 0;

  constructor(tradingStyle: TradingStyle, name: string, account: number, random: RandomSource) {
    this.tradingStyle = tradingStyle;
    this.name = name;
    this.account = account;
    this.random = random;
  }

  /** A unique text, which identifies the request that uses it. */
  newText(): string {
    this.#texts += 1;
    return `${this.name}-${this.#texts}`;
  }
}

export interface Scene {
  readonly view: PublicView;
  readonly feed: PriceFeed;
  /** The time of the price source. */
  nowEpochMs(): number;
}

/** A market that has a price, if there is one. */
export function pricedMarket({ view }: Scene, random: RandomSource): SeenMarket | undefined {
  if (view.markets.length === 0) return undefined;
  const market = random.pick(view.markets);
  return market.indexPrice === 0 ? undefined : market;
}
