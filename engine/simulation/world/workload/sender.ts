/** Who sends commands in a test world, and what they may look at while they make one. */
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { PriceFeed } from './price-feed.ts';
import type { PublicView, SeenMarket } from './public-view.ts';
import type { TradingStyle } from './trading-styles.ts';

export class Sender {
  readonly tradingStyle: TradingStyle;
  readonly name: string;
  /** Its account; 0 for those who have none. */
  readonly account: number;
  readonly random: RandomSource;
  #texts = 0;

  constructor(tradingStyle: TradingStyle, name: string, account: number, random: RandomSource) {
    this.tradingStyle = tradingStyle;
    this.name = name;
    this.account = account;
    this.random = random;
  }

  /** A text that nobody has used: what is made with it tells which request it came from. */
  newText(): string {
    this.#texts += 1;
    return `${this.name}-${this.#texts}`;
  }
}

export interface Scene {
  readonly view: PublicView;
  readonly feed: PriceFeed;
  /** The time where prices come from. */
  nowEpochMs(): number;
}

/** A market that has a price, if there is one. */
export function pricedMarket({ view }: Scene, random: RandomSource): SeenMarket | undefined {
  if (view.markets.length === 0) return undefined;
  const market = random.pick(view.markets);
  return market.indexPrice === 0 ? undefined : market;
}
