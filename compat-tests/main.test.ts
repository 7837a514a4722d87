/** `npm run compat` as a command: what it prints, and the status that it ends with. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import { type CannedAnswer, passOn, type RecordedRequest, startRecorder } from './recorder.ts';
import type { CompatReport } from './report.ts';

const MAIN = fileURLToPath(import.meta.resolve('#compat/main.ts'));
let venue: BootedVenue;

beforeAll(async () => {
  venue = await bootVenue();
}, 60_000);

afterAll(() => venue.stop());

async function compat(...args: readonly string[]) {
  const { OPENPERP_APIKEY: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** The venue's own answer, but for an empty list of public trades, and no withdrawal. */
async function withoutTrades(request: RecordedRequest): Promise<CannedAnswer> {
  const answer = await passOn(venue.url, request);
  const { body } = answer;
  if ('trades' in body) return { ...answer, body: { ...body, trades: [] } };
  if (!('transfers' in body)) return answer;
  const transfers = (body.transfers as readonly { kind: string }[]).filter(({ kind }) => kind !== 'withdrawal');
  return { ...answer, body: { ...body, transfers } };
}

/** Of the socket methods each is watched for ten seconds. */
const PATIENCE_MS = 180_000;

test.concurrent(
  'a venue that is up passes, and the report is JSON',
  async () => {
    const { apiKey } = await venue.openAccount('100000');
    const { code, stdout } = await compat('--json', '--url', venue.url, '--apikey', apiKey);
    const { passed, failed, notClaimed, methods }: CompatReport = JSON.parse(stdout);
    expect({ code, failed }).toEqual({ code: 0, failed: 0 });
    expect(passed + notClaimed).toBe(methods.length);
    const pass = 'pass';
    const ofTrades = { upstream: pass, own: pass, fixtures: pass, v2Own: pass };
    expect(methods).toContainEqual({ method: 'fetchTrades', result: pass, checks: ofTrades });
    const ofOrders = { own: pass, fixtures: pass, v2Own: pass, differential: pass };
    expect(methods).toContainEqual({ method: 'createOrder', result: pass, checks: ofOrders });
    expect(methods).toContainEqual({ method: 'editOrder', result: 'notClaimed', checks: { v2Own: pass } });
  },
  PATIENCE_MS,
);

test.concurrent(
  'an empty answer is a failure, and so is the status of the run; what the account has never had is a skip',
  async () => {
    const recorder = await startRecorder(withoutTrades);
    const { apiKey } = await venue.openAccount('100000');
    const { code, stdout } = await compat('--url', recorder.url, '--apikey', apiKey);
    await recorder.close();
    expect(stdout).toMatch(
      /^fetchTrades +FAIL +FAIL +pass +– +pass +– +FAIL\n +ccxt 2\.9\.8: fetchTrades answered an empty list\n +ours: /m,
    );
    // A candle is held to the trades of its minute.
    expect(stdout).toMatch(/^fetchOHLCV +pass +FAIL +pass +pass +pass +pass +FAIL$/m);
    expect(stdout).toMatch(/^createOrder +no module +pass +pass +– +pass +pass +pass$/m);
    expect(stdout).toMatch(/^fetchWithdrawals +skip +skip +pass +– +– +– +skip$/m);
    expect(stdout).toMatch(/^ +ours, fetchWithdrawals: skipped: the account has withdrawn nothing/m);
    expect(stdout.trimEnd()).toMatch(
      /\n\d+ methods passed \(\d+ of them by ccxt 2\.9\.8's own tests\), 2 failed, 1 skipped, \d+ not claimed$/,
    );
    expect(code).toBe(1);
  },
  PATIENCE_MS,
);

test('an account that is not idle is left as it is', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  const { id } = await exchange.createOrder('ETH/USD.E:USD.E', 'market', 'buy', 0.1);
  const { code, stderr } = await compat('--url', `${venue.url}/`, '--apikey', apiKey);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'compat: the account is not idle (open orders: 0, positions: 1): give the key of one that is\n',
  });
  expect((await exchange.fetchOrders()).map((order) => order.id)).toEqual([id]);
});

test('a key that the venue does not know is said to be that, and is not repeated', async () => {
  const { code, stderr } = await compat('--url', venue.url, '--apikey', 'opk_unknown_0000');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^compat: .*unauthorized.*\n$/);
  expect(stderr).not.toContain('opk_unknown_0000');
});

test.each([
  [['--url', 'http://127.0.0.1:1', '--apikey', 'opk_x'], /^compat: .*127\.0\.0\.1:1/],
  [['--url', 'http://127.0.0.1:1'], /^compat: --url needs an API key/],
  [['--url', 'localhost:8080', '--apikey', 'opk_x'], /^compat: --url takes an address like http:\/\/localhost:8080$/m],
  [['--apikey', 'opk_x'], /^compat: --apikey goes with --url/],
  [['--nonsense'], /^compat: Unknown option '--nonsense'/],
])('%j cannot be run, and says why in one line', async (args, message) => {
  const { code, stderr } = await compat(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
