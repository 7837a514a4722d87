import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Ppb, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { cancelsOf, holdingsOf, ledgerMovesOf, only, postingsOf, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario, unboundedPremiumScenario } from '#venue/testing/venues.ts';
import { COUNTERPARTIES_PER_TURN } from './auto-deleveraging.ts';

const UNIT = 1_000;

/** The account `long` buys from the account `short`. `leverages` are those of the short and of the long. */
function trade(scenario: Scenario, short: number, long: number, price: number, quantity: number, leverages = [2, 20]): void {
  scenario.limit(short, 'sell', price, quantity, { leverageX: leverages[0]! });
  scenario.market(long, 'buy', quantity, { leverageX: leverages[1]! });
}

/** The deleveraged counterparties in order: `[account, quantity]`. */
function counterparties(events: readonly VenueEvent[], bankrupt: number): [number, number][] {
  return only(events, 'PositionChanged').flatMap(({ account, cause, changedBaseAtoms }) =>
    cause === 'auto_deleveraging' && account !== bankrupt ? [[account, Math.abs(changedBaseAtoms)] as [number, number]] : [],
  );
}

test('closes a bankrupt position at its bankruptcy price against the highest profit × leverage first', () => {
  const scenario = snapshotScenario(6);
  trade(scenario, 2, 1, 10_000, UNIT, [20, 20]);
  trade(scenario, 3, 1, 10_000, 500, [2, 20]);
  trade(scenario, 3, 6, 10_000, 500, [2, 2]);
  // 2 % above the mark: the long's margin must also cover the immediate loss.
  trade(scenario, 4, 1, 10_200, UNIT, [2, 20]);
  // Entry 2,520 and margin 146 for 2.5 BTC: bankrupt below 949.6.
  // At 940 the shorts have profits of 6 %, 6 % and 7.8 % at leverages of 8.5, 1.7 and 1.6.
  const events = scenario.price(9_400);
  expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1, bankruptcyPriceAtoms: 9_496 }]);
  expect(counterparties(events, 1)).toEqual([
    [2, UNIT],
    [4, UNIT],
    [3, 500],
  ]);
  expect(tradesOf(events)).toEqual([
    [9_496, UNIT],
    [9_496, UNIT],
    [9_496, 500],
  ]);
  expect(only(events, 'PositionChanged').map(({ account, realizedPnlAtoms }) => [account, realizedPnlAtoms])).toEqual([
    [1, -58_400_000],
    [2, 50_400_000],
    [1, -58_400_000],
    [4, 70_400_000],
    [1, -29_200_000],
    [3, 25_200_000],
  ]);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 0, margin: 0 });
  expect(scenario.venue.state.ledgers).toMatchObject({ insurance: 0, deficit: 0 });
});

test('emits venue orders for both sides, charges no fees and leaves the last price unchanged', () => {
  const scenario = snapshotScenario(2);
  trade(scenario, 2, 1, 10_000, UNIT);
  const before = scenario.venue.state.ledgers.fees;
  const events = scenario.price(9_400);
  expect(
    only(events, 'OrderAccepted').map(({ account, side, origin, reduceOnly }) => [account, side, origin, reduceOnly]),
  ).toEqual([
    [1, 'sell', 'liquidation', true],
    [1, 'sell', 'auto_deleveraging', true],
    [2, 'buy', 'auto_deleveraging', true],
  ]);
  expect(only(events, 'TradeExecuted')).toMatchObject([{ origin: 'auto_deleveraging', priceAtoms: 9_500, takerSide: 'sell' }]);
  expect(only(events, 'OrderFilled')).toMatchObject([
    { order: 4, account: 1, liquidity: 'taker', feeAtoms: 0, realizedPnlAtoms: -50_000_000, isComplete: true },
    { order: 5, account: 2, liquidity: 'maker', feeAtoms: 0, realizedPnlAtoms: 50_000_000, isComplete: true },
  ]);
  expect(only(events, 'PositionChanged')).toMatchObject([
    { account: 1, cause: 'liquidation', signedBaseAtoms: 0 },
    { account: 2, cause: 'auto_deleveraging', signedBaseAtoms: 0 },
  ]);
  expect(postingsOf(events, 1)).toEqual([
    ['margin_release', 50_000_000],
    ['realized_pnl', -50_000_000],
  ]);
  expect(postingsOf(events, 2)).toEqual([
    ['margin_release', 500_000_000],
    ['realized_pnl', 50_000_000],
  ]);
  expect(scenario.venue.state.ledgers.fees).toBe(before);
  expect(scenario.venue.state.markets[1]!.lastPriceAtoms).toBe(10_000);
});

