import { describe, expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Capability, Environment, VenueStatus } from '#venue/command.ts';
import { ENVIRONMENTS, NAMED_CAPABILITIES, VENUE_STATUSES } from '#venue/command.ts';
import { isCapability, isOnByDefault, MAX_SWITCHED_PROVIDERS } from './capabilities.ts';
import { marketLimitOf, venuePermits } from './venue-status.ts';

const [first, second] = [1 as AccountOrdinal, 2 as AccountOrdinal];
const atoms = (amount: number) => amount as QuoteAtoms;

function bound(environment: Environment): Scenario {
  const scenario = new Scenario();
  scenario.run({ type: 'BindEnvironment', environment });
  scenario.populate(2);
  return scenario;
}

const setStatus = (scenario: Scenario, status: VenueStatus) => scenario.run({ type: 'SetVenueStatus', status });
const set = (scenario: Scenario, capability: Capability, isOn: boolean) =>
  scenario.run({ type: 'SetCapability', capability, isOn });
const transfer = (scenario: Scenario) =>
  scenario.run({ type: 'TransferCash', account: first, to: second, amountAtoms: atoms(1), reference: '' });
const withdraw = (scenario: Scenario) =>
  scenario.run({ type: 'ReserveWithdrawal', account: first, amountAtoms: atoms(1), destination: 'party' });

/** A venue in which the first account is long, and has an order in the book. */
function traded(): Scenario {
  const scenario = Scenario.withAccounts(3);
  scenario.limit(2, 'sell', 10_000, 100);
  scenario.market(1, 'buy', 100);
  scenario.limit(1, 'buy', 9_900, 1);
  return scenario;
}

test('permits the activities of each status', () => {
  const activities = ['open_risk', 'reduce', 'move_money', 'cancel'] as const;
  const permitted = VENUE_STATUSES.map((status) => activities.filter((activity) => venuePermits(status, activity)).join(' '));
  expect(permitted).toEqual(['open_risk reduce move_money cancel', 'reduce cancel', 'cancel']);
  expect(VENUE_STATUSES.map((status) => marketLimitOf(status, true))).toEqual(['open', 'reduce_only', 'cancel_only']);
  expect(VENUE_STATUSES.map((status) => marketLimitOf(status, false))).toEqual(['cancel_only', 'cancel_only', 'cancel_only']);
});

test('has the defaults of each environment', () => {
  const off = ENVIRONMENTS.map((environment) => NAMED_CAPABILITIES.filter((name) => !isOnByDefault(environment, name)));
  const announced = ['trading', 'deposits', 'withdrawals', 'transfers', 'agents', 'affiliate'];
  expect(off).toEqual([['affiliate'], ['affiliate'], announced, announced]);
  expect(ENVIRONMENTS.every((environment) => isOnByDefault(environment, 'provider:google'))).toBe(true);
});

describe('an environment', () => {
  test('is bound once, before the first market and account', () => {
    const scenario = new Scenario();
    expect(scenario.run({ type: 'BindEnvironment', environment: 'testnet' })).toEqual([
      { type: 'EnvironmentBound', environment: 'testnet' },
    ]);
    for (const environment of ['testnet', 'mainnet'] as const)
      expect(scenario.run({ type: 'BindEnvironment', environment })).toMatchObject([{ code: 'environment_bound' }]);
    const earlier = Scenario.withAccounts(0);
    expect(earlier.run({ type: 'BindEnvironment', environment: 'testnet' })).toMatchObject([{ code: 'environment_bound' }]);
    expect(earlier.venue.state.switches.environment).toBe('development');
  });

  test('that is announced refuses trading and moving money until they are switched on', () => {
    const scenario = bound('testnet');
    const unavailable = [{ type: 'CommandRefused', code: 'capability_unavailable' }];
    expect(scenario.limit(1, 'buy', 9_900, 1)).toMatchObject(unavailable);
    expect(transfer(scenario)).toMatchObject(unavailable);
    expect(withdraw(scenario)).toMatchObject(unavailable);
    expect(scenario.run({ type: 'DebitCash', account: first, amountAtoms: atoms(1), reference: '' })).toMatchObject([
      { type: 'WithdrawalReserved' },
      {},
      {},
      { type: 'WithdrawalSettled' },
      {},
    ]);
    for (const name of ['trading', 'transfers', 'withdrawals'] as const) set(scenario, name, true);
    scenario.price(10_000);
    expect(scenario.limit(1, 'buy', 9_900, 1)).toMatchObject([{ type: 'OrderAccepted' }, { type: 'OrderRested' }]);
    expect(transfer(scenario)[0]).toMatchObject({ type: 'CashTransferred' });
    expect(withdraw(scenario)[0]).toMatchObject({ type: 'WithdrawalReserved' });
  });
});

