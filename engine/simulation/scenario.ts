/**
 * A venue for scenario tests: it takes commands and returns their events. After every command it checks the invariants, and that
 * a venue restored from a snapshot equals the original.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import { leverageHundredths } from '#units/leverage.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { BatchEntry, Command, InForce, OrderTerms, PlaceOrder, Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants, InvariantBroken } from '#venue/invariants.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { Venue } from '#venue/venue.ts';
import { eventsOfTurn } from './turn-events.ts';

/** Fields of an order that differ from the usual ones. The leverage is written as clients write it. */
type Options<Order> = Partial<Omit<Order, 'leverageHundredths'>> & { readonly leverageX?: number };
type OrderOptions = Options<PlaceOrder>;

/** Ticks of 0.1, lots of 0.001, 20 × leverage, fees of 2 and 5 bps: small numbers that are easy to verify by hand. */
export const SCENARIO_MARKET: MarketSpecification = {
  marketId: 'BTC-USD-PERP',
  underlyingSymbol: 'BTC',
  priceScale: 1,
  quantityScale: 3,
  minPriceAtoms: 1 as PriceAtoms,
  maxPriceAtoms: 10_000_000 as PriceAtoms,
  minQuantityAtoms: 1 as BaseAtoms,
  maxQuantityAtoms: 500_000 as BaseAtoms,
  initialMarginBps: 500 as Bps,
  maxLeverageX: 20,
  maintenanceMarginTiers: [
    { notionalThresholdAtoms: 0 as QuoteAtoms, maintenanceMarginBps: 250 as Bps },
    { notionalThresholdAtoms: 1_000_000_000_000 as QuoteAtoms, maintenanceMarginBps: 400 as Bps },
  ],
  makerFeeBps: 2 as Bps,
  takerFeeBps: 5 as Bps,
  priceBandBps: 1000 as Bps,
  markBandBps: 50 as Bps,
  liquidationFeeBps: 100 as Bps,
  autoDeleveraging: true,
  maxIndexAgeMs: 3_600_000,
  maxIndexJumpBps: 5_000 as Bps,
  indexConfirmations: 2,
  fundingPeriodMs: 3_600_000,
  fundingInterestPpb: 12_500 as Ppb,
  fundingCapPpb: 10_000_000 as Ppb,
  premiumSampleMs: 5_000,
  impactNotionalAtoms: 4_000_000_000 as QuoteAtoms,
};

/** The same market with lots so small that one tick of one lot is one money atom, which makes every rounding visible. */
export const FINE_MARKET: MarketSpecification = { ...SCENARIO_MARKET, quantityScale: 5 };

export const BTC = 1 as MarketOrdinal;

/** Orders that set no leverage use the highest one: their margin is the market's initial margin. */
export const SCENARIO_RULES: RiskRules = { ...RISK_RULES, defaultLeverageHundredths: 0 };

export class Scenario {
  venue: Venue;
  now = 1_700_000_000_000 as EpochMs;
  sequence = 0 as Sequence;
  /** The number of commands between two snapshot checks. Long runs set a larger number. */
  snapshotEvery = 1;
  readonly #rules: RiskRules;
  #clientOrders = 0;

  /** @param rules by default those of the product, without its default leverage */
  constructor(rules: RiskRules = SCENARIO_RULES) {
    this.venue = new Venue(undefined, rules);
    this.#rules = rules;
  }

  /** Creates a venue with one open market at an index of 1,000.0 and `count` accounts. The default deposit is 10,000 USD.E each. */
  static withAccounts(count: number, specification = SCENARIO_MARKET, depositAtoms = 10_000_000_000): Scenario {
    const scenario = new Scenario();
    scenario.populate(count, specification, depositAtoms);
    return scenario;
  }

  populate(count: number, specification = SCENARIO_MARKET, depositAtoms = 10_000_000_000): void {
    this.run({ type: 'ListMarket', specification, status: 'open' });
    this.price(10_000);
    for (let ordinal = 1; ordinal <= count; ordinal += 1) {
      const account = ordinal as AccountOrdinal;
      this.run({ type: 'OpenAccount', label: `trader ${ordinal}`, partyId: `party-${ordinal}`, digestSeed: 7 });
      this.run({ type: 'CreditCash', account, amountAtoms: depositAtoms as QuoteAtoms, reference: 'test' });
    }
  }