test('closes what the book leaves at the mark when half of the requirement is lost, not one tick before', () => {
  const scenario = snapshotScenario(4);
  trade(scenario, 2, 1, 10_000, 600);
  trade(scenario, 3, 1, 10_000, 400, [10, 20]);
  const before = holdingsOf(scenario.venue.state, 1).cash;
  // Margin 50, requirement 2.5 % of 962.1: 24.0525. The equity is 12.1, more than half of it.
  expect(tradesOf(scenario.price(9_621))).toEqual([]);
  expect([...scenario.venue.state.market(BTC)!.positions.parked()]).toHaveLength(1);
  scenario.limit(4, 'buy', 9_600, 100, { leverageX: 2 });
  // At 962.0 it is less than half. The parked position is due at once, and both counterparties get the mark.
  const events = scenario.price(9_620);
  expect(counterparties(events, 1)).toEqual([
    [3, 400],
    [2, 500],
  ]);
  expect(tradesOf(events)).toEqual([
    [9_600, 100],
    [9_620, 400],
    [9_620, 500],
  ]);
  expect(only(events, 'OrderFilled').filter(({ account }) => account === 2 || account === 3)).toMatchObject([
    { account: 3, feeAtoms: 0, realizedPnlAtoms: 15_200_000 },
    { account: 2, feeAtoms: 0, realizedPnlAtoms: 19_000_000 },
  ]);
  // The fund gets the liquidation fee of the same close in the book, and pays nothing.
  expect(ledgerMovesOf(events, 'deficit')).toEqual([]);
  const fills = only(events, 'OrderFilled').filter(({ account }) => account === 1);
  expect(fills.map(({ liquidationFeeAtoms }) => liquidationFeeAtoms)).toEqual([952_000, 3_856_000, 4_810_000]);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 0, margin: 0 });
  expect(holdingsOf(scenario.venue.state, 1).cash).toBeGreaterThanOrEqual(before);
});

test('charges a bankrupt position no fee of what its rounded bankruptcy price leaves', () => {
  const scenario = snapshotScenario(4);
  trade(scenario, 2, 1, 10_000, 500, [10, 20]);
  trade(scenario, 3, 1, 10_000, 500, [10, 20]);
  const added = { direction: 'add', amountAtoms: 1_662_366 as QuoteAtoms } as const;
  scenario.run({ type: 'AdjustPositionMargin', account: 1 as AccountOrdinal, market: BTC, ...added });
  const fills = only(scenario.price(9_300), 'OrderFilled').filter(({ account }) => account === 1);
  expect(fills.map(({ liquidationFeeAtoms = 0 }) => liquidationFeeAtoms)).toEqual([0, 0]);
  expect(scenario.venue.state.ledgers).toMatchObject({ insurance: 0, deficit: 0 });
});

test('closes a bankrupt short against longs', () => {
  const scenario = snapshotScenario(3);
  trade(scenario, 1, 2, 10_000, 600, [20, 2]);
  trade(scenario, 1, 3, 10_000, 400, [20, 5]);
  const events = scenario.price(10_600);
  expect(counterparties(events, 1)).toEqual([
    [3, 400],
    [2, 600],
  ]);
  expect(tradesOf(events).map(([price]) => price)).toEqual([10_500, 10_500]);
});

test('orders equal ranks by episode age', () => {
  const scenario = snapshotScenario(4);
  for (const short of [3, 4, 2]) trade(scenario, short, 1, 10_000, 400);
  expect(counterparties(scenario.price(9_400), 1)).toEqual([
    [3, 400],
    [4, 400],
    [2, 400],
  ]);
});

/**
 * Lowers a short's entry and margin to the given amounts and pays the difference to its cash. Commands cannot reach this
 * state except by rounding, because no account may open while another is bankrupt.
 */
function payOut(scenario: Scenario, ordinal: number, entry: number, margin: number): void {
  const { state } = scenario.venue;
  const account = state.account(ordinal as AccountOrdinal)!;
  const position = account.positionIn(BTC);
  account.cashAtoms = (account.cashAtoms + position.entryNotionalAtoms + position.marginAtoms - entry - margin) as QuoteAtoms;
  position.entryNotionalAtoms = entry as QuoteAtoms;
  position.marginAtoms = margin as QuoteAtoms;
  state.market(BTC)!.positions.update(state.market(BTC)!, position);
}

