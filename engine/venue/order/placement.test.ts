import { expect, test } from 'vitest';
import { BTC, FINE_MARKET, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';

/** The index is 1,000.0 (10,000 ticks); a lot of 0.001 at a tick of 0.1 is 100 money atoms; accounts hold 10,000 USD.E. */
const UNIT = 1_000;

function types(events: readonly VenueEvent[]): string[] {
  return events.map((event) => event.type);
}

function only<Type extends VenueEvent['type']>(events: readonly VenueEvent[], type: Type): Extract<VenueEvent, { type: Type }>[] {
  return events.filter((event) => event.type === type) as Extract<VenueEvent, { type: Type }>[];
}

function account(scenario: Scenario, ordinal: number) {
  const it = scenario.venue.state.account(ordinal as AccountOrdinal)!;
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = it.holdingIn(BTC);
  return {
    cash: it.cashAtoms,
    reserved: it.reservedAtoms,
    base: signedBaseAtoms,
    entry: entryNotionalAtoms,
    margin: marginAtoms,
  };
}

test('rests a limit order that crosses nothing, and reserves its margin and fee', () => {
  const scenario = Scenario.withAccounts(1);
  const events = scenario.limit(1, 'buy', 9_900, UNIT);
  expect(types(events)).toEqual(['OrderAccepted', 'OrderRested']);
  // 990 USD.E: 5 % margin is 49.5, 5 bps of fee 0.495.
  expect(only(events, 'OrderRested')[0]).toMatchObject({
    order: 1,
    priceAtoms: 9_900,
    remainingAtoms: UNIT,
    accountReservedAtoms: 49_995_000,
  });
});

test('fills a market order at the resting prices in price-time priority', () => {
  const scenario = Scenario.withAccounts(4);
  scenario.limit(1, 'sell', 10_010, 300);
  scenario.limit(2, 'sell', 10_000, 200);
  scenario.limit(3, 'sell', 10_000, 400);
  const events = scenario.market(4, 'buy', 700);
  expect(only(events, 'TradeExecuted').map((trade) => [trade.priceAtoms, trade.quantityAtoms])).toEqual([
    [10_000, 200],
    [10_000, 400],
    [10_010, 100],
  ]);
  expect(only(events, 'OrderFilled').map((fill) => [fill.account, fill.liquidity, fill.remainingAtoms, fill.isComplete])).toEqual(
    [
      [2, 'maker', 0, true],
      [4, 'taker', 500, false],
      [3, 'maker', 0, true],
      [4, 'taker', 100, false],
      [1, 'maker', 200, false],
      [4, 'taker', 0, true],
    ],
  );
});

test('takes margin and fee from cash when a position opens, and returns margin and PnL when it closes', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  // 1,000 USD.E: margin 50, taker fee 0.5, maker fee 0.2.
  expect(account(scenario, 2)).toEqual({
    cash: 9_949_500_000,
    reserved: 0,
    base: UNIT,
    entry: 1_000_000_000,
    margin: 50_000_000,
  });
  expect(account(scenario, 1)).toEqual({
    cash: 9_949_800_000,
    reserved: 0,
    base: -UNIT,
    entry: 1_000_000_000,
    margin: 50_000_000,
  });
  scenario.limit(1, 'buy', 10_100, UNIT);
  const events = scenario.market(2, 'sell', UNIT);
  expect(
    only(events, 'CashPosted')
      .filter((posting) => posting.account === 2)
      .map((posting) => [posting.kind, posting.amountAtoms]),
  ).toEqual([
    ['margin_release', 50_000_000],
    ['realized_pnl', 10_000_000],
    ['trade_fee', -505_000],
  ]);
  expect(account(scenario, 2)).toEqual({ cash: 10_008_995_000, reserved: 0, base: 0, entry: 0, margin: 0 });
  expect(account(scenario, 1).cash).toBe(9_949_800_000 + 50_000_000 - 10_000_000 - 202_000);
});

