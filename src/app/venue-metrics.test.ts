/** `/metrics` of a venue that trades: what it shows, to whom, and what it never shows. */
import { request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Halt } from '#writer/port/halt.ts';
import type { VenueParts } from './compose.ts';
import type { VenueConfig } from './config.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const { postMessage } = Worker.prototype;
/** Every message to a thread. */
const posts = vi.spyOn(Worker.prototype, 'postMessage');

/** Delays reads of that name until they are released; `requested` resolves at the first one. */
function delayReads(name: string): { readonly requested: Promise<void>; readonly release: () => void } {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const pendingReads: (() => void)[] = [];
  posts.mockImplementation(function (this: Worker, ...message) {
    const post = () => postMessage.apply(this, message);
    if (message[0].name !== name) return post();
    pendingReads.push(post);
    resolve();
  });
  const release = () => {
    posts.mockReset();
    for (const post of pendingReads.splice(0)) post();
  };
  return { requested, release };
}

async function started(changes: Partial<VenueConfig> = {}, parts: Partial<VenueParts> = {}): Promise<TestVenue> {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const venue = await startTestVenue(testConfig(path, changes), parts);
  undo.push(() => venue.stop());
  return venue;
}

/** Every sample by name and labels. */
async function scraped(venue: TestVenue): Promise<Map<string, number>> {
  const response = await fetch(metricsUrlOf(venue));
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of (await response.text()).split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) types.set(type[1]!, type[2]!);
    if (line === '' || line.startsWith('#')) continue;
    const sample = /^(openperp_[a-z0-9_]+)(?:\{(?:[a-z]+="[^"\\]*",?)+\})? (-?[0-9.e+-]+)$/.exec(line);
    expect(sample, line).not.toBeNull();
    const family = sample![1]!.replace(/_(?:bucket|sum|count)$/, '');
    expect(types.get(sample![1]!) ?? types.get(family), line).toBeDefined();
    samples.set(line.slice(0, line.lastIndexOf(' ')), Number(sample![2]));
  }
  return samples;
}

function ordered(venue: TestVenue, accountId: string, apiKey: string, fields: object): Promise<Response> {
  return fetch(`${venue.url}/v1/orders`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ accountId, marketId: 'BTC-USD-PERP', clientOrderId: crypto.randomUUID(), ...fields }),
  });
}

