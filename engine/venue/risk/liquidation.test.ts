import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import {
  cancelsOf,
  holdingsOf,
  ledgerMovesOf,
  only,
  postingsOf,
  refusalCode,
  tradesOf,
  typesOf,
  withdrawAvailable,
} from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';
import { tier } from './testing/exposures.ts';

/** One BTC. At 1,000.0 and 20 × its margin is 50 USD.E: below the maintenance of 2.5 % from 974.3, equity zero at 950.0. */
const UNIT = 1_000;
const DUE = 9_743;
/** From here on the book may close it down to its bankruptcy price. Half of the maintenance is lost at 962.0. */
const WHOLE_WAY = 9_636;

/** Account 1 is long 1 BTC from 1,000.0 (position 2, order 2). Account 2 is short at leverage 2 (position 1, order 1). */
function oneLong(specification: MarketSpecification = SMALL_MARKET, accounts = 4): Scenario {
  const scenario = snapshotScenario(accounts, specification);
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  return scenario;
}

function insure(scenario: Scenario, amountAtoms: number): void {
  scenario.run({ type: 'CreditInsurance', amountAtoms: amountAtoms as QuoteAtoms, reference: 'test' });
}

test('liquidates a position when the mark reaches its liquidation price, not one tick before', () => {
  const scenario = oneLong();
  expect(typesOf(scenario.price(DUE + 1))).toEqual(['MarketPriced']);
  expect(only(scenario.price(DUE), 'LiquidationStarted')).toMatchObject([
    {
      position: 2,
      account: 1,
      markPriceAtoms: DUE,
      equityAtoms: 24_300_000,
      maintenanceRequirementAtoms: 24_357_500,
      bankruptcyPriceAtoms: 9_500,
    },
  ]);
});

test('liquidates any size, leverage and side at the tick that plain arithmetic finds', () => {
  const specification: MarketSpecification = {
    ...SMALL_MARKET,
    maintenanceMarginTiers: [tier(0, 250), tier(3_000_000_000, 300), tier(20_000_000_000, 450)],
  };
  /** The maintenance margin of a notional in ten-thousandths of an atom: each tier's rate on the part within the tier. */
  const requirement = (notional: number) =>
    Math.min(notional, 3e9) * 250 + Math.max(0, Math.min(notional, 20e9) - 3e9) * 300 + Math.max(0, notional - 20e9) * 450;
  const start = fc.record({
    isLong: fc.boolean(),
    quantity: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 40_000 })),
    leverageX: fc.integer({ min: 2, max: 20 }),
  });
  fc.assert(
    fc.property(start, ({ isLong, quantity, leverageX }) => {
      const scenario = quickScenario(2, specification);
      scenario.limit(2, isLong ? 'sell' : 'buy', 10_000, quantity, { leverageX: 1 });
      const opened = scenario.market(1, isLong ? 'buy' : 'sell', quantity, { leverageX });
      fc.pre(refusalCode(opened) === undefined && holdingsOf(scenario.venue.state, 1).base !== 0);
      const { margin } = holdingsOf(scenario.venue.state, 1);
      let due = 10_000;
      const isHealthy = (price: number) =>
        (margin + (isLong ? price - 10_000 : 10_000 - price) * quantity * 100) * 10_000 >= requirement(price * quantity * 100);
      while (isHealthy(due)) due += isLong ? -1 : 1;
      expect(only(scenario.jump(isLong ? due + 1 : due - 1), 'LiquidationStarted')).toEqual([]);
      expect(only(scenario.price(due), 'LiquidationStarted')).toMatchObject([{ account: 1, markPriceAtoms: due }]);
    }),
    { numRuns: 100 },
  );
});