test('closes one episode and opens the next on the other side when a fill exceeds the position', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  scenario.limit(1, 'buy', 10_000, 3 * UNIT);
  const events = scenario.market(2, 'sell', 3 * UNIT);
  expect(only(events, 'PositionChanged').filter((change) => change.account === 2)).toMatchObject([
    { position: 2, signedBaseAtoms: 0, entryNotionalAtoms: 0, marginAtoms: 0, changedBaseAtoms: -UNIT, feeAtoms: 500_000 },
    { position: 4, signedBaseAtoms: -2 * UNIT, entryNotionalAtoms: 2_000_000_000, marginAtoms: 100_000_000, feeAtoms: 1_000_000 },
  ]);
});

test('buys whole lots for the notional of an order by notional', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, 500);
  scenario.limit(1, 'sell', 10_500, 500);
  const events = scenario.marketFor(2, 'buy', 700_000_000);
  expect(only(events, 'TradeExecuted').map((trade) => [trade.quantityAtoms, trade.notionalAtoms])).toEqual([
    [500, 500_000_000],
    [190, 199_500_000],
  ]);
  expect(only(events, 'OrderFilled').at(-1)).toMatchObject({ account: 2, remainingAtoms: 0, isComplete: true });
  expect(scenario.marketFor(2, 'buy', 1_000)).toMatchObject([
    { type: 'CommandRefused', code: 'notional_too_small', bound: 1_050_000 },
  ]);
});

test('cancels what a market order cannot fill, with the reason', () => {
  const scenario = Scenario.withAccounts(2);
  expect(only(scenario.market(2, 'buy', 5), 'OrderCancelled')).toMatchObject([
    { reason: 'no_liquidity', wasResting: false, remainingAtoms: 5 },
  ]);
  scenario.limit(1, 'sell', 10_000, 5);
  scenario.limit(1, 'sell', 11_001, 5);
  expect(only(scenario.market(2, 'buy', 10), 'OrderCancelled')).toMatchObject([{ reason: 'price_band', remainingAtoms: 5 }]);
});

test('cancels the resting order of a self-trade first, and makes its reservation available', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_010, UNIT);
  // An ask of account 2 reserves almost all of its cash; buying through the ask needs that cash.
  scenario.limit(2, 'sell', 10_000, 195_000);
  const events = scenario.limit(2, 'buy', 10_010, 150_000);
  expect(types(events).slice(0, 3)).toEqual(['OrderAccepted', 'OrderCancelled', 'TradeExecuted']);
  expect(only(events, 'OrderCancelled')).toMatchObject([{ order: 2, reason: 'self_trade', wasResting: true }]);
  expect(only(events, 'OrderRested')).toMatchObject([{ remainingAtoms: 149_000 }]);
});

test('rests or refuses a post-only order', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT);
  expect(scenario.limit(2, 'buy', 10_000, 1, { postOnly: true })).toMatchObject([
    { code: 'post_only_would_cross', bound: 10_000 },
  ]);
  expect(types(scenario.limit(2, 'buy', 9_999, 1, { postOnly: true }))).toEqual(['OrderAccepted', 'OrderRested']);
});

test('closes at most the position with a reduce-only order, and reserves nothing', () => {
  const scenario = Scenario.withAccounts(2);
  expect(scenario.limit(2, 'sell', 10_000, 1, { reduceOnly: true })).toMatchObject([{ code: 'reduce_only_would_increase' }]);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  scenario.limit(1, 'buy', 9_990, 5 * UNIT);
  const events = scenario.market(2, 'sell', 3 * UNIT, { reduceOnly: true });
  expect(only(events, 'TradeExecuted').map((trade) => trade.quantityAtoms)).toEqual([UNIT]);
  expect(only(events, 'OrderCancelled')).toMatchObject([{ account: 2, reason: 'reduce_only', remainingAtoms: 2 * UNIT }]);
  expect(account(scenario, 2)).toMatchObject({ base: 0, reserved: 0 });
});

