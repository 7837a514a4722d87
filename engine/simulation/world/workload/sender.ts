/** Who sends commands in a test world, and what they may look at while they make one. */
import type { Dice } from '#simulation/world/dice.ts';
import type { PriceFeed } from './price-feed.ts';
import type { PublicView, SeenMarket } from './public-view.ts';
import type { Temperament } from './temperaments.ts';

export class Sender {
  readonly temperament: Temperament;
  readonly name: string;
  /** Its account; 0 for those who have none. */
  readonly account: number;
  readonly dice: Dice;
  #texts = 0;

  constructor(temperament: Temperament, name: string, account: number, dice: Dice) {
    this.temperament = temperament;
    this.name = name;
    this.account = account;
    this.dice = dice;
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
export function pricedMarket({ view }: Scene, dice: Dice): SeenMarket | undefined {
  if (view.markets.length === 0) return undefined;
  const market = dice.pick(view.markets);
  return market.indexPrice === 0 ? undefined : market;
}
