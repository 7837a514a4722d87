/** All checkers of a run together: each takes every turn, and the first that finds fault throws. */
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { Bookkeeper } from './bookkeeper.ts';
import { FundingKeeper } from './funding-keeper.ts';
import { IndexWatch, type Observation } from './index-watch.ts';
import { LiquidationWatch } from './liquidation-watch.ts';
import { OrderKeeper } from './order-keeper.ts';

export class Checkers {
  readonly #money = new Bookkeeper();
  readonly #orders: OrderKeeper;
  readonly #index: IndexWatch;
  readonly #funding: FundingKeeper;
  readonly #liquidations: LiquidationWatch;

  /** The markets as they will be listed, in that order: checkers go by them, not by what the venue tells of them. */
  constructor(markets: readonly MarketSpecification[]) {
    this.#orders = new OrderKeeper(markets);
    this.#index = new IndexWatch(markets);
    this.#funding = new FundingKeeper(markets);
    this.#liquidations = new LiquidationWatch(markets);
  }

  /** A source sends an observation of a market's index: its next turn may go by that. */
  published(market: number, observation: Observation): void {
    this.#index.published(market, observation);
  }

  turn(events: readonly VenueEvent[], epochMs: number): void {
    this.#money.turn(events);
    this.#orders.turn(events);
    this.#index.turn(events, epochMs);
    this.#funding.turn(events);
    this.#liquidations.turn(events);
  }
}