test('fills resting reduce-only orders up to the position, then cancels the rest', () => {
  const scenario = Scenario.withAccounts(3);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  scenario.limit(2, 'sell', 10_020, 600);
  scenario.limit(2, 'sell', 10_030, 800, { reduceOnly: true });
  scenario.limit(2, 'sell', 10_040, 800, { reduceOnly: true });
  expect(account(scenario, 2).reserved).toBe(Math.ceil(601_200_000 * 0.05) + 300_600);
  // The second one is cut to what the first one leaves of the position: 200.
  const events = scenario.limit(3, 'buy', 10_050, 2_000);
  expect(only(events, 'TradeExecuted').map((trade) => [trade.priceAtoms, trade.quantityAtoms])).toEqual([
    [10_020, 600],
    [10_030, 400],
  ]);
  expect(only(events, 'OrderCancelled')).toMatchObject([
    { order: 5, reason: 'reduce_only', remainingAtoms: 200 },
    { order: 4, reason: 'reduce_only', remainingAtoms: 400 },
  ]);
  expect(only(events, 'OrderRested')).toMatchObject([{ account: 3, remainingAtoms: 1_000 }]);
});

test('refuses an order that exceeds the available cash by one lot', () => {
  const scenario = Scenario.withAccounts(1);
  // 10,000 USD.E at 5 % and 5 bps carry 198,019.80 USD.E of notional: 198.019 lots of 1,000.0.
  expect(scenario.limit(1, 'buy', 10_000, 198_020)).toMatchObject([{ code: 'insufficient_margin', bound: 10_000 }]);
  expect(types(scenario.limit(1, 'buy', 10_000, 198_019))).toEqual(['OrderAccepted', 'OrderRested']);
  expect(scenario.limit(1, 'buy', 10_000, 1)).toMatchObject([{ code: 'insufficient_margin' }]);
});

test('refuses an order that lacks one atom, and charges a taker for its actual fills', () => {
  // 7 lots at 1,000.1 cost 70,007 atoms: 3,501 of margin and 36 reserved for the fee, of which a taker pays 35.
  const resting = (deposit: number) => {
    const scenario = Scenario.withAccounts(1, FINE_MARKET, deposit);
    scenario.price(10_001);
    return scenario.limit(1, 'buy', 10_001, 7);
  };
  expect(resting(3_536)).toMatchObject([{ code: 'insufficient_margin', bound: 1 }]);
  expect(types(resting(3_537))).toEqual(['OrderAccepted', 'OrderRested']);
  const taking = (deposit: number) => {
    const scenario = Scenario.withAccounts(2, FINE_MARKET, deposit);
    scenario.price(10_001);
    scenario.run({ type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: 1_000_000 as QuoteAtoms, reference: 'test' });
    scenario.limit(1, 'sell', 10_001, 7);
    return scenario.market(2, 'buy', 7);
  };
  expect(taking(3_535)).toMatchObject([{ code: 'insufficient_margin', bound: 1 }]);
  expect(only(taking(3_536), 'TradeExecuted')).toHaveLength(1);
});

test('locks no more than the reservation of a resting order when each fill alone would round up', () => {
  // 14 lots at 1,000.1: 7,001 of margin and 71 for fees are all that account 1 has.
  const market = { ...FINE_MARKET, makerFeeBps: FINE_MARKET.takerFeeBps };
  const scenario = Scenario.withAccounts(2, market, 7_072);
  scenario.price(10_001);
  scenario.limit(1, 'sell', 10_001, 14);
  scenario.market(2, 'buy', 7);
  expect(account(scenario, 1)).toMatchObject({ margin: 3_500, cash: 3_537, reserved: 3_537 });
  scenario.market(2, 'buy', 7);
  expect(account(scenario, 1)).toMatchObject({ margin: 7_001, cash: 1, reserved: 0 });
  expect(scenario.venue.state.ledgers.deficit).toBe(0);
});

test('pays the fee of a close from its proceeds, not from the reservations of other orders', () => {
  const scenario = Scenario.withAccounts(3);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  scenario.limit(3, 'buy', 9_505, UNIT);
  // An order far from the mark reserves all cash of account 2 except the last 100,000 atoms.
  scenario.limit(2, 'buy', 9_000, 218_904);
  const reserved = account(scenario, 2).reserved;
  const available = 9_949_500_000 - reserved;
  const events = scenario.market(2, 'sell', UNIT, { reduceOnly: true });
  // 50 of margin less 49.5 of loss leave 0.5, of which 0.47525 is the fee.
  expect(account(scenario, 2)).toMatchObject({ cash: reserved + available + 500_000 - 475_250, reserved });
  expect(only(events, 'LedgerPosted')).toMatchObject([{ ledger: 'fees' }, { ledger: 'fees' }]);
});