  run(command: Command): VenueEvent[] {
    this.sequence = (this.sequence + 1) as Sequence;
    this.now = (this.now + 1) as EpochMs;
    const events = eventsOfTurn(this.venue, { sequence: this.sequence, epochMs: this.now, command });
    if (events.length === 0) throw new InvariantBroken('the turn emitted no event');
    checkInvariants(this.venue.state, this.#rules);
    if (this.sequence % this.snapshotEvery === 0) this.#checkSnapshot();
    return events;
  }

  price(priceAtoms: number, market = BTC): VenueEvent[] {
    return this.run({ type: 'PublishIndexPrice', market, priceAtoms: priceAtoms as PriceAtoms, observedAtEpochMs: this.now });
  }

  /** Advances the clock by `ms` before the next command. */
  wait(ms: number): void {
    this.now = (this.now + ms) as EpochMs;
  }

  /** Moves the index to any price, by publishing it as often as the market requires for a jump. */
  jump(priceAtoms: number, market = BTC): VenueEvent[] {
    const { indexConfirmations } = this.venue.state.market(market)!.specification;
    return Array.from({ length: indexConfirmations + 1 }, () => this.price(priceAtoms, market)).flat();
  }

  limit(
    account: number,
    side: Side,
    priceAtoms: number,
    quantityAtoms: number,
    options: OrderOptions & InForce & { postOnly?: boolean } = {},
  ): VenueEvent[] {
    const { postOnly = false, timeInForce, expiresAtEpochMs, ...rest } = options;
    const inForce = { ...(timeInForce && { timeInForce }), ...(expiresAtEpochMs && { expiresAtEpochMs }) };
    return this.#place(
      account,
      side,
      { kind: 'limit', priceAtoms: priceAtoms as PriceAtoms, quantityAtoms: quantityAtoms as BaseAtoms, postOnly, ...inForce },
      rest,
    );
  }

  market(account: number, side: Side, quantityAtoms: number, options: OrderOptions = {}): VenueEvent[] {
    return this.#place(account, side, { kind: 'market', quantityAtoms: quantityAtoms as BaseAtoms }, options);
  }

  marketFor(account: number, side: Side, notionalAtoms: number, options: OrderOptions = {}): VenueEvent[] {
    return this.#place(account, side, { kind: 'market_notional', notionalAtoms: notionalAtoms as QuoteAtoms }, options);
  }

  /** Places a limit order without a price. Its price is the edge of the price band. */
  bandLimit(account: number, side: Side, quantityAtoms: number, options: OrderOptions = {}): VenueEvent[] {
    return this.#place(account, side, { kind: 'band_limit', quantityAtoms: quantityAtoms as BaseAtoms }, options);
  }

  /** Places a limit order without a price, by notional. */
  bandLimitFor(account: number, side: Side, notionalAtoms: number, options: OrderOptions = {}): VenueEvent[] {
    return this.#place(account, side, { kind: 'band_notional', notionalAtoms: notionalAtoms as QuoteAtoms }, options);
  }

  cancel(account: number, order: number): VenueEvent[] {
    return this.run({ type: 'CancelOrder', account: account as AccountOrdinal, order: order as OrderOrdinal });
  }

  /** 0 keeps the price or the quantity, which counts what has filled. */
  amend(account: number, order: number, priceAtoms: number, quantityAtoms: number): VenueEvent[] {
    return this.run({
      type: 'AmendOrder',
      account: account as AccountOrdinal,
      market: BTC,
      order: order as OrderOrdinal,
      priceAtoms: priceAtoms as PriceAtoms,
      quantityAtoms: quantityAtoms as BaseAtoms,
    });
  }

  /** Places limit orders in one turn, each given as `[side, price, quantity]`. */
  batch(
    account: number,
    entries: readonly (readonly [Side, number, number])[],
    { leverageX = 0, ...options }: Options<BatchEntry> = {},
  ): VenueEvent[] {
    return this.run({
      type: 'PlaceOrders',
      account: account as AccountOrdinal,
      entries: entries.map(([side, priceAtoms, quantityAtoms]) => {
        this.#clientOrders += 1;
        const clientOrderId = `client-${this.#clientOrders}`;
        const terms = {
          kind: 'limit',
          priceAtoms: priceAtoms as PriceAtoms,
          quantityAtoms: quantityAtoms as BaseAtoms,
          postOnly: false,
        } as const;
        return {
          market: BTC,
          clientOrderId,
          side,
          terms,
          reduceOnly: false,
          leverageHundredths: leverageHundredths(leverageX),
          ...options,
        };
      }),
      idempotencyKey: `key-${this.#clientOrders}`,
    });
  }

  #place(account: number, side: Side, terms: OrderTerms, { leverageX = 0, ...options }: OrderOptions): VenueEvent[] {
    this.#clientOrders += 1;
    return this.run({
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      market: BTC,
      clientOrderId: `client-${this.#clientOrders}`,
      side,
      terms,
      reduceOnly: false,
      leverageHundredths: leverageHundredths(leverageX),
      idempotencyKey: `key-${this.#clientOrders}`,
      ...options,
    });
  }

  /** Replaces the venue with one restored from its snapshot, so that later commands reveal state that the snapshot omits. */
  #checkSnapshot(): void {
    const snapshot = this.venue.snapshot();
    const restored = Venue.restore(snapshot, this.#rules);
    if (!sameBytes(snapshot, restored.snapshot())) throw new InvariantBroken('the restored venue differs from the saved one');
    checkInvariants(restored.state, this.#rules);
    this.venue = restored;
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
