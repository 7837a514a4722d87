/** The whole of `npm run compat` on a venue of its own: no failures, and everything that passes is claimed. */
import { beforeAll, expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { bootVenue } from './booted-venue.ts';
import { claimedMethods, FACT_KEYS, nameOf } from './has-keys.ts';
import { type CompatReport, renderReport } from './report.ts';
import { runChecks } from './run.ts';
import { UPSTREAM_METHODS } from './upstream.ts';
import { UPSTREAM_SOCKET_METHODS } from './upstream-sockets.ts';
import { NOT_IMPLEMENTED, PassThrough } from './v2/pass-through.ts';

let report: CompatReport;

beforeAll(async () => {
  const venue = await bootVenue();
  try {
    const { apiKey } = await venue.openAccount('100000');
    report = await runChecks({ url: venue.url, apiKey, isBooted: true });
  } finally {
    await venue.stop();
  }
});

test('fails no method', () => {
  expect(report.methods.filter(({ result }) => result === 'fail')).toEqual([]);
});

test('claims and passes the methods that bots need', () => {
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

test('checks every key of has once', () => {
  expect(report.methods.map(({ method }) => method).sort()).toEqual(
    ['loadMarkets', ...Object.keys(new OpenPerpPro().has).map(nameOf)].sort(),
  );
});

test("every claimed method is checked, by ccxt's own test where it has one", () => {
  const claims = claimedMethods(new OpenPerpPro());
  const modules = [...UPSTREAM_METHODS, ...UPSTREAM_SOCKET_METHODS];
  for (const { method, result, checks } of report.methods) {
    if (FACT_KEYS.includes(method)) {
      expect({ result, checks }, method).toEqual({ result: 'pass', checks: { own: 'pass' } });
      continue;
    }
    const claimed = method === 'loadMarkets' || claims.includes(method);
    expect(result !== 'notClaimed', method).toBe(claimed);
    expect('upstream' in checks, method).toBe(claimed && modules.includes(method));
    expect('upstream' in checks || 'own' in checks, method).toBe(claimed);
  }
  expect(report.suites.upstream?.passed).toBeGreaterThanOrEqual(21);
});

test('checks the methods of /v2 there too, and compares them with the class', () => {
  const { has } = new PassThrough();
  const { methods } = report;
  for (const method of claimedMethods(new PassThrough())) {
    const { checks } = methods.find((it) => it.method === method) as (typeof methods)[number];
    expect('v2Upstream' in checks, method).toBe(UPSTREAM_METHODS.includes(method));
    expect('v2Upstream' in checks || 'v2Own' in checks, method).toBe(true);
  }
  for (const method of Object.keys(NOT_IMPLEMENTED)) {
    expect(has[method]).toBe(false);
    expect(methods.find((it) => it.method === method)?.checks.v2Own, method).toBe('pass');
  }
  const compared = methods.filter(({ checks }) => checks.differential === 'pass').map(({ method }) => method);
  const placed = ['createOrder', 'createOrders', 'cancelOrder', 'cancelOrders'];
  const read = ['fetchMarkets', 'fetchTicker', 'fetchOHLCV', 'fetchOrderBook', 'fetchBalance', 'fetchPositions', 'fetchOrder'];
  expect(compared).toEqual(expect.arrayContaining([...placed, ...read, 'fetchOrders', 'fetchOpenOrders', 'fetchMyTrades']));
});

test('counts every method once', () => {
  const { passed, failed, notClaimed, methods } = report;
  expect(new Set(methods.map(({ method }) => method)).size).toBe(methods.length);
  expect(passed + failed + notClaimed).toBe(methods.length);
});

test('renders the data as a table with a row per claimed method', () => {
  const { passed, failed, notClaimed, methods, suites } = report;
  const lines = renderReport(report).split('\n');
  expect(lines.at(-1)).toBe(
    `${passed} methods passed (${suites.upstream?.passed} of them by ccxt 2.9.8's own tests), ${failed} failed, ${notClaimed} not claimed`,
  );
  for (const { method, result } of methods)
    expect(
      lines.filter((line) => line.startsWith(`${method} `)),
      method,
    ).toHaveLength(result === 'notClaimed' ? 0 : 1);
});