test('skips a counterparty that would be bankrupt at the price', () => {
  const scenario = snapshotScenario(3);
  trade(scenario, 2, 1, 10_000, 400);
  trade(scenario, 3, 1, 10_000, 600);
  // A short of 0.4 BTC from 940.0 with margin 3: at 950.0 it would lose 4, at 940.0 nothing.
  payOut(scenario, 2, 376_000_000, 3_000_000);
  const events = scenario.price(9_400);
  expect(counterparties(events, 1)).toEqual([[3, 600]]);
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(400);
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(-400);
  // The fund is empty: the rest stays parked and emits no events.
  expect(typesOf(scenario.price(9_400))).toEqual(['MarketPriced']);
});

test('closes counterparties that cannot absorb the bankruptcy price at the mark, as far as the fund pays the difference', () => {
  const crash = (insurance: number) => {
    const scenario = snapshotScenario(4);
    if (insurance > 0) scenario.run({ type: 'CreditInsurance', amountAtoms: insurance as QuoteAtoms, reference: 'test' });
    trade(scenario, 2, 1, 10_000, 400);
    trade(scenario, 3, 1, 10_000, 600);
    payOut(scenario, 2, 376_000_000, 3_000_000);
    return { scenario, events: scenario.price(9_400) };
  };
  // At 940.0 the shortfall is 10 per BTC: 0.01 per lot. The market may spend a tenth of the fund.
  const whole = crash(40_000_000);
  expect(tradesOf(whole.events)).toEqual([
    [9_500, 600],
    [9_400, 400],
  ]);
  expect(counterparties(whole.events, 1)).toEqual([
    [3, 600],
    [2, 400],
  ]);
  expect(postingsOf(whole.events, 1).filter(([kind]) => kind === 'insurance_cover')).toEqual([['insurance_cover', 4_000_000]]);
  expect(whole.scenario.venue.state.ledgers).toMatchObject({ insurance: 36_000_000, deficit: 0 });
  expect(holdingsOf(whole.scenario.venue.state, 1)).toMatchObject({ base: 0, margin: 0 });
  expect(holdingsOf(whole.scenario.venue.state, 2)).toMatchObject({ base: 0, margin: 0 });
  const part = crash(39_999_999);
  expect(tradesOf(part.events)).toEqual([
    [9_500, 600],
    [9_400, 399],
  ]);
  expect(part.scenario.venue.state.ledgers).toMatchObject({ insurance: 36_009_999, deficit: 0 });
  expect(holdingsOf(part.scenario.venue.state, 1).base).toBe(1);
  // The parked rest is closed at the next price once the fund can pay.
  part.scenario.run({ type: 'CreditInsurance', amountAtoms: 1 as QuoteAtoms, reference: 'test' });
  expect(tradesOf(part.scenario.price(9_400))).toEqual([[9_400, 1]]);
  // What the budget of one day leaves is closed on the next UTC day.
  const poor = crash(20_000_000);
  expect(holdingsOf(poor.scenario.venue.state, 1).base).toBe(200);
  const untilMidnight = 86_400_000 - (poor.scenario.now % 86_400_000);
  poor.scenario.wait(untilMidnight - 2);
  expect(tradesOf(poor.scenario.price(9_400))).toEqual([]);
  expect(tradesOf(poor.scenario.price(9_400))).toEqual([[9_400, 180]]);
});

test('charges funding beyond a parked position’s equity to the insurance fund, and what the fund lacks to the position', () => {
  const funded = (insurance: number) => {
    const scenario = snapshotScenario(4, { ...SMALL_MARKET, fundingInterestPpb: 1_000_000 as Ppb, maxIndexAgeMs: 7_200_000 });
    trade(scenario, 2, 1, 10_000, 400);
    payOut(scenario, 2, 376_000_000, 3_000_000);
    scenario.price(9_400);
    expect([...scenario.venue.state.market(BTC)!.positions.parked()]).toHaveLength(2);
    if (insurance > 0) scenario.run({ type: 'CreditInsurance', amountAtoms: insurance as QuoteAtoms, reference: 'test' });
    const { funding } = scenario.venue.state.market(BTC)!;
    scenario.wait(funding.endsAtEpochMs - scenario.now);
    return { scenario, events: scenario.price(9_400) };
  };
  // 0.1 % minus 0.05 %, of 376: 0.188. The margin is 20 and the loss 24.
  const uninsured = funded(0);
  expect(only(uninsured.events, 'FundingPaid').find(({ account }) => account === 1)).toMatchObject({
    paidAtoms: 188_000,
    marginAtoms: 19_812_000,
  });
  const insured = funded(1_000_000);
  expect(only(insured.events, 'FundingPaid').find(({ account }) => account === 1)).toMatchObject({
    paidAtoms: 88_000,
    marginAtoms: 19_912_000,
  });
  expect(ledgerMovesOf(insured.events, 'insurance')[0]).toBe(-100_000);
  for (const { scenario, events } of [uninsured, insured]) {
    expect(scenario.venue.state.ledgers.deficit).toBe(0);
    // The position changed but stays parked, without an event.
    expect(only(events, 'LiquidationStarted')).toEqual([]);
  }
});