test('closes in the book, pays trade fee and liquidation fee, and returns the rest of the margin', () => {
  const scenario = oneLong();
  scenario.limit(3, 'buy', 9_720, UNIT);
  const events = scenario.price(DUE);
  expect(typesOf(events).slice(0, 4)).toEqual(['MarketPriced', 'LiquidationStarted', 'OrderAccepted', 'TradeExecuted']);
  expect(only(events, 'OrderAccepted')).toMatchObject([
    { order: 4, account: 1, origin: 'liquidation', side: 'sell', clientOrderId: '', reduceOnly: true },
  ]);
  expect(only(events, 'TradeExecuted')).toMatchObject([{ origin: 'liquidation', priceAtoms: 9_720, takerSide: 'sell' }]);
  // It loses 28 of 50, pays 5 bps and 1 % of 972, and receives 11.794.
  expect(postingsOf(events, 1)).toEqual([
    ['margin_release', 50_000_000],
    ['realized_pnl', -28_000_000],
    ['trade_fee', -486_000],
    ['liquidation_fee', -9_720_000],
  ]);
  expect(ledgerMovesOf(events, 'insurance')).toEqual([9_720_000]);
  expect(only(events, 'PositionChanged')).toMatchObject([
    { account: 3, cause: 'client', signedBaseAtoms: UNIT },
    { account: 1, position: 2, cause: 'liquidation', signedBaseAtoms: 0, realizedPnlAtoms: -28_000_000, feeAtoms: 10_206_000 },
  ]);
  expect(holdingsOf(scenario.venue.state, 1)).toEqual({ cash: 9_961_294_000, reserved: 0, base: 0, entry: 0, margin: 0 });
});

test('closes a short against the asks', () => {
  const scenario = snapshotScenario(3);
  scenario.limit(2, 'buy', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'sell', UNIT);
  scenario.limit(3, 'sell', 10_270, UNIT);
  expect(typesOf(scenario.price(10_243))).toEqual(['MarketPriced']);
  const events = scenario.price(10_244);
  expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1, bankruptcyPriceAtoms: 10_500 }]);
  expect(tradesOf(events)).toEqual([[10_270, UNIT]]);
  expect(ledgerMovesOf(events, 'insurance')).toEqual([10_270_000]);
});

test('limits the fees to the gain above the bankruptcy price', () => {
  const feesAt = (bid: number) => {
    const scenario = oneLong();
    scenario.limit(3, 'buy', bid, UNIT);
    const events = scenario.price(WHOLE_WAY);
    expect(tradesOf(events)).toEqual([[bid, UNIT]]);
    return postingsOf(events, 1).filter(([kind]) => kind.endsWith('fee'));
  };
  expect(feesAt(9_500)).toEqual([]);
  expect(feesAt(9_501)).toEqual([['trade_fee', -100_000]]);
  expect(feesAt(9_520)).toEqual([
    ['trade_fee', -476_000],
    ['liquidation_fee', -1_524_000],
  ]);
});

test('charges the liquidation fee by fill, and carries what a fill cannot pay to the next one', () => {
  const scenario = oneLong();
  scenario.limit(3, 'buy', 9_520, 400);
  expect(postingsOf(scenario.price(WHOLE_WAY), 1).filter(([kind]) => kind.endsWith('fee'))).toEqual([
    // 380.8 at 5 bps and 1 %, of a gain of 0.8: the fee of 3.808 stays unpaid, except for 0.6096.
    ['trade_fee', -190_400],
    ['liquidation_fee', -609_600],
  ]);
  // The rest waits above the bid. What it closes later pays for both fills: 3.808 - 0.6096 and 5.814.
  scenario.limit(3, 'buy', 9_690, 600);
  expect(postingsOf(scenario.price(WHOLE_WAY), 1)).toEqual([
    ['margin_release', 30_000_000],
    ['realized_pnl', -18_600_000],
    ['trade_fee', -290_700],
    ['liquidation_fee', -9_012_400],
  ]);
  expect(scenario.venue.state.ledgers.insurance).toBe(3_808_000 + 5_814_000);
});

test('releases with the last fill of an order what a healthy rest does not need', () => {
  const scenario = oneLong();
  scenario.limit(3, 'buy', 9_740, 999);
  const events = scenario.price(DUE);
  // The rest of 0.001 BTC keeps 5 % of 0.9743: margin of 0.074415 less 0.0257 unrealized.
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 1, entry: 1_000_000, margin: 48_715 + 25_700 });
  expect(postingsOf(events, 1).map(([kind]) => kind)).toEqual(['margin_release', 'realized_pnl', 'trade_fee', 'liquidation_fee']);
  expect(typesOf(scenario.price(DUE))).toEqual(['MarketPriced']);
});

test('keeps all margin in a rest that is due again', () => {
  const scenario = oneLong();
  scenario.limit(3, 'buy', 9_510, 999);
  scenario.price(WHOLE_WAY);
  // The fees take the whole gain of 0.999; the rest keeps its 0.05, which is less than its initial margin of 0.0487 after the loss.
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 1, margin: 50_000 });
});

