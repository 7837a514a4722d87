/** The initial margin by open interest: in the formula, in placement, and of resting orders when they are met. */
import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, SCENARIO_MARKET, SCENARIO_RULES, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import type { PlaceOrder, Side } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { only, typesOf } from '#venue/testing/outcome.ts';
import { markAt, placeWaiting } from '#venue/trigger/testing/waiting-orders.ts';
import { marginAtOpenInterest, openInterestAtomsOf } from './open-interest.ts';
import type { RiskRules } from './risk-rules.ts';

const USD = 1_000_000;
/** 10,000 to 30,000 dollars. */
const BOUNDS = { lowerAtoms: (10_000 * USD) as QuoteAtoms, upperAtoms: (30_000 * USD) as QuoteAtoms };
const SPECIFICATION = { ...SCENARIO_MARKET, openInterest: BOUNDS };

test.each([
  [0, 500],
  [10_000, 500],
  [10_001, 501],
  [20_000, 5_250],
  [29_999, 10_000],
  [30_000, 10_000],
  [90_000, 10_000],
])('at an open interest of %d dollars a rate of 500 is %d', (dollars, rate) => {
  expect(marginAtOpenInterest(500 as Bps, (dollars * USD) as QuoteAtoms, BOUNDS)).toBe(rate);
  expect(marginAtOpenInterest(500 as Bps, (dollars * USD) as QuoteAtoms, undefined)).toBe(500);
});

test('an open interest beyond the safe integers is above the upper bound', () => {
  const of = { specification: SPECIFICATION, longBaseAtoms: 2 ** 50, lotAtoms: (2 ** 30) as QuoteAtoms };
  expect(openInterestAtomsOf(of)).toBeGreaterThanOrEqual(BOUNDS.upperAtoms);
});

/** Accounts 1 and 2 are long and short 15 BTC at 1,000: an open interest of 15,000. */
function crowd(scenario: Scenario): Scenario {
  scenario.limit(2, 'sell', 10_000, 15_000, { leverageX: 1 });
  scenario.limit(1, 'buy', 10_000, 15_000, { leverageX: 1 });
  return scenario;
}

const crowded = () => crowd(quiet());

/** Five accounts in a market with the bounds. */
function quiet(rules?: Partial<RiskRules>, specification: MarketSpecification = SPECIFICATION): Scenario {
  const scenario = new AuditedScenario(rules && { ...SCENARIO_RULES, ...rules });
  scenario.populate(5, specification, 100_000 * USD);
  return scenario;
}

const marginOf = ({ venue }: Scenario, account: number) =>
  venue.state.account(account as AccountOrdinal)!.positionIn(BTC).marginAtoms;

