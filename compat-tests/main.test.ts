/** `npm run compat` as a command: its output and its exit status. Most command lines run in this process, three in one of their own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import { compat as runCompat } from './command.ts';
import { type CannedResponse, passOn, type RecordedRequest, startRecorder } from './recorder.ts';
import type { CompatReport } from './report.ts';

const MAIN = fileURLToPath(import.meta.resolve('#compat/main.ts'));
let venue: BootedVenue;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

const { OPENPERP_APIKEY: _, ...env } = process.env;

/** In a process of its own, which must end by itself. */
async function compatProcess(...args: readonly string[]) {
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

async function compat(...args: readonly string[]) {
  const { status, stdout, stderr } = await runCompat(args, env);
  return { code: status, stdout, stderr };
}

/**
 * The venue's own response, but with an empty list of public trades and no withdrawal. No candle is marked as synthetic: the
 * minute of the venue's start would need no trades.
 */
async function withoutTrades(request: RecordedRequest): Promise<CannedResponse> {
  const response = await passOn(venue.url, request);
  const { body } = response;
  if ('trades' in body) return { ...response, body: { ...body, trades: [] } };
  if ('candles' in body) {
    const candles = (body.candles as readonly object[]).map((candle) => ({ ...candle, synthetic: undefined }));
    return { ...response, body: { ...body, candles } };
  }
  if (!('transfers' in body)) return response;
  const transfers = (body.transfers as readonly { kind: string }[]).filter(({ kind }) => kind !== 'withdrawal');
  return { ...response, body: { ...body, transfers } };
}

test('passes a running venue, and prints the report as JSON', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const { code, stdout } = await compatProcess('--short', '--json', '--url', venue.url, '--apikey', apiKey);
  const { passed, failed, notClaimed, methods }: CompatReport = JSON.parse(stdout);
  expect({ code, failed }).toEqual({ code: 0, failed: 0 });
  expect(passed + notClaimed).toBe(methods.length);
  const pass = 'pass';
  const ofTrades = { upstream: pass, own: pass, fixtures: pass, v2Own: pass };
  expect(methods).toContainEqual({ method: 'fetchTrades', result: pass, checks: ofTrades });
  const ofOrders = { own: pass, fixtures: pass, v2Own: pass, differential: pass };
  expect(methods).toContainEqual({ method: 'createOrder', result: pass, checks: ofOrders });
  expect(methods).toContainEqual({ method: 'editOrder', result: pass, checks: { own: pass, fixtures: pass, v2Own: pass } });
  expect(methods).toContainEqual({ method: 'fetchIsolatedPositions', result: 'notClaimed', checks: {} });
});