test('pays fills beyond the bankruptcy price from a tenth of the insurance fund per day, then deleverages', () => {
  const scenario = oneLong();
  insure(scenario, 24_000_000);
  scenario.limit(3, 'buy', 9_460, UNIT);
  // 946 is 4 below the bankruptcy price: 2.4 of the fund cover 0.6 BTC. The other 0.4 BTC are closed against account 2.
  const events = scenario.price(9_460);
  expect(only(events, 'TradeExecuted')).toMatchObject([
    { origin: 'liquidation', priceAtoms: 9_460, quantityAtoms: 600 },
    { origin: 'auto_deleveraging', priceAtoms: 9_500, quantityAtoms: 400 },
  ]);
  expect(postingsOf(events, 1).filter(([kind]) => kind === 'insurance_cover')).toEqual([['insurance_cover', 2_400_000]]);
  expect(scenario.venue.state.ledgers).toMatchObject({ insurance: 21_600_000, deficit: 0 });
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ cash: 9_949_500_000, base: 0, margin: 0 });
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(-600);
  expect(cancelsOf(events)).toEqual([[4, 'liquidation']]);
});

test('uses the gains of better fills before the fund', () => {
  const scenario = (insurance: number) => {
    const it = oneLong({ ...SMALL_MARKET, liquidationFeeBps: 0 as Bps });
    if (insurance > 0) insure(it, insurance);
    it.limit(3, 'buy', 9_600, 500, { leverageX: 1 });
    it.limit(3, 'buy', 9_400, 500);
    return it.price(9_400);
  };
  // 0.5 at 960 lose 20 and pay 0.24: 29.76 back the other half down to 940.48. At 940.0 the shortfall is 0.24, 480 atoms per lot.
  expect(tradesOf(scenario(2_400_000))).toEqual([
    [9_600, 500],
    [9_400, 500],
  ]);
  // The last lot is closed against account 2, at the tick at which it has no shortfall.
  expect(tradesOf(scenario(2_399_999))).toEqual([
    [9_600, 500],
    [9_400, 499],
    [9_405, 1],
  ]);
  expect(tradesOf(scenario(0))).toEqual([
    [9_600, 500],
    [9_405, 500],
  ]);
});

test('books to the deficit ledger what the fund lacks without deleveraging', () => {
  const scenario = oneLong({ ...SMALL_MARKET, autoDeleveraging: false });
  insure(scenario, 3_000_000);
  scenario.limit(3, 'buy', 9_400, UNIT);
  const events = scenario.price(9_440);
  expect(tradesOf(events)).toEqual([[9_400, UNIT]]);
  expect(postingsOf(events, 1)).toEqual([
    ['margin_release', 50_000_000],
    ['insurance_cover', 3_000_000],
    ['deficit_cover', 7_000_000],
    ['realized_pnl', -60_000_000],
  ]);
  expect(scenario.venue.state.ledgers).toMatchObject({ insurance: 0, deficit: -7_000_000 });
});

test('fills no further than the mark beyond the bankruptcy price, and deleverages the rest', () => {
  const scenario = oneLong();
  insure(scenario, 1_000_000_000);
  scenario.limit(3, 'buy', 9_490, 400);
  scenario.limit(3, 'buy', 9_489, 600);
  expect(tradesOf(scenario.price(9_490))).toEqual([
    [9_490, 400],
    [9_500, 600],
  ]);
  // The shortfall of 0.4 BTC is 1 per BTC.
  expect(scenario.venue.state.ledgers.insurance).toBe(1_000_000_000 - 400_000);
});

test('parks a position without cover or deleveraging when the mark is above its bankruptcy price', () => {
  const scenario = oneLong();
  insure(scenario, 1_000_000_000);
  scenario.limit(3, 'buy', 9_499, UNIT);
  expect(tradesOf(scenario.price(DUE))).toEqual([]);
  expect(typesOf(scenario.price(DUE + 1))).toEqual(['MarketPriced']);
  expect(scenario.venue.state.ledgers.insurance).toBe(1_000_000_000);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: UNIT, margin: 50_000_000 });
  // At 962.1 more than half of the requirement is left.
  expect(tradesOf(scenario.price(9_621))).toEqual([]);
  // Once the mark is at the bid, the fund pays the missing tick.
  expect(tradesOf(scenario.jump(9_499))).toEqual([[9_499, UNIT]]);
  expect(scenario.venue.state.ledgers.insurance).toBe(1_000_000_000 - 100_000);
});