test('stops a close at the price at which the position can still pay loss and fee', () => {
  const scenario = Scenario.withAccounts(3);
  scenario.limit(1, 'sell', 10_000, 2 * UNIT);
  scenario.market(2, 'buy', 2 * UNIT);
  scenario.limit(3, 'buy', 9_504, UNIT);
  scenario.limit(3, 'buy', 9_505, UNIT);
  // At 950.5 half of it has 0.5 left to pay 0.47525; at 950.4 it would have 0.4 to pay 0.4752.
  const events = scenario.market(2, 'sell', 2 * UNIT);
  expect(only(events, 'TradeExecuted')).toMatchObject([{ priceAtoms: 9_505, quantityAtoms: UNIT }]);
  expect(only(events, 'OrderCancelled')).toMatchObject([{ reason: 'bankruptcy_price', remainingAtoms: UNIT }]);
  expect(types(scenario.limit(2, 'sell', 9_400, UNIT))).toEqual(['OrderAccepted', 'OrderCancelled']);
  expect(account(scenario, 2)).toMatchObject({ base: UNIT, margin: 50_000_000 });
});

test('reserves and locks more margin at a lower leverage', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT, { leverageX: 2 });
  expect(account(scenario, 1).reserved).toBe(500_500_000);
  scenario.market(2, 'buy', UNIT, { leverageX: 4 });
  expect([account(scenario, 1).margin, account(scenario, 2).margin]).toEqual([500_000_000, 250_000_000]);
  expect(scenario.market(2, 'buy', 1, { leverageX: 21 })).toMatchObject([{ code: 'leverage_too_high', bound: 20 }]);
});

test('accepts an order that only closes at any available cash', () => {
  const scenario = Scenario.withAccounts(3);
  scenario.limit(1, 'sell', 10_000, 190_000);
  scenario.market(2, 'buy', 190_000);
  scenario.limit(2, 'buy', 9_100, 4_000);
  scenario.limit(3, 'buy', 9_700, 190_000);
  const events = scenario.market(2, 'sell', 190_000);
  expect(only(events, 'OrderFilled').at(-1)).toMatchObject({ account: 2, isComplete: true, realizedPnlAtoms: -5_700_000_000 });
});

test('refuses with the right code and changes nothing', () => {
  const scenario = Scenario.withAccounts(2);
  const before = scenario.venue.snapshot();
  const refusals: [string, VenueEvent[]][] = [
    ['account_not_found', scenario.limit(9, 'buy', 9_900, 1)],
    ['market_not_found', scenario.limit(1, 'buy', 9_900, 1, { market: 7 as typeof BTC })],
    ['quantity_out_of_bounds', scenario.limit(1, 'buy', 9_900, 500_001)],
    ['price_out_of_bounds', scenario.limit(1, 'sell', 10_000_001, 1)],
    ['price_out_of_band', scenario.limit(1, 'buy', 11_001, 1)],
    ['price_out_of_band', scenario.limit(1, 'sell', 8_999, 1)],
    ['order_not_found', scenario.cancel(1, 1)],
  ];
  for (const [code, events] of refusals) expect(events).toMatchObject([{ type: 'CommandRefused', code }]);
  expect(scenario.venue.snapshot()).toEqual(before);
});

test('refuses a client order id of an earlier order, even if that was cancelled', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'buy', 9_900, 1, { clientOrderId: 'mine' });
  scenario.cancel(1, 1);
  expect(scenario.limit(1, 'buy', 9_900, 1, { clientOrderId: 'mine' })).toMatchObject([
    { code: 'duplicate_client_order_id', order: 1 },
  ]);
  expect(types(scenario.limit(2, 'buy', 9_900, 1, { clientOrderId: 'mine' }))).toEqual(['OrderAccepted', 'OrderRested']);
});