test('fails for an empty response; skips what the account has never had', async () => {
  const recorder = await startRecorder(withoutTrades);
  const { apiKey } = await venue.openAccount('100000');
  const { code, stdout } = await compat('--short', '--url', recorder.url, '--apikey', apiKey);
  await recorder.close();
  expect(stdout).toMatch(
    /^fetchTrades +FAIL +FAIL +pass +– +pass +– +FAIL\n +ccxt 2\.9\.8: fetchTrades returned an empty list\n +ours: /m,
  );
  // A candle is compared with the trades of its minute.
  expect(stdout).toMatch(/^fetchOHLCV +pass +FAIL +pass +pass +pass +pass +FAIL$/m);
  expect(stdout).toMatch(/^createOrder +no module +pass +pass +– +pass +pass +pass$/m);
  expect(stdout).toMatch(/^fetchWithdrawals +skip +skip +pass +– +– +– +skip$/m);
  expect(stdout).toMatch(/^ +ours, fetchWithdrawals: skipped: the account has no withdrawals/m);
  expect(stdout.trimEnd()).toMatch(
    /\n\d+ methods passed \(\d+ of them by ccxt 2\.9\.8's own tests\), 2 failed, 1 skipped, \d+ not claimed$/,
  );
  expect(code).toBe(1);
});

/** The venue's own response, but without trades outside of BTC, and without a book of ETH. */
async function withoutActivity(request: RecordedRequest): Promise<CannedResponse> {
  const response = await passOn(venue.url, request);
  const quiet = (stats: Record<string, unknown>) => {
    if (stats.marketId === 'BTC-USD-PERP') return stats;
    const hidden = stats.marketId === 'ETH-USD-PERP' ? /^(?:last|best)/ : /^last(?:Price|Quantity|TradeAt)/;
    return Object.fromEntries(Object.entries(stats).filter(([key]) => !hidden.test(key)));
  };
  const { body } = response as { body: Record<string, unknown> };
  if (body.version === 'external-market-stats/v1') return { ...response, body: quiet(body) };
  if (!/\/v1\/market-data\/stats/.test(request.path)) return response;
  return { ...response, body: { ...body, stats: (body.stats as Record<string, unknown>[]).map(quiet) } };
}

test('fails nothing for markets without trades, and skips the order that exceeds the money of an account that can pay for it', async () => {
  const recorder = await startRecorder(withoutActivity);
  const { apiKey } = await venue.openAccount('1000000000');
  const { code, stdout } = await compat('--short', '--url', recorder.url, '--apikey', apiKey);
  const placed = recorder.requests.filter(({ path }) => path === '/v1/orders').map(({ body }) => JSON.parse(body));
  await recorder.close();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/ 0 failed, \d+ not claimed$/m) });
  expect(stdout).toMatch(/^ +ours, createOrder: skipped: the account has \d+(?:\.\d+)?, and the largest order costs [\d.]+:/m);
  // Except one that exceeds the market's maximum.
  const ofBitcoin = placed.filter(({ marketId }) => marketId === 'BTC-USD-PERP').map(({ quantity }) => Number(quantity));
  expect(ofBitcoin.filter((quantity) => quantity > 1 && quantity <= 100)).toEqual([]);
});

test('leaves an account that is not idle unchanged', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  const { id } = await exchange.createOrder('ETH/USD.E:USD.E', 'market', 'buy', 0.1);
  const { code, stderr } = await compat('--url', `${venue.url}/`, '--apikey', apiKey);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'compat: the account is not idle (open orders: 0, positions: 1): give the key of one that is',
  });
  expect((await exchange.fetchOrders()).map((order) => order.id)).toEqual([id]);
});

async function expectRefused(message: RegExp, ...args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await compat(...args);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(stderr.split('\n')).toHaveLength(1);
}

describe('a missing scope or missing money is reported in one line, and no order is placed', () => {
  const both = 'give one that may read and trade';
  const isAbsent = 'the account may not trade, its party binding is absent';
  test.each<[string, Parameters<BootedVenue['openAccount']>, string]>([
    ['trade', ['100000', { scopes: ['read'] }], `the key lacks the scope trade (it has read): ${both}`],
    ['read', ['100000', { scopes: ['trade', 'funding'] }], `the key lacks the scope read (it has trade, funding): ${both}`],
    ['both', ['100000', { scopes: ['agents'] }], `the key lacks the scope read and trade (it has agents): ${both}`],
    ['a party', ['100000', { party: false }], `${isAbsent}: give the key of one that may`],
    ['money', ['0'], 'the account has 0 USD.E available, and the checks need 7'],
    ['enough of it', ['300'], 'the account has 300 USD.E available, and the checks need 7'],
  ])('%s', async (_, account, message) => {
    const { apiKey } = await venue.openAccount(...account);
    const line = new RegExp(`^compat: ${message.replace(/[.()]/g, '\\$&')}`);
    await expectRefused(line, '--url', venue.url, '--apikey', apiKey);
    await expectRefused(line, '--json', '--url', venue.url, '--apikey', apiKey);
    const mayRead = account[1]?.scopes === undefined || account[1].scopes.includes('read');
    if (mayRead) expect(await new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } }).fetchOrders()).toEqual([]);
  });
});