describe('the metrics', () => {
  test('count requests, commands and money, and show the state of the venue', async () => {
    const venue = await started();
    const maker = await venue.createAccount({ label: 'maker', credit: '100000' });
    const taker = await venue.createAccount({ label: 'taker', credit: '100000' });
    const { markPrice } = (await (await fetch(`${venue.url}/v1/markets/BTC-USD-PERP/stats`)).json()) as { markPrice: string };
    const limit = { side: 'sell', orderType: 'limit', price: markPrice, quantity: '0.5' };
    expect((await ordered(venue, maker.accountId, maker.apiKey, limit)).status).toBe(202);
    const market = { side: 'buy', orderType: 'market', quantity: '0.5' };
    expect((await ordered(venue, taker.accountId, taker.apiKey, market)).status).toBe(202);
    expect((await ordered(venue, taker.accountId, taker.apiKey, { ...limit, quantity: '90' })).status).toBe(409);
    await fetch(`${venue.url}/v1/nothing`);

    const samples = await scraped(venue);
    expect(Object.fromEntries(samples)).toMatchObject({
      'openperp_http_requests_total{operation="placeOrder",status="202"}': 2,
      'openperp_http_requests_total{operation="placeOrder",status="409"}': 1,
      'openperp_http_requests_total{operation="unrouted",status="404"}': 1,
      'openperp_http_refusals_total{code="insufficient_margin"}': 1,
      'openperp_http_refusals_total{code="path_not_found"}': 1,
      'openperp_http_request_duration_seconds_count{operation="placeOrder"}': 3,
      'openperp_commands_total{command="PlaceOrder",outcome="accepted"}': 2,
      'openperp_commands_total{command="PlaceOrder",outcome="insufficient_margin"}': 1,
      'openperp_commands_total{command="CreditCash",outcome="accepted"}': 2,
      openperp_ready: 1,
      openperp_halted: 0,
      // The insurance fund of a new venue is a million.
      openperp_net_deposits_usde: 1_200_000,
      openperp_conservation_imbalance_usde: 0,
      'openperp_market_open_interest_base{market="BTC-USD-PERP"}': 0.5,
      'openperp_market_index_current{market="BTC-USD-PERP"}': 1,
      'openperp_scrape_failures_total{part="money"}': 0,
      openperp_realtime_sockets: 0,
    });
    expect(samples.get('openperp_ledger_usde{ledger="fees"}')).toBeGreaterThan(0);
    expect(samples.get('openperp_commit_records_sum')).toBeGreaterThanOrEqual(7);
    expect(samples.get('openperp_commit_duration_seconds_count')).toBeGreaterThan(0);
    expect(samples.get('openperp_journal_bytes{place="live"}')).toBeGreaterThan(0);
    expect(samples.get('openperp_process_memory_bytes{kind="rss"}')).toBeGreaterThan(10_000_000);
    expect([...samples.keys()].filter((name) => name.startsWith('openperp_event_loop_delay_seconds'))).toHaveLength(4);
    expect(samples.has('openperp_redis_up')).toBe(false);
  });

  test('count requests while the venue starts', async () => {
    const { path, remove } = temporaryDirectory();
    undo.push(remove);
    const first = await startTestVenue(testConfig(path));
    const { accountId, apiKey } = await first.createAccount({ credit: '1' });
    await first.stop();
    const pendingReads = delayReads('marketStats');
    const starting = startTestVenue(testConfig(path, { port: Number(new URL(first.url).port) }));
    undo.push(async () => (await starting).stop());
    undo.push(pendingReads.release);
    // The start reads the stats of the markets for its first prices, after its services opened.
    await Promise.race([pendingReads.requested, starting]);
    const favorite = `${first.url}/v1/accounts/${accountId}/favorites/BTC-USD-PERP`;
    const response = await fetch(favorite, { method: 'PUT', headers: { authorization: `Bearer ${apiKey}` } });
    expect(response.status).toBe(200);
    pendingReads.release();
    const samples = await scraped(await starting);
    expect(samples.get('openperp_commands_total{command="SetFavorite",outcome="accepted"}')).toBe(1);
    const commands = [...samples].filter(([name]) => name.startsWith('openperp_commands_total'));
    const counted = commands.reduce((sum, [, count]) => sum + count, 0);
    expect(counted).toBe(samples.get('openperp_commit_records_sum'));
  });

  test('count connections and their frames', async () => {
    const venue = await started();
    const socket = new WebSocket(venue.realtimeUrl);
    undo.push(() => socket.terminate());
    await new Promise((resolve) => socket.once('message', resolve));
    const samples = await scraped(venue);
    expect(samples.get('openperp_realtime_sockets')).toBe(1);
    expect(samples.get('openperp_realtime_frames_sent_total')).toBe(1);
    expect(samples.get('openperp_realtime_closed_total{reason="slow_consumer"}')).toBe(0);
    expect(samples.get('openperp_realtime_spared_total')).toBe(0);
    expect(samples.get('openperp_realtime_waiting_replays')).toBe(0);
    expect(samples.get('openperp_realtime_lag_records')).toBeGreaterThanOrEqual(0);
    expect(samples.get('openperp_realtime_loop_delay_seconds')).toBeGreaterThan(0);
  });

  test('name no account and no key, and clients cannot add series', async () => {
    const venue = await started();
    const { accountId, apiKey, keyId } = await venue.createAccount({ label: 'who', credit: '1' });
    const headers = { authorization: `Bearer ${apiKey}` };
    const read = async (round: number) => {
      for (let count = 0; count < 20; count += 1) {
        await fetch(`${venue.url}/v1/${round}/${count}`, { method: 'PATCH' });
        await fetch(`${venue.url}/v1/accounts/acct-${round}${count}/orders?x=${count}`, { headers });
        await fetch(`${venue.url}/v1/markets/M${round}${count}`, { headers: { 'user-agent': `agent-${count}` } });
      }
      return scraped(venue);
    };
    await read(1);
    const [before, after] = [await read(2), await read(3)];
    expect([...after.keys()]).toEqual([...before.keys()]);
    const text = await (await fetch(metricsUrlOf(venue))).text();
    for (const secret of [accountId, apiKey, keyId, 'agent-', 'acct-']) expect(text).not.toContain(secret);
  });
});