test("refuses a cancel of another account's order or of a cancelled order", () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'buy', 9_900, 1);
  expect(scenario.cancel(2, 1)).toMatchObject([{ code: 'order_not_found' }]);
  expect(scenario.cancel(1, 1)).toMatchObject([
    { type: 'OrderCancelled', reason: 'user', wasResting: true, accountReservedAtoms: 0 },
  ]);
  expect(scenario.cancel(1, 1)).toMatchObject([{ code: 'order_not_open' }]);
});

test('refuses orders when the market is not open or the account has no party', () => {
  const scenario = Scenario.withAccounts(1);
  scenario.limit(1, 'buy', 9_900, 1);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  expect(scenario.limit(1, 'buy', 9_900, 1)).toMatchObject([{ code: 'market_not_open' }]);
  expect(scenario.cancel(1, 1)).toMatchObject([{ type: 'OrderCancelled' }]);
  scenario.run({ type: 'OpenAccount', label: 'unbound', partyId: '', digestSeed: 7 });
  expect(scenario.limit(2, 'buy', 9_900, 1)).toMatchObject([{ code: 'account_not_enabled' }]);
});

test('limits the number of orders that one order meets', () => {
  const scenario = Scenario.withAccounts(4);
  scenario.snapshotEvery = 500;
  for (let count = 0; count < 1_200; count += 1) scenario.limit(1 + (count % 3), 'sell', 10_000, 1);
  const events = scenario.limit(4, 'buy', 10_000, 1_200);
  expect(only(events, 'TradeExecuted')).toHaveLength(1_000);
  expect(only(events, 'OrderCancelled')).toMatchObject([{ account: 4, reason: 'fill_limit', remainingAtoms: 200 }]);
});

test('leaves no loss to the venue when two accounts trade far from the mark', () => {
  const scenario = Scenario.withAccounts(2);
  // At 10 % above the mark a long for 1,100 opens with a loss of 100: it must lock that besides its margin of 55.
  scenario.limit(1, 'sell', 11_000, 100 * UNIT);
  expect(scenario.market(2, 'buy', 100 * UNIT)).toMatchObject([{ code: 'insufficient_margin' }]);
  scenario.market(2, 'buy', 10 * UNIT);
  expect(account(scenario, 2).margin).toBe(10 * 155_000_000);
  // The same for an order that rests behind the mark.
  expect(only(scenario.limit(2, 'sell', 9_500, 20 * UNIT), 'OrderRested')[0]).toMatchObject({
    accountReservedAtoms: 20 * (47_500_000 + 50_000_000 + 475_000),
  });
  scenario.limit(1, 'buy', 9_500, 20 * UNIT);
  expect(scenario.venue.state.ledgers.deficit).toBe(0);
});

test('pays the maker rebate out of the fees', () => {
  const scenario = Scenario.withAccounts(2, { ...FINE_MARKET, makerFeeBps: -2 as Bps });
  scenario.limit(1, 'sell', 10_000, UNIT);
  const events = scenario.market(2, 'buy', UNIT);
  expect(only(events, 'OrderFilled').map((fill) => fill.feeAtoms)).toEqual([-2_000, 5_000]);
  expect(scenario.venue.state.ledgers.fees).toBe(3_000);
});

test('bounds the exposure of a position and the orders that may enlarge it', () => {
  const scenario = Scenario.withAccounts(1, SCENARIO_MARKET, 2 ** 51);
  scenario.jump(9_000_000);
  // 450 million of at most 562 million.
  scenario.limit(1, 'buy', 9_000_000, 500_000);
  expect(scenario.limit(1, 'buy', 9_000_000, 150_000)).toMatchObject([{ code: 'exposure_limit', bound: 2 ** 49 }]);
  expect(types(scenario.limit(1, 'buy', 9_000_000, 120_000))).toEqual(['OrderAccepted', 'OrderRested']);
});

test('limits the number of reduce-only orders', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.market(2, 'buy', UNIT);
  for (let count = 0; count < 20; count += 1) scenario.limit(2, 'sell', 10_010, 1, { reduceOnly: true });
  expect(scenario.limit(2, 'sell', 10_010, 1, { reduceOnly: true })).toMatchObject([{ code: 'too_many_open_orders', bound: 20 }]);
});
