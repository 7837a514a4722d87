/**
 * A random market under stress, determined by a seed: thin books, high leverage, prices that walk, jump and become stale, deposits
 * and insurance credits. It changes the venue only by commands.
 */
import { BTC, FINE_MARKET, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { Random } from '#simulation/seeded-random.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, WHOLE_BPS } from '#units/money.ts';
import type { OrderTerms, PlaceOrder, Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { tier } from '#venue/risk/testing/exposures.ts';

const MIN_INDEX = 300;
const MAX_INDEX = 300_000;

export class RandomWorld {
  readonly scenario: Scenario;
  readonly accounts: number;
  readonly #random: Random;
  readonly #maxQuantity: number;
  readonly #isInsured: boolean;
  #orders = 0;
  #index = 10_000;

  constructor(seed: number, autoDeleveraging: boolean) {
    this.#random = seededRandom(seed);
    const isFine = this.#chance(50);
    this.#maxQuantity = isFine ? 2_000 : 60_000;
    this.#isInsured = this.#chance(50);
    this.accounts = this.#integer(3, 12);
    this.scenario = new Scenario();
    this.scenario.snapshotEvery = 97;
    const deposit = isFine ? this.#integer(20_000, 3_000_000) : this.#one([200_000_000, 10_000_000_000]);
    this.scenario.populate(this.accounts, this.#specification(isFine, autoDeleveraging), deposit);
  }

  /** A random order; the caller may place it. */
  order(): PlaceOrder {
    this.#orders += 1;
    const side = this.#one<Side>(['buy', 'sell']);
    return {
      type: 'PlaceOrder',
      account: this.#account(),
      market: BTC,
      clientOrderId: `order-${this.#orders}`,
      side,
      terms: this.#terms(),
      reduceOnly: this.#chance(15),
      leverageHundredths: this.#one([0, 0, 0, 2_000, 1_000, 305, 100]),
      idempotencyKey: '',
    };
  }

  /** Runs a random step: mostly an order, otherwise a cancel, an index price, a pause, a credit, or `AdvanceMarket`. */
  step(): VenueEvent[] {
    const { scenario } = this;
    const random = this.#integer(1, 100);
    if (random <= 60) return scenario.run(this.order());
    if (random <= 65) return this.#cancel();
    if (random <= 87) return this.#move(this.#chance(10) ? 1_000 : 60);
    if (random <= 90) return this.#jump();
    if (random <= 92) scenario.wait(this.#integer(60_000, 400_000));
    if (random <= 94 && this.#isInsured)
      return scenario.run({ type: 'CreditInsurance', amountAtoms: this.#money(), reference: '' });
    if (random <= 96)
      return scenario.run({ type: 'CreditCash', account: this.#account(), amountAtoms: this.#money(), reference: '' });
    return scenario.run({ type: 'AdvanceMarket', market: BTC });
  }

  #specification(isFine: boolean, autoDeleveraging: boolean): MarketSpecification {
    const [second, third] = isFine ? [500_000, 2_000_000] : [50_000_000, 200_000_000];
    return {
      ...(isFine ? FINE_MARKET : SCENARIO_MARKET),
      maxPriceAtoms: (2 * MAX_INDEX) as PriceAtoms,
      autoDeleveraging,
      takerFeeBps: this.#one([0, 5, 50]) as Bps,
      makerFeeBps: 0 as Bps,
      liquidationFeeBps: this.#one([0, 100, 250]) as Bps,
      maintenanceMarginTiers: [tier(0, 250), tier(second, 400), tier(third, 1_000)],
      maxIndexAgeMs: 60_000,
      fundingPeriodMs: 60_000,
      premiumSampleMs: 20_000,
      fundingInterestPpb: 0 as Ppb,
      fundingCapPpb: this.#one([0, 10_000_000, 25_000_000]) as Ppb,
      impactNotionalAtoms: (isFine ? 100_000 : 10_000_000) as QuoteAtoms,
    };
  }

  #terms(): OrderTerms {
    const quantityAtoms = (this.#chance(50) ? this.#integer(1, 30) : this.#integer(1, this.#maxQuantity)) as BaseAtoms;
    const random = this.#integer(1, 10);
    if (random <= 3) return { kind: 'market', quantityAtoms };
    if (random === 4) return { kind: this.#one(['market_notional', 'band_notional']), notionalAtoms: this.#money() };
    if (random === 5) return { kind: 'band_limit', quantityAtoms };
    const mark: number = this.scenario.venue.state.market(BTC)!.markPriceAtoms;
    const distanceBps = this.#chance(50) ? this.#integer(-30, 30) : this.#integer(-950, 950);
    const priceAtoms = mulDivDown(mark, WHOLE_BPS + distanceBps, WHOLE_BPS) as PriceAtoms;
    return { kind: 'limit', priceAtoms, quantityAtoms, postOnly: this.#chance(10) };
  }

  #cancel(): VenueEvent[] {
    const { lastOrder } = this.scenario.venue.state;
    return this.scenario.cancel(this.#account(), this.#integer(Math.max(1, lastOrder - 40), Math.max(1, lastOrder)));
  }

  #move(bps: number): VenueEvent[] {
    this.scenario.wait(this.#integer(0, 9_000));
    this.#index = clampPrice(mulDivDown(this.#index, WHOLE_BPS + this.#integer(-bps, bps), WHOLE_BPS));
    return this.scenario.price(this.#index);
  }

  #jump(): VenueEvent[] {
    this.#index = clampPrice(mulDivDown(this.#index, this.#integer(40, 220), 100));
    return this.scenario.jump(this.#index);
  }

  #account(): AccountOrdinal {
    return this.#integer(1, this.accounts) as AccountOrdinal;
  }

  #money(): QuoteAtoms {
    return this.#integer(1, this.#maxQuantity * 1_000) as QuoteAtoms;
  }

  #integer(lowest: number, highest: number): number {
    return lowest + Math.floor(this.#random() * (highest - lowest + 1));
  }

  #chance(percent: number): boolean {
    return this.#random() * 100 < percent;
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#integer(0, items.length - 1)]!;
  }
}

function clampPrice(price: number): number {
  return Math.max(MIN_INDEX, Math.min(MAX_INDEX, price));
}