test('limits a maker rebate to the fee that the liquidated position can pay', () => {
  const feesAt = (bid: number) => {
    const scenario = oneLong({ ...SMALL_MARKET, makerFeeBps: -5 as Bps });
    scenario.limit(3, 'buy', bid, UNIT);
    const events = scenario.price(WHOLE_WAY);
    expect(tradesOf(events)).toEqual([[bid, UNIT]]);
    return only(events, 'OrderFilled').map(({ feeAtoms }) => feeAtoms);
  };
  expect(feesAt(9_700)).toEqual([-485_000, 485_000]);
  // It pays 0 at its bankruptcy price, and 0.1 one tick above.
  expect(feesAt(9_500)).toEqual([0, 0]);
  expect(feesAt(9_501)).toEqual([-100_000, 100_000]);
});

test('cancels the account’s orders in that market first, newest first, and no other orders', () => {
  const scenario = oneLong();
  const ETH = 2 as MarketOrdinal;
  scenario.run({ type: 'ListMarket', specification: { ...SMALL_MARKET, marketId: 'ETH-USD-PERP' }, status: 'open' });
  scenario.price(10_000, ETH);
  scenario.limit(1, 'buy', 9_600, 5);
  scenario.limit(1, 'sell', 10_400, 5);
  scenario.limit(1, 'sell', 10_500, 5, { reduceOnly: true });
  scenario.limit(1, 'buy', 9_600, 5, { market: ETH });
  scenario.limit(3, 'buy', 9_550, UNIT);
  // Its own quotes raise the mark by 0.5 % over the index.
  const events = scenario.price(9_650);
  expect(typesOf(events).slice(0, 6)).toEqual([
    ...['MarketPriced', 'LiquidationStarted', 'OrderCancelled', 'OrderCancelled', 'OrderCancelled', 'OrderAccepted'],
  ]);
  expect(cancelsOf(events)).toEqual([
    [5, 'liquidation'],
    [4, 'liquidation'],
    [3, 'liquidation'],
  ]);
  expect(scenario.venue.state.account(1 as AccountOrdinal)!.openOrders).toBe(1);
  expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(Math.ceil(4_800_000 * 0.05) + 2_400);
});

test('cancels unbacked and idle reduce-only makers as for any taker', () => {
  const scenario = oneLong();
  scenario.limit(4, 'buy', 9_990, 500, { leverageX: 2 });
  scenario.market(3, 'sell', 500, { leverageX: 2 });
  scenario.limit(3, 'buy', 9_755, 150, { leverageX: 2 });
  scenario.limit(3, 'buy', 9_750, 300, { reduceOnly: true });
  scenario.limit(3, 'buy', 9_740, 100, { reduceOnly: true });
  scenario.limit(3, 'buy', 9_730, 100, { reduceOnly: true });
  // Account 4 bids with 20 × at a price that will be 45 above the mark, and has no cash to top the margin up.
  scenario.limit(4, 'buy', 9_950, 100);
  withdrawAvailable(scenario, 4);
  const events = scenario.price(9_500);
  expect(cancelsOf(events)).toEqual([
    [9, 'margin_unbacked'],
    [8, 'reduce_only'],
    [7, 'reduce_only'],
    [10, 'liquidation'],
  ]);
  expect(tradesOf(events)).toEqual([
    [9_755, 150],
    [9_750, 300],
    // The rest is not bankrupt, so it is parked.
    [9_740, 50],
  ]);
});

test('meets a bounded number of orders per venue order and continues with another in the same turn', () => {
  const scenario = quickScenario(6);
  scenario.limit(2, 'sell', 10_000, 1_200, { leverageX: 2 });
  scenario.market(1, 'buy', 1_200);
  const bids = Array(30).fill(['buy', 9_500, 1] as const);
  for (let count = 0; count < 40; count += 1) scenario.batch(3 + (count % 4), bids);
  const events = scenario.price(WHOLE_WAY);
  expect(only(events, 'LiquidationStarted')).toHaveLength(2);
  expect(cancelsOf(events)).toEqual([[1_203, 'liquidation']]);
  expect(only(events, 'TradeExecuted')).toHaveLength(1_200);
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(0);
});