describe('a halted venue', () => {
  test('refuses orders, also those that reduce, transfers and withdrawals, and cancels', () => {
    const scenario = traded();
    expect(setStatus(scenario, 'halted')).toEqual([{ type: 'VenueStatusChanged', status: 'halted' }]);
    const halted = [{ type: 'CommandRefused', code: 'venue_halted' }];
    expect(scenario.limit(3, 'buy', 9_900, 1)).toMatchObject(halted);
    expect(scenario.market(1, 'sell', 100, { reduceOnly: true })).toMatchObject(halted);
    expect(scenario.batch(1, [['buy', 9_900, 1]])).toMatchObject([{ type: 'EntryRefused', code: 'venue_halted' }]);
    expect(transfer(scenario)).toMatchObject(halted);
    expect(withdraw(scenario)).toMatchObject(halted);
    expect(scenario.cancel(1, 3)).toMatchObject([{ type: 'OrderCancelled' }]);
    expect(scenario.run({ type: 'CreditCash', account: first, amountAtoms: atoms(1), reference: '' })).toMatchObject([
      { type: 'CashPosted' },
    ]);
  });

  test('liquidates nothing until it is resumed, which announces the work', () => {
    const scenario = traded();
    scenario.limit(3, 'buy', 9_000, 1_000);
    scenario.run({ type: 'DebitCash', account: first, amountAtoms: atoms(9_000_000_000), reference: '' });
    setStatus(scenario, 'halted');
    const events = scenario.jump(9_300);
    expect(events.map(({ type }) => type)).toEqual(['MarketPriced', 'MarketPriced', 'MarketPriced']);
    expect(scenario.run({ type: 'AdvanceMarket', market: BTC })).toMatchObject([{ code: 'nothing_to_advance' }]);
    expect(setStatus(scenario, 'open')).toEqual([
      { type: 'VenueStatusChanged', status: 'open' },
      { type: 'MarketWorkPending', market: BTC },
    ]);
    expect(scenario.run({ type: 'AdvanceMarket', market: BTC })[0]).toMatchObject({ type: 'LiquidationStarted' });
  });

  test('keeps the own status of a market, and limits a market that is listed later', () => {
    const scenario = traded();
    scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
    setStatus(scenario, 'halted');
    const statuses = () => scenario.venue.state.markets.flatMap((market) => market && [market.status, market.limitedStatus]);
    expect(statuses().slice(1)).toEqual(['reduce_only', 'cancel_only']);
    scenario.run({ type: 'ListMarket', specification: { ...SCENARIO_MARKET, marketId: 'ETH-USD-PERP' }, status: 'open' });
    expect(statuses().slice(1)).toEqual(['reduce_only', 'cancel_only', 'open', 'cancel_only']);
    setStatus(scenario, 'open');
    expect(statuses().slice(1)).toEqual(['reduce_only', 'reduce_only', 'open', 'open']);
  });

  test('may be halted again', () => {
    const scenario = traded();
    setStatus(scenario, 'halted');
    expect(setStatus(scenario, 'halted')).toEqual([{ type: 'VenueStatusChanged', status: 'halted' }]);
  });
});

test('a paused intake refuses new risk and moving money, and accepts orders that reduce', () => {
  const scenario = traded();
  scenario.limit(2, 'buy', 9_990, 100, { reduceOnly: true });
  setStatus(scenario, 'intake_paused');
  const paused = [{ type: 'CommandRefused', code: 'intake_paused' }];
  expect(scenario.limit(3, 'buy', 9_900, 1)).toMatchObject(paused);
  expect(transfer(scenario)).toMatchObject(paused);
  expect(withdraw(scenario)).toMatchObject(paused);
  const events = scenario.market(1, 'sell', 100, { reduceOnly: true });
  expect(events.filter(({ type }) => type === 'TradeExecuted')).toMatchObject([{ quantityAtoms: 100 }]);
});

test('refuses an unknown capability, and more providers than it stores', () => {
  const scenario = new Scenario();
  for (const name of ['cash', 'provider:', 'provider:A', `provider:${'a'.repeat(33)}`])
    expect(set(scenario, name as Capability, true), name).toMatchObject([{ code: 'capability_invalid' }]);
  expect(isCapability(`provider:${'a'.repeat(32)}`)).toBe(true);
  for (let count = 1; count <= MAX_SWITCHED_PROVIDERS; count += 1)
    expect(set(scenario, `provider:p${count}`, false)).toMatchObject([{ type: 'CapabilitySet', isOn: false }]);
  expect(set(scenario, 'provider:other', true)).toMatchObject([{ code: 'capability_invalid', bound: MAX_SWITCHED_PROVIDERS }]);
  expect(set(scenario, 'provider:p1', true)).toMatchObject([{ type: 'CapabilitySet', isOn: true }]);
  expect(set(scenario, 'trading', true)).toMatchObject([{ type: 'CapabilitySet' }]);
});