describe('an order', () => {
  test('needs the margin of the open interest with itself', () => {
    // 15,000 and 1,000 are 3/10 of the way: 500 + 9,500 × 3/10.
    expect(only(crowded().limit(3, 'buy', 10_000, 1_000), 'OrderAccepted')).toMatchObject([{ initialMarginBps: 3_350 }]);
  });

  test('is refused with a leverage above the one that the margin grants', () => {
    const events = crowded().limit(3, 'buy', 10_000, 1_000, { leverageX: 3 });
    expect(events).toMatchObject([{ type: 'CommandRefused', code: 'leverage_too_high', bound: 2 }]);
  });

  test('does not use the leverage of its account if the margin is higher', () => {
    const scenario = crowded();
    const place = (leverageX: number) => {
      scenario.run({ type: 'SetLeverage', account: 3 as AccountOrdinal, market: BTC, leverageHundredths: leverageX * 100 });
      return only(scenario.limit(3, 'buy', 9_900, 1_000), 'OrderAccepted');
    };
    expect(place(2)).toMatchObject([{ leverageHundredths: 200, initialMarginBps: 3_346 }]);
    expect(place(10)).toMatchObject([{ leverageHundredths: 0, initialMarginBps: 3_346 }]);
  });

  test('locks that margin when it takes, as its preview says', () => {
    const scenario = crowded();
    scenario.limit(4, 'sell', 10_000, 1_000, { leverageX: 1 });
    const order: PlaceOrder = {
      type: 'PlaceOrder',
      account: 3 as AccountOrdinal,
      market: BTC,
      clientOrderId: '',
      side: 'buy',
      terms: { kind: 'market', quantityAtoms: 1_000 as BaseAtoms },
      reduceOnly: false,
      leverageHundredths: 0,
      idempotencyKey: '',
    };
    expect(scenario.venue.preview(order, scenario.now)).toMatchObject({ refusal: undefined, lockedMarginAtoms: 335 * USD });
    scenario.run(order);
    expect(marginOf(scenario, 3)).toBe(335 * USD);
  });

  test.each([{ reduceOnly: true }, { reduceOnly: false }])('that only closes needs its own margin (%j)', ({ reduceOnly }) => {
    const events = crowded().limit(1, 'sell', 10_100, 15_000, { leverageX: 20, reduceOnly });
    expect(only(events, 'OrderAccepted')).toMatchObject([{ initialMarginBps: 500 }]);
  });

  test('is refused when it is amended with a leverage that the margin does not grant any more', () => {
    const scenario = quiet();
    scenario.limit(3, 'buy', 9_900, 1_000, { leverageX: 20 });
    crowd(scenario);
    expect(scenario.amend(3, 1, 9_910, 1_000)).toMatchObject([{ code: 'leverage_too_high', bound: 2 }]);
    expect(typesOf(scenario.amend(3, 1, 0, 500))).toEqual(['OrderAmended']);
  });

  test('that waited for a price needs the margin of that time', () => {
    const scenario = quiet(undefined, { ...SPECIFICATION, markBandBps: 1 as Bps });
    const wait = (leverageX: number) =>
      placeWaiting(scenario, 3, 'buy', 10_010, 1_000, { kind: 'trigger', limit: 9_990, leverageHundredths: leverageX * 100 });
    const [refused, placed] = [wait(20), wait(0)].map((events) => only(events, 'TriggerAccepted')[0]!.order);
    crowd(scenario);
    const events = markAt(scenario, 10_010);
    expect(only(events, 'OrderCancelled')).toMatchObject([{ order: refused, reason: 'trigger_refused' }]);
    // 15,015 and 999 dollars.
    const rated = { leverageHundredths: 0, markPriceAtoms: 10_010, initialMarginBps: 3_357 };
    expect(only(events, 'OrderTriggered')).toMatchObject([{ order: placed, ...rated }]);
  });
});

