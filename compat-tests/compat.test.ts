/** The whole of `npm run compat`, on a venue of its own: nothing fails, and what passes is what is claimed. */
import { beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { bootVenue } from './booted-venue.ts';
import { type CompatReport, renderReport } from './report.ts';
import { runChecks } from './run.ts';
import { UPSTREAM_METHODS } from './upstream.ts';

let report: CompatReport;

beforeAll(async () => {
  const venue = await bootVenue();
  try {
    const { apiKey } = await venue.openAccount('100000');
    report = await runChecks(venue.url, apiKey);
  } finally {
    await venue.stop();
  }
}, 120_000);

test('no method fails', () => {
  expect(report.methods.filter(({ result }) => result === 'fail')).toEqual([]);
});

test('the methods that bots are built on are claimed, and pass', () => {
  const passed = report.methods.filter(({ result }) => result === 'pass').map(({ method }) => method);
  const needed = ['loadMarkets', 'fetchTicker', 'fetchOHLCV', 'fetchOrderBook', 'fetchTrades', 'fetchBalance', 'fetchPositions'];
  const orders = [
    'createOrder',
    'cancelOrder',
    'fetchOrder',
    'fetchOpenOrders',
    'fetchClosedOrders',
    'fetchMyTrades',
    'fetchLeverageTiers',
  ];
  expect(passed).toEqual(expect.arrayContaining([...needed, ...orders]));
});

test("every claimed method is checked, by ccxt's own test where it has one, and no other is", () => {
  const { has } = new OpenPerp();
  for (const { method, result, checks } of report.methods) {
    const claimed = method === 'loadMarkets' || Boolean(has[method]);
    expect(result !== 'notClaimed', method).toBe(claimed);
    expect('upstream' in checks, method).toBe(claimed && UPSTREAM_METHODS.includes(method));
    expect('upstream' in checks || 'own' in checks, method).toBe(claimed);
  }
  expect(report.suites.upstream.passed).toBeGreaterThanOrEqual(21);
});

test('every method is counted once', () => {
  const { passed, failed, notClaimed, methods } = report;
  expect(new Set(methods.map(({ method }) => method)).size).toBe(methods.length);
  expect(passed + failed + notClaimed).toBe(methods.length);
});

test('the table says what the data says, a row for each claimed method', () => {
  const { passed, failed, notClaimed, methods, suites } = report;
  const lines = renderReport(report).split('\n');
  expect(lines.at(-1)).toBe(
    `${passed} methods passed (${suites.upstream.passed} of them by ccxt 2.9.8's own tests), ${failed} failed, ${notClaimed} not claimed`,
  );
  for (const { method, result } of methods)
    expect(
      lines.filter((line) => line.startsWith(`${method} `)),
      method,
    ).toHaveLength(result === 'notClaimed' ? 0 : 1);
});
