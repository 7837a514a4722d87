import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import {
  MAX_EXPOSURE_ATOMS,
  MAX_POSITION_ORDERS,
  MAX_PRICE_TICKS,
  MAX_QUANTITY_LOTS,
  quoteAtomsPerTickLot,
  specificationFault,
} from '#venue/market/specification.ts';
import { holdingsOf, only, refusalCode, typesOf } from '#venue/testing/outcome.ts';
import { tier } from './testing/exposures.ts';

/**
 * No price makes a turn throw in any permitted market: inexact numbers would stop the venue for good.
 * `OPENPERP_EXTREMES_RUNS=20000 npx vitest run engine/venue/risk/extremes` sets the number of markets to try.
 */
const RUNS = Number(process.env.OPENPERP_EXTREMES_RUNS ?? 150);

/** Variants of the scenario market at the extremes of the limits. The filter drops invalid ones. */
const specification: fc.Arbitrary<MarketSpecification> = fc
  .record({
    priceScale: fc.integer({ min: 0, max: 6 }),
    quantityScale: fc.integer({ min: 0, max: 6 }),
    maxPriceAtoms: fc.constantFrom(10, 50_000, MAX_PRICE_TICKS),
    minPriceShare: fc.constantFrom(1, 3, MAX_PRICE_TICKS),
    initialMarginBps: fc.constantFrom(10, 50, 500, 5_000, 10_000),
    secondTierAtoms: fc.constantFrom(10_000, 50_000_000_000, 2 ** 49 - (2 ** 49 % 10_000)),
    fees: fc.constantFrom(0, 1),
    isFunded: fc.boolean(),
    autoDeleveraging: fc.boolean(),
  })
  .map(({ minPriceShare, secondTierAtoms, fees, isFunded, ...fields }) => {
    const maintenance = Math.max(1, Math.floor(fields.initialMarginBps / 2));
    const scales = { ...SCENARIO_MARKET, ...fields } as MarketSpecification;
    const largest = Math.floor(MAX_EXPOSURE_ATOMS / fields.maxPriceAtoms / quoteAtomsPerTickLot(scales));
    const fee = Math.min(1_000, maintenance) * fees;
    return {
      ...scales,
      minPriceAtoms: Math.ceil(fields.maxPriceAtoms / minPriceShare) as never,
      maxQuantityAtoms: Math.min(MAX_QUANTITY_LOTS, largest) as never,
      maxLeverageX: Math.floor(10_000 / fields.initialMarginBps),
      maintenanceMarginTiers: [tier(0, maintenance), tier(secondTierAtoms, Math.min(5_000, maintenance + 1_000))],
      takerFeeBps: fee as never,
      makerFeeBps: -fee as never,
      priceBandBps: 9_000 as never,
      markBandBps: Math.floor(maintenance / 5) as never,
      liquidationFeeBps: maintenance as never,
      maxIndexJumpBps: 10_000 as never,
      indexConfirmations: 1,
      fundingCapPpb: (isFunded ? maintenance * 100_000 : 0) as never,
      fundingInterestPpb: (isFunded ? -maintenance * 100_000 : 0) as never,
      impactNotionalAtoms: 1 as QuoteAtoms,
    };
  })
  .filter((it) => specificationFault(it) === undefined);

/** Two accounts with the largest possible cash, and a market with its index at `price`. */
function rich(market: MarketSpecification, price: number): Scenario {
  const scenario = new Scenario();
  scenario.snapshotEvery = 10;
  scenario.run({ type: 'ListMarket', specification: market, status: 'open' });
  scenario.price(price);
  for (const account of [1, 2] as AccountOrdinal[]) {
    scenario.run({ type: 'OpenAccount', label: '', partyId: 'party', digestSeed: 1 });
    scenario.run({ type: 'CreditCash', account, amountAtoms: (2 ** 51) as QuoteAtoms, reference: '' });
  }
  return scenario;
}

/** Account 1 buys maximum orders from account 2 until one is refused. Returns the refusal and the number of orders. */
function buyAll(scenario: Scenario, price: number, leverageX: number): { readonly orders: number; readonly end: string } {
  const { maxQuantityAtoms } = scenario.venue.state.markets[1]!.specification;
  for (let orders = 0; orders < 2 * MAX_POSITION_ORDERS; orders += 1) {
    const end =
      refusalCode(scenario.limit(2, 'sell', price, maxQuantityAtoms)) ??
      refusalCode(scenario.limit(1, 'buy', price, maxQuantityAtoms, { leverageX }));
    if (end !== undefined) return { orders, end };
  }
  throw new Error(`no order was refused after ${2 * MAX_POSITION_ORDERS} maximum orders: expected a position limit`);
}

test('throws at no price with the largest position in any permitted market', () => {
  const prices = fc.array(fc.constantFrom('lowest', 'highest', 'start', 'middle'), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      specification,
      fc.constantFrom('lowest', 'highest', 'middle'),
      prices,
      fc.boolean(),
      (market, from, to, isBold) => {
        const { minPriceAtoms, maxPriceAtoms, maxLeverageX } = market;
        const places = { lowest: minPriceAtoms, highest: maxPriceAtoms, middle: Math.ceil((minPriceAtoms + maxPriceAtoms) / 2) };
        const start: number = places[from as 'lowest'];
        const scenario = rich(market, start);
        buyAll(scenario, start, isBold ? maxLeverageX : 1);
        for (const place of to) {
          scenario.wait(3_600_000);
          scenario.jump(place === 'start' ? start : places[place as 'lowest']);
          scenario.run({ type: 'AdvanceMarket', market: BTC });
          scenario.market(1, 'sell', market.maxQuantityAtoms);
        }
      },
    ),
    { numRuns: RUNS },
  );
});

test('limits a position of cheap lots by quantity, so that the highest price stays exact', () => {
  const market: MarketSpecification = {
    ...SCENARIO_MARKET,
    maxPriceAtoms: 10_000_000 as never,
    maxQuantityAtoms: 500_000 as never,
    maxIndexJumpBps: 10_000 as never,
  };
  const scenario = rich(market, 1);
  expect(buyAll(scenario, 1, 20)).toEqual({ orders: MAX_POSITION_ORDERS, end: 'position_limit' });
  const { base } = holdingsOf(scenario.venue.state, 1);
  expect(base).toBe(MAX_POSITION_ORDERS * 500_000);
  // 4 million lots: worth 400 USD.E at 0.1 and 4 billion at 1,000,000.0.
  const events = scenario.jump(10_000_000);
  expect(typesOf(events)).toContain('LiquidationStarted');
  expect(only(events, 'LiquidationStarted')).toMatchObject([
    { account: 2, equityAtoms: 400_000_000 + 20_000_000 - 4 * 10 ** 15 },
  ]);
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(0);
});