describe('a resting order that is met', () => {
  /** Its account has 100,000 USD.E. */
  function rested(side: Side, price: number, leverageX = 20, rules?: Partial<RiskRules>): Scenario {
    const scenario = quiet(rules);
    scenario.limit(3, side, price, 1_000, { leverageX });
    return crowd(scenario);
  }

  test.each([
    ['a bid below the mark', 'buy', 9_990, 287_212_500],
    ['an ask above the mark', 'sell', 10_010, 287_787_500],
  ] as const)('gets the margin of the open interest from its account: %s', (_, side, price, margin) => {
    // 15,000 is a quarter of the way: 28.75 % of the notional.
    const scenario = rested(side, price);
    scenario.limit(5, side === 'buy' ? 'sell' : 'buy', price, 1_000, { leverageX: 1 });
    expect(marginOf(scenario, 3)).toBe(margin);
  });

  test('gets at least the margin at the mark behind it', () => {
    const scenario = rested('buy', 9_990);
    scenario.price(9_980);
    const { markPriceAtoms: mark, positions } = scenario.venue.state.market(BTC)!;
    expect(mark).toBeLessThan(9_990);
    const openInterest = (positions.longBaseAtoms * mark * 100) as QuoteAtoms;
    const rate = marginAtOpenInterest(500 as Bps, openInterest, BOUNDS);
    scenario.limit(5, 'sell', 9_990, 1_000, { leverageX: 1 });
    expect(marginOf(scenario, 3)).toBe(Math.ceil((mark * 100_000 * rate) / 10_000) + (9_990 - mark) * 100_000);
  });

  test('has the rate before the match when it is met after another one', () => {
    const scenario = rested('buy', 9_980);
    scenario.limit(4, 'buy', 9_990, 1_000, { leverageX: 1 });
    const events = scenario.limit(5, 'sell', 9_980, 2_000, { leverageX: 1 });
    expect(only(events, 'TradeExecuted')).toHaveLength(2);
    expect(marginOf(scenario, 3)).toBe(286_925_000);
  });

  test('keeps what it has reserved if that is more', () => {
    const scenario = rested('buy', 9_990, 2);
    scenario.limit(5, 'sell', 9_990, 1_000, { leverageX: 1 });
    expect(marginOf(scenario, 3)).toBe(499_500_000);
  });

  test('is cancelled if its account cannot pay, and the next one fills', () => {
    const scenario = rested('buy', 9_990);
    scenario.limit(4, 'buy', 9_990, 1_000, { leverageX: 2 });
    // 237 USD.E stay, and 237.2625 are missing.
    const [account, to] = [3 as AccountOrdinal, 1 as AccountOrdinal];
    const amountAtoms = (scenario.venue.state.account(account)!.availableAtoms - 237 * USD) as QuoteAtoms;
    expect(typesOf(scenario.run({ type: 'TransferCash', account, to, amountAtoms, reference: 'rest' }))).toContain(
      'CashTransferred',
    );
    const events = scenario.limit(5, 'sell', 9_990, 1_000, { leverageX: 1 });
    expect(only(events, 'OrderCancelled')).toMatchObject([{ account: 3, reason: 'margin_unbacked' }]);
    expect(only(events, 'OrderFilled')).toMatchObject([{ account: 4 }, { account: 5 }]);
  });

  test('needs no more if it only closes', () => {
    const scenario = quiet();
    scenario.limit(4, 'sell', 10_000, 1_000, { leverageX: 1 });
    scenario.limit(3, 'buy', 10_000, 1_000, { leverageX: 1 });
    scenario.limit(3, 'sell', 10_010, 1_000, { leverageX: 20 });
    crowd(scenario);
    const { availableAtoms } = scenario.venue.state.account(3 as AccountOrdinal)!;
    expect(only(scenario.limit(5, 'buy', 10_010, 1_000, { leverageX: 1 }), 'OrderFilled')).toMatchObject([
      { account: 3 },
      { account: 5 },
    ]);
    expect(scenario.venue.state.account(3 as AccountOrdinal)!.availableAtoms).toBeGreaterThan(availableAtoms);
  });

  test('opened with the margin of its placement without the rule', () => {
    const scenario = new Scenario({ ...SCENARIO_RULES, scalesMargin: false });
    scenario.populate(5, SPECIFICATION, 100_000 * USD);
    scenario.limit(3, 'buy', 9_990, 1_000, { leverageX: 20 });
    crowd(scenario);
    scenario.limit(5, 'sell', 9_990, 1_000, { leverageX: 1 });
    expect(marginOf(scenario, 3)).toBe(49_950_000);
  });
});

test('a position keeps the margin of the open interest when some is removed', () => {
  const scenario = crowded();
  const remove = (dollars: number) =>
    scenario.run({
      type: 'AdjustPositionMargin',
      account: 1 as AccountOrdinal,
      market: BTC,
      direction: 'remove',
      amountAtoms: (dollars * USD) as QuoteAtoms,
    });
  // 28.75 % of 15,000 stay.
  expect(remove(10_688)).toMatchObject([{ code: 'margin_required', bound: 10_687.5 * USD }]);
  expect(typesOf(remove(10_687))).toContain('PositionMarginAdjusted');
});

test('the open interest falls when positions close', () => {
  const scenario = crowded();
  expect(scenario.venue.state.market(BTC)!.positions.longBaseAtoms).toBe(15_000);
  scenario.limit(1, 'sell', 10_000, 15_000, { reduceOnly: true });
  scenario.limit(2, 'buy', 10_000, 15_000, { reduceOnly: true });
  expect(scenario.venue.state.market(BTC)!.positions.longBaseAtoms).toBe(0);
  expect(only(scenario.limit(3, 'buy', 10_000, 1_000), 'OrderAccepted')).toMatchObject([{ initialMarginBps: 500 }]);
});

test('an update of the market sets and removes the bounds', () => {
  const scenario = quiet(undefined, SCENARIO_MARKET);
  crowd(scenario);
  const rateAfter = (specification: MarketSpecification) => {
    expect(typesOf(scenario.run({ type: 'UpdateMarket', market: BTC, specification }))).toEqual(['MarketUpdated']);
    return only(scenario.limit(3, 'buy', 9_000, 1), 'OrderAccepted')[0]!.initialMarginBps;
  };
  expect(rateAfter(SPECIFICATION)).toBe(2_876);
  expect(rateAfter(SCENARIO_MARKET)).toBe(500);
});