/** The venue's own response, with `change` applied. */
function answering(change: (body: Record<string, unknown>, request: RecordedRequest) => object) {
  return async (request: RecordedRequest): Promise<CannedResponse> => {
    const response = await passOn(venue.url, request);
    return { ...response, body: change(response.body as Record<string, unknown>, request) };
  };
}

const halted = { version: 'external-rest-error/v1', requestId: 'r', code: 'venue_halted', safeMessage: 'The venue is "halted".' };
const ofStats = (change: object) =>
  answering((body) => (body.version === 'external-market-stats/v1' ? { ...body, ...change } : body));

describe('a missing property of the venue is reported in one line', () => {
  test.each<[string, (request: RecordedRequest) => Promise<CannedResponse>, RegExp]>([
    [
      'open markets',
      ofStats({ status: 'reduce_only' }),
      /^compat: the checks need two markets that can be traded in \(BTC\/USD\.E:USD\.E is reduce_only, .*\): wait for them, or /,
    ],
    [
      'a second one',
      answering((body) => (/^(?!BTC)\w+-USD-PERP$/.test(String(body.marketId)) ? { ...body, status: 'closed' } : body)),
      /^compat: .*\(BTC\/USD\.E:USD\.E can be(?:, \w+\/USD\.E:USD\.E is closed)+\): /,
    ],
    ['an index', ofStats({ indexStatus: 'stale' }), /^compat: .*BTC\/USD\.E:USD\.E has an index that is stale, /],
    ['books', ofStats({ bestAskPrice: undefined }), /^compat: .*BTC\/USD\.E:USD\.E has no book with both sides, /],
    [
      'requests that a key may send',
      answering((body) =>
        'x-openperp-limits' in body ? { 'x-openperp-limits': { rates: [{ policy: 'reads-per-key', perSecond: 50 }] } } : body,
      ),
      /^compat: the venue lets a key send 50 reads a second, and the checks need 200: /,
    ],
  ])('%s', async (_, response, message) => {
    const { apiKey } = await venue.openAccount('1000');
    const recorder = await startRecorder(response);
    await expectRefused(message, '--url', recorder.url, '--apikey', apiKey).finally(() => recorder.close());
  });
});

test('ends, in one line, although checks wait for an update when the venue halts', async () => {
  const { apiKey } = await venue.openAccount('1000');
  const recorder = await startRecorder(async (request) =>
    request.path === '/v1/orders' ? { status: 503, body: halted } : await passOn(venue.url, request),
  );
  const ended = await compatProcess('--url', recorder.url, '--apikey', apiKey).finally(() => recorder.close());
  expect(ended).toEqual({ code: 2, stdout: '', stderr: 'compat: the venue says venue_halted: The venue is "halted".\n' });
});

test('refuses an unknown option in one line', async () => {
  expect(await compatProcess('--nonsense')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^compat: Unknown option '--nonsense'.*\n$/),
  });
});

test('reports an unknown API key without printing it', async () => {
  const { code, stderr } = await compat('--url', venue.url, '--apikey', 'opk_unknown_0000');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^compat: .*unauthorized.*$/);
  expect(stderr).not.toContain('\n');
  expect(stderr).not.toContain('opk_unknown_0000');
});

test.each([
  [['--url', 'http://127.0.0.1:1', '--apikey', 'opk_x'], /^compat: .*127\.0\.0\.1:1/],
  [['--url', 'http://127.0.0.1:1'], /^compat: --url needs an API key/],
  [['--url', 'localhost:8080', '--apikey', 'opk_x'], /^compat: --url takes an address like http:\/\/localhost:8080$/m],
  [['--apikey', 'opk_x'], /^compat: --apikey goes with --url/],
])('refuses %j in one line', async (args, message) => {
  const { code, stderr } = await compat(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr.split('\n')).toHaveLength(1);
});