test('ranks a winner lower that has closed and opened again at the mark, for the fees of both', () => {
  const scenario = snapshotScenario(5);
  trade(scenario, 2, 1, 10_000, 500);
  trade(scenario, 3, 1, 10_000, 500);
  scenario.price(9_800);
  // Account 2 hands its short to account 5 and takes it back; the other short has the same profit and leverage.
  const cash = () => [2, 5].reduce((sum, account) => sum + holdingsOf(scenario.venue.state, account).cash, 0);
  const before = cash() + holdingsOf(scenario.venue.state, 2).margin + 10_000_000;
  trade(scenario, 5, 2, 9_800, 500);
  trade(scenario, 2, 5, 9_800, 500);
  const after = cash() + holdingsOf(scenario.venue.state, 2).margin;
  // Its profit of 20 × 0.5 is realized; it paid 7 bps of 490, twice.
  expect(after - before).toBe(-2 * 343_000);
  expect(counterparties(scenario.jump(9_400), 1)[0]).toEqual([3, 500]);
});

test('cancels a deleveraged account’s reduce-only orders once it has no position, and keeps its other orders', () => {
  const scenario = snapshotScenario(3);
  trade(scenario, 2, 1, 10_000, UNIT);
  scenario.limit(2, 'buy', 8_000, 500, { reduceOnly: true });
  scenario.limit(2, 'buy', 8_000, 500);
  expect(cancelsOf(scenario.price(9_400))).toEqual([
    [5, 'liquidation'],
    [3, 'reduce_only'],
  ]);
  const partial = snapshotScenario(4);
  trade(partial, 2, 1, 10_000, UNIT);
  trade(partial, 2, 3, 10_000, UNIT, [2, 2]);
  partial.limit(2, 'buy', 8_000, 500, { reduceOnly: true });
  expect(cancelsOf(partial.price(9_400))).toEqual([[6, 'liquidation']]);
  expect(holdingsOf(partial.venue.state, 2).base).toBe(-UNIT);
});

test('deleverages a bounded number of counterparties per turn and continues in the next', () => {
  const scenario = quickScenario(62);
  for (let short = 3; short < 63; short += 1) trade(scenario, short, 1, 10_000, 10);
  const first = scenario.price(9_400);
  expect(counterparties(first, 1)).toHaveLength(COUNTERPARTIES_PER_TURN);
  expect(only(first, 'OrderCancelled').at(-1)).toMatchObject({ account: 1, reason: 'liquidation', remainingAtoms: 100 });
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(100);
  expect(typesOf(first).at(-1)).toBe('MarketWorkPending');
  expect(counterparties(scenario.run({ type: 'AdvanceMarket', market: BTC }), 1)).toHaveLength(10);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 0, margin: 0 });
});

test('covers the difference to the lowest price when funding moves the bankruptcy price below it', () => {
  const cap = 25_000_000 as Ppb;
  const scenario = unboundedPremiumScenario(4, { ...SMALL_MARKET, fundingCapPpb: cap });
  trade(scenario, 1, 2, 10_000, UNIT, [20, 2]);
  // Asks of the impact notional 6 % below the index at the second of two samples: shorts pay 2.5 % of 90,000.0.
  scenario.limit(3, 'sell', 9_400, 5 * UNIT, { leverageX: 1 });
  scenario.wait(1_800_000);
  scenario.price(10_000);
  scenario.wait(1_900_000);
  const events = scenario.jump(900_000);
  expect(only(events, 'FundingSettled')).toMatchObject([{ ratePpb: -cap, perLotMicroAtoms: -2_250_000_000_000 }]);
  // It owes 2,250 and can pay 50 from margin and 999.999999 from entry. The venue pays the rest.
  expect(only(events, 'FundingPaid').find(({ account }) => account === 1)).toMatchObject({
    paidAtoms: 50_000_000 + 999_999_999,
    marginAtoms: 0,
    entryNotionalAtoms: 1,
  });
  // A short with an entry of one atom cannot pay even the lowest price, 0.1 for the BTC. The venue covers all but that atom.
  expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1, bankruptcyPriceAtoms: 0 }]);
  expect(tradesOf(events).at(-1)).toEqual([1, UNIT]);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: 0 as BaseAtoms, margin: 0 });
  expect(scenario.venue.state.ledgers.insurance).toBe(0);
  expect(ledgerMovesOf(events, 'deficit').reduce((sum, amount) => sum + amount, 0)).toBe(-(1_200_000_001 + 100_000 - 1));
});