describe('a metric that cannot be read', () => {
  test('is omitted and counted; only the halt is reported, and no scrape ends the process', async () => {
    const halts: Halt[] = [];
    const venue = await started({}, { onHalt: (halt) => halts.push(halt) });
    expect((await scraped(venue)).get('openperp_conservation_imbalance_usde')).toBe(0);
    const requested = posts.mock.calls.findIndex(([message]) => message.name === 'conservation');
    await (posts.mock.contexts[requested] as Worker).terminate();
    await scraped(venue);
    const samples = await scraped(venue);
    const names = ['ledger_usde{ledger="fees"}', 'net_deposits_usde', 'conservation_imbalance_usde'];
    for (const name of names) expect(samples.has(`openperp_${name}`), name).toBe(false);
    expect([...samples.keys()].filter((name) => name.startsWith('openperp_market_'))).toEqual([]);
    expect(samples.get('openperp_scrape_failures_total{part="money"}')).toBe(2);
    expect([samples.get('openperp_halted'), samples.get('openperp_ready')]).toEqual([1, 0]);
    expect(halts).toMatchObject([{ detail: expect.stringContaining('the thread of the projection ended') }]);
    expect(venue.internalErrors).toEqual([]);
  });
});

describe('the metrics port', () => {
  test('is the only port that serves metrics, since a proxy on this machine looks like this machine', async () => {
    const venue = await started();
    expect(new URL(metricsUrlOf(venue)).hostname).toBe('127.0.0.1');
    expect(new URL(metricsUrlOf(venue)).port).not.toBe(new URL(venue.url).port);
    expect((await scraped(venue)).get('openperp_ready')).toBe(1);
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1']) {
      const response = await fetch(`${venue.url}${path}`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'path_not_found' }]);
    }
    for (const path of ['/', '/health', '/v1/markets'])
      expect((await fetch(new URL(path, metricsUrlOf(venue)))).status).toBe(404);
    expect((await fetch(metricsUrlOf(venue), { method: 'POST' })).status).toBe(404);
  });

  test('refuses pages whose host name resolves to this machine', async () => {
    const venue = await started();
    expect((await fetch(metricsUrlOf(venue))).headers.get('access-control-allow-origin')).toBeNull();
    expect(await statusWithHost(venue, 'rebound.example')).toBe(404);
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:9'])
      expect([host, await statusWithHost(venue, host)]).toEqual([host, 200]);
  });

  test('is closed when metrics are off', async () => {
    const venue = await started({ metrics: undefined });
    expect(venue.metricsUrl).toBeUndefined();
    expect((await fetch(`${venue.url}/metrics`)).status).toBe(404);
  });
});

function metricsUrlOf({ metricsUrl }: TestVenue): string {
  if (metricsUrl === undefined) throw new Error('the venue shows no metrics');
  return metricsUrl;
}

/** `fetch` sets the Host header itself. */
function statusWithHost(venue: TestVenue, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const requested = request(metricsUrlOf(venue), { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    requested.on('error', reject);
    requested.end();
  });
}
