/** The example as a user runs it: plain Node, the built class, and the file that a venue writes for it. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Precise } from 'ccxt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SYMBOL = 'BTC/USD.E:USD.E';
const EXAMPLE = join('examples', 'first-trade.mjs');
const SETTINGS = join('examples', 'settings.mjs');
/** Without the folders that npm prepends: the Node of the machine. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');

let venue: BootedVenue;
let apiKey: string;
let node: string;

beforeAll(async () => {
  venue = await bootVenue();
  ({ apiKey } = await venue.openAccount('100000'));
  const { stdout } = await run('node', ['--version'], {});
  node = Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0) >= 20 ? 'node' : process.execPath;
});

afterAll(() => venue.stop());

/** Where the processes of a run share their compiled code: each would compile ccxt again. */
const { NODE_COMPILE_CACHE = '' } = process.env;

async function run(command: string, args: readonly string[], env: Record<string, string>) {
  return promisify(execFile)(command, [...args], { env: { PATH, NODE_COMPILE_CACHE, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout = '', stderr = '' }: { code: unknown; stdout?: string; stderr?: string }) => ({ code, stdout, stderr }),
  );
}

function expectTraded({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^limit order \d+: buy 0\.01 at [\d.]+, open$/m);
  expect(stdout).toMatch(/^market order \d+: bought 0\.01 at [\d.]+, closed, fee [\d.]+$/m);
  const leverage = /^position: long 0\.01 from [\d.]+ at (\d\.\d\d)x, unrealized PnL -?[\d.]+$/m.exec(stdout)?.[1];
  // Bought above the mark price, a position's margin covers that loss too, so its leverage is slightly below the requested one.
  expect(Number(leverage)).toBeGreaterThan(4.9);
  expect(Number(leverage)).toBeLessThanOrEqual(5);
  expect(stdout).toMatch(/^market order \d+: sold 0\.01 at [\d.]+, closed, fee [\d.]+$/m);
  expectExact(stdout, 'closed');
}

/** Exact to the atom, and consistent. */
function expectExact(stdout: string, state: string): void {
  const match = new RegExp(`^position ${state}: PnL (\\S+), fees (\\S+), net (\\S+) USD\\.E$`, 'm').exec(stdout);
  const [, realized = '', fees = '', net = ''] = match ?? [];
  for (const amount of [realized, fees, net]) expect(amount, stdout).toMatch(/^-?\d+(?:\.\d{1,6})?$/);
  expect(Precise.stringSub(realized, fees)).toBe(net);
}

test('trades on the venue of the environment', async () => {
  expectTraded(await run(node, [join(ROOT, EXAMPLE)], { OPENPERP_URL: venue.url, OPENPERP_APIKEY: apiKey }));
});

test.each([
  ['buy', 0.3, 'long 0.3'],
  ['sell', 0.3, 'short 0.3'],
  ['sell', 0.004, 'short 0.004'],
] as const)('keeps a position from before: %s %d', async (side, amount, positionAmount) => {
  const { apiKey: key } = await venue.openAccount('100000');
  const exchange = new OpenPerp({ apiKey: key, urls: { api: { rest: venue.url } } });
  await exchange.createOrder(SYMBOL, 'market', side, amount);
  const { code, stdout, stderr } = await run(node, [join(ROOT, EXAMPLE)], { OPENPERP_URL: venue.url, OPENPERP_APIKEY: key });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expectExact(stdout, `${positionAmount}, as before`);
  expect(stdout).not.toMatch(/\d\.\d{9}/);
  const position = await exchange.fetchPosition(SYMBOL);
  expect(`${position.side} ${position.contracts}`).toBe(positionAmount);
});

test('finds the demo account in the file of a venue', async () => {
  const home = await mkdtemp(join(tmpdir(), 'openperp-example-'));
  try {
    for (const folder of ['examples', 'openperp-data']) await mkdir(join(home, folder));
    for (const folder of ['adapter', 'node_modules']) await symlink(join(ROOT, folder), join(home, folder));
    for (const file of [EXAMPLE, SETTINGS]) await copyFile(join(ROOT, file), join(home, file));
    const settings = [`OPENPERP_URL=${venue.url}`, `OPENPERP_REALTIME_URL=${venue.realtimeUrl}`, `OPENPERP_APIKEY=${apiKey}`, ''];
    await writeFile(join(home, 'openperp-data', 'demo.env'), settings.join('\n'));
    expectTraded(await run(node, [join(home, EXAMPLE)], {}));
  } finally {
    await rm(home, { recursive: true });
  }
});

test('says in one line what to do without a venue', async () => {
  const env = { OPENPERP_URL: 'http://127.0.0.1:1', OPENPERP_APIKEY: apiKey };
  const { code, stderr } = await run(node, [join(ROOT, EXAMPLE)], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^first-trade: no venue answers at http:\/\/127\.0\.0\.1:1: is "npm start" running\?.*\n$/);
  expect(stderr).not.toContain(apiKey);
});

test('says in one line what to do with an invalid API key', async () => {
  const env = { OPENPERP_URL: venue.url, OPENPERP_APIKEY: 'opk_unknown_0000' };
  const { code, stderr } = await run(node, [join(ROOT, EXAMPLE)], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^first-trade: http:\S+ refuses the API key in OPENPERP_APIKEY: The .*\. Set another one, or unset it .*\n$/,
  );
});

test('says in one line what to do without an API key', async () => {
  const { code, stderr } = await run(node, [join(ROOT, EXAMPLE)], { OPENPERP_APIKEY: '' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^first-trade: there is no API key: run "npm start" first, or set .*\n$/);
});
