/** Internal errors at the edges of a venue: each is answered or contained, counted and logged, and the venue goes on. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Histogram, MetricRegistry } from '#observability/metric-registry.ts';
import { callOperator } from '#operator/client.ts';
import { VenueDirectory } from '#projection/projection.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { EDGES, InternalErrors } from './internal-errors.ts';
import { Readiness } from './readiness.ts';
import { callerWith, startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const { path, remove } = temporaryDirectory();
const logged: [error: unknown, where: string][] = [];
const planted = new Error('planted');
let venue: TestVenue;
let accountId: string;
let call: ReturnType<typeof callerWith>;
let before: ReadonlyMap<string, number>;

beforeAll(async () => {
  venue = await startTestVenue(testConfig(path), { onInternalError: (error, where) => logged.push([error, where]) });
  const created = await venue.createAccount({ label: 'client', credit: '100000' });
  accountId = created.accountId;
  call = callerWith(created.apiKey);
});
afterAll(async () => {
  await venue.stop();
  remove();
});
beforeEach(async () => {
  logged.length = 0;
  before = await counts();
});
afterEach(async () => {
  vi.restoreAllMocks();
  // No error stopped the venue.
  expect(venue.internalErrors).toEqual([]);
  expect((await call(venue, '/ready')).body.reasons).toEqual([]);
  expect((await place(`after-${accountId}-${Math.random()}`)).status).toBe(202);
});

async function counts(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(venue.metricsUrl!)).text();
  const found = text.matchAll(/^openperp_internal_errors_total\{edge="(\w+)"\} ([0-9]+)$/gm);
  return new Map([...found].map(([, edge, count]) => [edge!, Number(count)]));
}

async function place(key: string) {
  const { body: stats } = await call(venue, '/v1/markets/BTC-USD-PERP/stats');
  prices.set(key, prices.get(key) ?? (Number(stats.markPrice) * 0.97).toFixed(1));
  const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price: prices.get(key), quantity: '0.01' };
  const body = JSON.stringify({ accountId, clientOrderId: key, ...terms });
  return call(venue, '/v1/orders', { method: 'POST', headers: { 'idempotency-key': key }, body });
}
const prices = new Map<string, string>();

/** The edge counted so many errors, and they are logged. */
async function expectCounted(edge: string, times = 1): Promise<void> {
  const now = await counts();
  for (const [name, count] of now) expect([name, count - before.get(name)!]).toEqual([name, name === edge ? times : 0]);
  expect(logged.map(([error]) => error)).toEqual(Array.from({ length: times }, () => planted));
}

test('shows every edge from the start', () => {
  expect([...before.keys()].sort()).toEqual([...EDGES].sort());
});

test('keeps an order whose response cannot be rendered: the same key gets the stored response', async () => {
  vi.spyOn(VenueDirectory.prototype, 'placedOrders').mockImplementationOnce(() => {
    throw planted;
  });
  expect(await place('once')).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  await expectCounted('http');
  const again = await place('once');
  expect(again).toMatchObject({ status: 202, body: { clientOrderId: 'once', status: 'open' } });
  const { body: open } = await call(venue, `/v1/accounts/${accountId}/orders/open`);
  expect(open.orders.filter(({ clientOrderId }: { clientOrderId: string }) => clientOrderId === 'once')).toHaveLength(1);
});

test.each([
  ['is performed', () => Promise.reject(planted)],
  [
    'is answered',
    async () => ({
      isReady: true,
      reasons: [],
      toJSON: () => {
        throw planted;
      },
    }),
  ],
])("answers an exception while an operator's line %s, and performs the next line", async (_, report) => {
  vi.spyOn(Readiness.prototype, 'report').mockImplementationOnce(report);
  await expect(callOperator(path, { action: 'venue.status' })).rejects.toMatchObject({ code: 'internal_error' });
  await expectCounted('operator');
  expect(await callOperator(path, { action: 'venue.status' })).toMatchObject({ isReady: true });
});

test('answers an exception in a scrape with 500', async () => {
  vi.spyOn(MetricRegistry.prototype, 'scrape').mockRejectedValueOnce(planted);
  expect((await fetch(venue.metricsUrl!)).status).toBe(500);
  await expectCounted('metrics');
});

test('omits a part of a scrape that throws', async () => {
  vi.spyOn(Readiness.prototype, 'status').mockRejectedValueOnce(planted);
  const text = await (await fetch(venue.metricsUrl!)).text();
  expect(text).not.toMatch(/^openperp_ready /m);
  expect(text).toMatch(/^openperp_journal_sequence /m);
  await expectCounted('metrics');
});

test('responds although counting a commit throws', async () => {
  const { observe } = Histogram.prototype;
  let isPlanted = true;
  vi.spyOn(Histogram.prototype, 'observe').mockImplementation(function (this: Histogram, value) {
    const isOfCommits = this.bounds.length !== requestBounds;
    if (isPlanted && isOfCommits) {
      isPlanted = false;
      throw planted;
    }
    observe.call(this, value);
  });
  expect((await place('counted')).status).toBe(202);
  await expectCounted('observer');
});
const requestBounds = 16;

describe('the log', () => {
  test('takes a burst and then a few errors, and says how many it omitted', () => {
    const time = new ManualTime();
    const lines: string[] = [];
    const errors = new InternalErrors(time, (_, where) => lines.push(where));
    const counter = new Map<string, { value: number; add: () => void }>();
    const child = ({ edge }: { edge: string }) => {
      const counted = {
        value: 0,
        add: () => {
          counted.value += 1;
        },
      };
      counter.set(edge, counted);
      return counted;
    };
    errors.countIn({ counter: () => ({ child }) } as never);
    for (let count = 1; count <= 120; count += 1) errors.report(planted, 'http', `request ${count}`);
    expect([lines.length, lines.at(-1), counter.get('http')!.value]).toEqual([20, 'request 20', 120]);
    time.pass(5_000);
    errors.report(planted, 'http', 'request 121');
    expect(lines.at(-1)).toBe('request 121 (100 earlier internal errors were not logged)');
  });
});
