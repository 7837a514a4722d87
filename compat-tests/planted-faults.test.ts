/** A fault of the class is a red row of its method, and never the end of the run: planted here, in what the suite itself could lean on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import type { CompatReport } from './report.ts';
import { runChecks } from './run.ts';
import { VenueAccount } from './venue-account.ts';

/** Methods that throw at every call, where nothing else of the class calls them. */
const BROKEN = ['fetchAccounts', 'fetchFundingRateHistory', 'fetchOpenOrders', 'fetchPositions', 'fetchTime', 'fetchWithdrawals'];
/** Those that are made of them. */
const MADE_OF_BROKEN = [
  'fetchDepositsWithdrawals',
  'fetchFundingHistory',
  'fetchPosition',
  'fetchPositionsForSymbol',
  'fetchTransactions',
  'watchPositions',
];

let venue: BootedVenue;
let apiKey: string;
let report: CompatReport;
const sound = Object.getOwnPropertyDescriptors(OpenPerp.prototype);

beforeAll(async () => {
  venue = await bootVenue();
  ({ apiKey } = await venue.openAccount('100000'));
  for (const method of BROKEN)
    Reflect.set(OpenPerp.prototype, method, async () => {
      throw new Error(`${method} has a fault`);
    });
  report = await runChecks({ url: venue.url, apiKey, isBooted: true, watch: 'short' }).finally(() =>
    Object.defineProperties(OpenPerp.prototype, sound),
  );
});

afterAll(() => venue.stop());

test('each is a row that says so', () => {
  for (const method of BROKEN) {
    const row = report.methods.find((it) => it.method === method);
    expect(row, method).toMatchObject({ result: 'fail', checks: { own: 'fail' } });
    expect(row?.reason, method).toContain(`${method} has a fault`);
  }
});

test('and no row but theirs, and of what is made of them', () => {
  const failed = report.methods.filter(({ result }) => result === 'fail').map(({ method }) => method);
  expect(failed.filter((method) => ![...BROKEN, ...MADE_OF_BROKEN].includes(method))).toEqual([]);
  expect(report.passed).toBeGreaterThan(80);
});

test('the account is left without orders and positions all the same', async () => {
  const account = await VenueAccount.open(venue.url, apiKey);
  expect([await account.openOrders(), await account.positions()]).toEqual([[], []]);
});
