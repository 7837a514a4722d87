import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startFaultLine } from '#cli/foreseen-faults.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { closeAll } from '#host/close-all.ts';
import { openLedger } from '#host/ledger.ts';
import { readReplayPosition } from '#prices/replay-position.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Files } from '#writer/journal/files.ts';
import type { RunningVenue } from './compose.ts';
import { openDemoAccount } from './demo-account.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const MARKETS = DEVNET_MARKETS.map(({ specification }) => specification.marketId);

/** The machine may run other load beside this test. */
const log = () => {};

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function directory(): string {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  return path;
}

async function started(...args: Parameters<typeof startTestVenue>) {
  const venue = await startTestVenue(...args);
  undo.push(() => venue.stop());
  return venue;
}

async function json<Body = Record<string, unknown>>(url: string, init?: RequestInit): Promise<Body> {
  return (await (await fetch(url, init)).json()) as Body;
}

/** Returns the one-line message of a refused start. */
async function faultOf(starting: Promise<RunningVenue>): Promise<string> {
  const venue = await starting.catch((error: unknown) => error);
  const line = startFaultLine(venue);
  if (line === undefined) throw new Error('no expected fault', { cause: venue });
  expect(line).not.toContain('\n');
  return line;
}

/** Returns a log that throws EPIPE when the start, by then with a filled journal, reports that it set aside the socket file. */
function faultAtOperatorSocket(dataDirectory: string): (line: string) => void {
  writeFileSync(join(dataDirectory, 'operator.sock'), '');
  return (line) => {
    if (line.startsWith('operator: ')) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  };
}

/** Places an order far below the market, where it rests. */
async function placeResting({ url }: RunningVenue, apiKey: string, accountId: string, clientOrderId: string): Promise<Response> {
  const stats = await eventually(async () => {
    const read = await json(`${url}/v1/markets/BTC-USD-PERP/stats`);
    expect(read.markPrice).toBeDefined();
    return read;
  });
  const price = (Number(stats.markPrice) * 0.97).toFixed(1);
  return fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': clientOrderId },
    body: JSON.stringify({
      accountId,
      marketId: 'BTC-USD-PERP',
      clientOrderId,
      side: 'buy',
      orderType: 'limit',
      price,
      quantity: '0.01',
    }),
  });
}

