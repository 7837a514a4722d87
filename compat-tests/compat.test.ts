/** The whole of `npm run compat`, on a venue of its own: nothing fails, and what passes is what is claimed. */
import { beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { bootVenue } from './booted-venue.ts';
import { type CompatReport, renderReport } from './report.ts';
import { runChecks } from './run.ts';

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

test('no check fails', () => {
  const failures = report.methods.filter(({ outcome }) => outcome === 'fail');
  expect(failures).toEqual([]);
});

test('the methods that bots are built on are claimed, and pass', () => {
  const passed = report.methods.filter(({ outcome }) => outcome === 'pass').map(({ method }) => method);
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

test("every claimed method is checked, by ccxt's own test where it has one", () => {
  const { has } = new OpenPerp();
  const checked = new Set(report.methods.filter(({ outcome }) => outcome !== 'notClaimed').map(({ method }) => method));
  for (const method of checked) expect(method === 'loadMarkets' || has[method], method).toBeTruthy();
  expect(
    report.methods.filter(({ source, outcome }) => source === 'ccxt 2.9.8' && outcome === 'pass').length,
  ).toBeGreaterThanOrEqual(21);
});

test('the table says what the data says', () => {
  const { passed, failed, notClaimed, methods } = report;
  expect(passed + failed + notClaimed).toBe(methods.length);
  expect(renderReport(report).split('\n').at(-1)).toBe(`${passed} passed, ${failed} failed, ${notClaimed} not claimed`);
});
