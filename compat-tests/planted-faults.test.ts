/**
 * A fault of the class fails the row of its method, and does not end the run: planted here in methods that the suite itself might
 * use.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import type { CompatReport } from './report.ts';
import { runChecks } from './run.ts';
import { VenueAccount } from './venue-account.ts';

/** Methods that always throw, and that the class does not call elsewhere. */
const BROKEN = ['fetchAccounts', 'fetchFundingRateHistory', 'fetchOpenOrders', 'fetchPositions', 'fetchTime', 'fetchWithdrawals'];
/** Methods that use those, or whose checks list open orders or close a position with them. */
const USES_BROKEN = [
  'addMargin',
  'closeAllPositions',
  'closePosition',
  'createOrderWithTakeProfitAndStopLoss',
  'createReduceOnlyOrder',
  'createStopLimitOrder',
  'createStopLossOrder',
  'createStopMarketOrder',
  'createStopOrder',
  'createTakeProfitOrder',
  'createTrailingAmountOrder',
  'createTrailingPercentOrder',
  'createTriggerOrder',
  'editOrders',
  'fetchDepositsWithdrawals',
  'fetchFundingHistory',
  'fetchPosition',
  'fetchPositionsForSymbol',
  'fetchTransactions',
  'reduceMargin',
  'watchPositions',
  'withdraw',
];

let venue: BootedVenue;
let apiKey: string;
let report: CompatReport;
const valid = Object.getOwnPropertyDescriptors(OpenPerp.prototype);

beforeAll(async () => {
  venue = await bootVenue();
  ({ apiKey } = await venue.openAccount('100000'));
  for (const method of BROKEN)
    Reflect.set(OpenPerp.prototype, method, async () => {
      throw new Error(`${method} has a fault`);
    });
  report = await runChecks({ url: venue.url, apiKey, isBooted: true, watch: 'short' }).finally(() =>
    Object.defineProperties(OpenPerp.prototype, valid),
  );
});

afterAll(() => venue.stop());

test('fails the row of each broken method', () => {
  for (const method of BROKEN) {
    const row = report.methods.find((it) => it.method === method);
    expect(row, method).toMatchObject({ result: 'fail', checks: { own: 'fail' } });
    expect(row?.reason, method).toContain(`${method} has a fault`);
  }
});

test('fails only their rows, and those of methods that use them', () => {
  const failed = report.methods.filter(({ result }) => result === 'fail').map(({ method }) => method);
  expect(failed.filter((method) => ![...BROKEN, ...USES_BROKEN].includes(method))).toEqual([]);
  expect(report.passed).toBeGreaterThan(80);
});

test('leaves the account without orders and positions', async () => {
  const account = await VenueAccount.open(venue.url, apiKey);
  expect([await account.openOrders(), await account.positions()]).toEqual([[], []]);
});