describe('a venue', () => {
  test('starts with the markets of the devnet, and has the same state after a restart', async () => {
    const config = testConfig(directory());
    const first = await started(config);
    expect(first.recovered.sequence).toBe(0);
    const { markets } = await json<{ markets: { marketId: string; status: string }[] }>(`${first.url}/v1/markets`);
    expect(markets.map(({ marketId, status }) => `${marketId} ${status}`)).toEqual(MARKETS.map((marketId) => `${marketId} open`));
    const { accountId, apiKey } = await first.createAccount({ credit: '5000', label: 'lasting' });
    expect((await placeResting(first, apiKey, accountId, 'stays')).status).toBe(202);
    expect(first.counts()).toEqual({ trades: 0, accounts: 1 });
    const index = Number((await json(`${first.url}/v1/markets/BTC-USD-PERP/stats`)).indexPrice);
    await first.stop();

    const second = await started(config);
    expect(second.recovered).toMatchObject({ tornTail: undefined, damagedSnapshots: [] });
    expect(second.recovered.snapshotSequence).toBe(second.recovered.sequence);
    const headers = { authorization: `Bearer ${apiKey}` };
    const { orders } = await json<{ orders: { clientOrderId: string }[] }>(`${second.url}/v1/accounts/${accountId}/orders/open`, {
      headers,
    });
    expect(orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['stays']);
    const terms = { side: 'buy', orderType: 'limit', price: '1', quantity: '0.01' };
    const preview = await json(`${second.url}/v1/orders/preview`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ accountId, marketId: 'BTC-USD-PERP', clientOrderId: 'stays', ...terms }),
    });
    expect(preview, 'of the recovered state').toMatchObject({ accepted: false, code: 'duplicate_client_order_id' });
    expect(parseRendered(await second.reads.marketCatalogue()).markets).toHaveLength(MARKETS.length);
    await eventually(async () => {
      const stats = await json(`${second.url}/v1/markets/BTC-USD-PERP/stats`);
      expect(Number(stats.indexObservedAtEpochMs)).toBeGreaterThan(0);
      expect(Math.abs(Number(stats.indexPrice) / index - 1)).toBeLessThan(0.002);
    });
    expect([...first.internalErrors, ...second.internalErrors]).toEqual([]);
  });

  test('makes its files accessible to the owner of the directory only', async () => {
    const dataDirectory = join(directory(), 'new');
    const venue = await started(testConfig(dataDirectory));
    await openDemoAccount(venue, dataDirectory, log);
    expect(statSync(dataDirectory).mode & 0o077).toBe(0);
    for (const name of ['demo.env', 'operator.sock']) expect(statSync(join(dataDirectory, name)).mode & 0o777).toBe(0o600);
  });

  test('becomes ready when its markets are listed and priced', async () => {
    const probe = createServer().listen(0, 'localhost');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const seen: { ready: unknown; priced: number }[] = [];
    let isUp = false;
    const starting = started(testConfig(directory(), { port })).finally(() => {
      isUp = true;
    });
    do {
      const ready = await json(`http://localhost:${port}/ready`).catch(() => undefined);
      if (ready === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const ids = MARKETS.map((marketId) => `http://localhost:${port}/v1/markets/${marketId}/stats`);
      const stats = await Promise.all(ids.map((url) => json(url)));
      seen.push({ ready: ready.status, priced: stats.filter(({ markPrice }) => markPrice !== null).length });
    } while (!isUp);
    await starting;
    expect(seen.filter(({ ready, priced }) => ready === 'ready' && priced < MARKETS.length)).toEqual([]);
    expect(seen.some(({ ready }) => ready === 'not_ready')).toBe(true);
  });

  test('stops in order while idle clients are connected', async () => {
    const config = testConfig(directory());
    const first = await started(config);
    const half = 'GET /v1/markets HTTP/1.1\r\nHost: x\r\n';
    const unfinished = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a';
    for (const { url, bytes } of [first.url, first.realtimeUrl].flatMap((url) =>
      ['', half, unfinished].map((bytes) => ({ url, bytes })),
    )) {
      const socket = createConnection({ port: Number(new URL(url).port), host: 'localhost', allowHalfOpen: true });
      undo.push(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(bytes);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    await first.stop();
    const second = await started(config);
    expect(second.recovered.snapshotSequence).toBe(second.recovered.sequence);
    expect(second.recovered.sequence).toBeGreaterThan(0);
  });

  test('serves readiness, and streams trades and prices on its realtime port', async () => {
    const venue = await started(testConfig(directory()));
    expect(await json(`${venue.url}/ready`)).toMatchObject({ status: 'ready', reasons: [] });
    const socket = new WebSocket(venue.realtimeUrl);
    undo.push(() => socket.terminate());
    const frames: Record<string, unknown>[] = [];
    socket.on('message', (bytes) => frames.push(JSON.parse(String(bytes))));
    await once(socket, 'open');
    socket.send(JSON.stringify({ op: 'subscribe', channel: 'market.price', marketId: 'ETH-USD-PERP' }));
    await eventually(() => expect(frames.filter(({ type }) => type === 'update').length).toBeGreaterThan(1));
    const [first, second] = frames.filter(({ type }) => type === 'update');
    expect(first).toMatchObject({ channel: 'market.price', marketId: 'ETH-USD-PERP', data: { provider: 'generated' } });
    expect(Number(second?.sequence)).toBeGreaterThan(Number(first?.sequence));
  });

  test('replays candles for the markets that have them, and resumes the replay after a restart', async () => {
    const dataDirectory = directory();
    const file = join(dataDirectory, 'BTCUSDT.json');
    const begin = 1_618_951_320_000;
    writeFileSync(
      file,
      JSON.stringify(Array.from({ length: 2_000 }, (_, minute) => [begin + minute * 60_000, 50_000, 50_010, 49_990, 50_000, 1])),
    );
    const config = testConfig(dataDirectory, { prices: `file:${file}`, speed: 6_000 });
    const venue = await started(config);
    expect(venue.prices).toBe(
      'candles of BTC-USD-PERP from 2021-04-20 20:42 at speed 6000; ' +
        `generated (seed 1) for ${MARKETS.filter((marketId) => marketId !== 'BTC-USD-PERP').join(', ')}`,
    );
    await eventually(async () => {
      const stats = await json(`${venue.url}/v1/markets/BTC-USD-PERP/stats`);
      expect(Math.abs(Number(stats.indexPrice) - 50_000)).toBeLessThanOrEqual(10);
    });
    // At least ten minutes of the file.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await venue.stop();
    const place = readReplayPosition(join(dataDirectory, 'replay.json'), config.prices);
    expect(place).toEqual({ placeEpochMs: expect.any(Number) });
    expect('placeEpochMs' in place && place.placeEpochMs).toBeGreaterThan(begin);
    const again = await started(config);
    expect(again.prices).not.toContain('from 2021-04-20 20:42');
  });
});

describe('the demo account', () => {
  test('is created once, shows its key once, and updates its URLs to the ports', async () => {
    const config = testConfig(directory());
    const venue = await started(config);
    const created = await openDemoAccount(venue, config.dataDirectory, log);
    expect(created.newApiKey).toMatch(/^opk_/);
    expect(venue.accountOf(created.newApiKey!)).toBe(created.accountId);
    expect((await openDemoAccount(venue, config.dataDirectory, log)).newApiKey).toBeUndefined();
    await venue.stop();
    const moved = await started(config);
    const account = await openDemoAccount(moved, config.dataDirectory, log);
    expect(account).toEqual({ accountId: created.accountId, newApiKey: undefined, file: created.file });
    process.loadEnvFile(created.file);
    const { OPENPERP_URL, OPENPERP_REALTIME_URL, OPENPERP_APIKEY, OPENPERP_ACCOUNT_ID } = process.env;
    expect({ OPENPERP_URL, OPENPERP_REALTIME_URL, OPENPERP_APIKEY, OPENPERP_ACCOUNT_ID }).toEqual({
      OPENPERP_URL: moved.url,
      OPENPERP_REALTIME_URL: moved.realtimeUrl,
      OPENPERP_APIKEY: created.newApiKey,
      OPENPERP_ACCOUNT_ID: created.accountId,
    });
    const party = await json(`${moved.url}/v1/accounts/${created.accountId}/party`, {
      headers: { authorization: `Bearer ${created.newApiKey}` },
    });
    expect(party).toMatchObject({ status: 'active' });
  });
});

describe('a failed start', () => {
  test('names the port in use, and leaves the directory unchanged', async () => {
    const taken = createServer().listen(0, 'localhost');
    await once(taken, 'listening');
    undo.push(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const dataDirectory = directory();
    expect(await faultOf(startTestVenue(testConfig(dataDirectory, { port })))).toBe(
      `port ${port} is taken: stop what uses it, or choose another with --port`,
    );
    expect(await faultOf(startTestVenue(testConfig(dataDirectory, { realtimePort: port })))).toBe(
      `port ${port} is taken: stop what uses it, or choose another with --realtime-port`,
    );
    expect(await faultOf(startTestVenue(testConfig(dataDirectory, { metrics: { host: 'localhost', port } })))).toBe(
      `port ${port} is taken: stop what uses it, or choose another with --metrics-port`,
    );
    expect(await faultOf(startTestVenue(testConfig(dataDirectory, { host: '203.0.113.1' })))).toMatch(
      /^cannot listen on port 0: /,
    );
    expect(readdirSync(dataDirectory)).toEqual([]);
    const venue = await started(testConfig(dataDirectory));
    expect(venue.recovered.sequence).toBe(0);
    await venue.stop();
    const sequence = venue.directory.sequence();
    expect(await faultOf(startTestVenue(testConfig(dataDirectory, { port })))).toMatch(/is taken/);
    expect((await started(testConfig(dataDirectory))).recovered.sequence).toBe(sequence);
  });

  test('makes no directory if the settings are invalid', async () => {
    const parent = directory();
    const taken = createServer().listen(0, 'localhost');
    await once(taken, 'listening');
    undo.push(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const dataDirectory = join(parent, 'a', 'b');
    for (const changes of [{ port }, { realtimePort: port }, { metrics: { host: 'localhost', port } }])
      expect(await faultOf(startTestVenue(testConfig(dataDirectory, changes)))).toMatch(/is taken/);
    await faultOf(startTestVenue(testConfig(join(parent, 'x'.repeat(120)))));
    expect(readdirSync(parent)).toEqual([]);
  });

  test('keeps the journal if it fails later, and the next start continues from it', async () => {
    const dataDirectory = directory();
    const log = faultAtOperatorSocket(dataDirectory);
    expect(await faultOf(startTestVenue(testConfig(dataDirectory), { log }))).toMatch(
      / cannot be used: write EPIPE: mend that, and try again$/,
    );
    const venue = await started(testConfig(dataDirectory));
    expect(venue.recovered.sequence).toBeGreaterThan(3);
    expect(parseRendered(await venue.reads.marketCatalogue()).markets).toHaveLength(MARKETS.length);
    expect((await openDemoAccount(venue, dataDirectory, log)).newApiKey).toMatch(/^opk_/);
    expect(venue.internalErrors).toEqual([]);
  });

  test('completes a first start that was killed, and repeats no command', async () => {
    const dataDirectory = directory();
    const resources = new AsyncDisposableStack();
    const { submit } = await openLedger({ ...systemTime, dataDirectory, onHalt: () => {}, log: () => {} }, resources);
    await submit({ command: { type: 'CreditInsurance', amountAtoms: quoteAtoms(1_000_000_000_000), reference: 'devnet' } });
    await closeAll(resources);
    const venue = await started(testConfig(dataDirectory));
    expect(parseRendered(await venue.reads.marketCatalogue()).markets).toHaveLength(MARKETS.length);
    expect(parseRendered(await venue.reads.ledgers()).insurance).toBe('1000000');
    const other = await started(testConfig(directory()));
    expect(parseRendered(await other.reads.ledgers()).insurance).toBe('1000000');
  });

  test('reports its cause, and separately a failure to close what it opened', async () => {
    const dataDirectory = directory();
    const log = faultAtOperatorSocket(dataDirectory);
    const flushToDisk = (files: Files): Files => ({
      ...files,
      create: async (name) => {
        const file = await files.create(name);
        const close = () => file.close().then(() => Promise.reject(new Error('planted')));
        return name.startsWith('segment') ? { ...file, close } : file;
      },
    });
    const internalErrors: unknown[] = [];
    const starting = startTestVenue(testConfig(dataDirectory), {
      flushToDisk,
      log,
      onFatalError: (error) => internalErrors.push(error),
    });
    expect(await faultOf(starting)).toContain('write EPIPE');
    expect(internalErrors).toEqual([new Error('planted')]);
  });

  test('names the directory that another venue uses, and does not disturb that venue', async () => {
    const config = testConfig(directory());
    const venue = await started(config);
    expect(await faultOf(startTestVenue(config))).toBe(
      `another process uses the data directory ${config.dataDirectory}: stop it, or choose another directory`,
    );
    expect(await json(`${venue.url}/ready`)).toMatchObject({ status: 'ready' });
  });

  test('names a directory that cannot be written', async () => {
    const dataDirectory = directory();
    writeFileSync(join(dataDirectory, 'file'), '');
    const inFile = join(dataDirectory, 'file', 'data');
    expect(await faultOf(startTestVenue(testConfig(inFile)))).toMatch(`the data directory ${inFile} cannot be used: ENOTDIR`);
  });

  test('names a missing price file, before it touches the directory', async () => {
    const dataDirectory = directory();
    const prices = `file:${join(dataDirectory, 'BTC.json')}`;
    const missingDirectory = join(dataDirectory, 'venue');
    expect(await faultOf(startTestVenue(testConfig(missingDirectory, { prices })))).toMatch(/BTC\.json: cannot be read: ENOENT/);
    expect(readdirSync(dataDirectory)).toEqual([]);
  });

  test('names a path that is too long for a socket', async () => {
    const long = join(directory(), 'x'.repeat(120));
    expect(await faultOf(startTestVenue(testConfig(long)))).toMatch(/is too long for a socket in it/);
  });
});
