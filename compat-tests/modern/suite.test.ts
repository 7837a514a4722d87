/**
 * How a checkout's suite is run and judged, with a planted tree of the same shape: problems that its runner ignores are found, an
 * interrupted suite does not pass, and its tests see the installed ccxt with the class.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BootedVenue, bootVenue } from '#compat/booted-venue.ts';
import { staticData } from '#compat/fixtures/files.ts';
import { findCheckout } from './checkout.ts';
import { runModern } from './suite.ts';
import type { Part } from './suite-order.ts';

const SYMBOL = 'BTC/USD.E:USD.E';

/** The shape of the runner: it swallows exceptions of tests, and always ends with status 0. */
const RUNNER = `
import fs from 'fs';
import ccxt from '../../ccxt.js';
import { Exchange as TheirExchange } from '../base/Exchange.js';
export default class {
  testFiles = {};
  checkedPublicTests = {};
  async init (id, symbol) {
    const exchange = new ccxt[id] ({});
    if (!(exchange instanceof TheirExchange)) throw new Error ('another Exchange');
    const folder = new URL ('./Exchange/', import.meta.url);
    for (const file of fs.readdirSync (folder)) this.testFiles[file.split ('.')[1]] = (await import (new URL (file.replace (/ts$/, 'js'), folder).href)).default;
    this.expandSettings (exchange);
    if (process.argv.includes ('--responseTests')) await this.runStaticResponseTests (id);
    else await this.startTest (exchange, symbol);
    process.exit (0);
  }
  expandSettings () {}
  async runStaticResponseTests () {}
  async startTest (exchange, symbol) {
    for (const method of Object.keys (this.testFiles)) await this.testMethod (method, exchange, [ symbol ], true).catch (() => {});
  }
  async testMethod (method, exchange, args) {
    await this.testFiles[method] (exchange, {}, ...args);
  }
}
`;

let venue: BootedVenue;
let apiKey: string;
let tree: string;

beforeAll(async () => {
  venue = await bootVenue();
  ({ apiKey } = await venue.openAccount('1000'));
});

afterAll(() => venue.stop());

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'openperp-checkout-'));
  plant('package.json', JSON.stringify({ name: 'ccxt', version: '9.9.9' }));
});

afterEach(() => rmSync(tree, { recursive: true }));

function plant(path: string, content: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), content);
}

function plantTest(method: string, body: string): void {
  plant(`js/src/test/Exchange/test.${method}.js`, `export default async (exchange, skipped, symbol) => { ${body} };`);
}

function run(part: Part = 'rest', lacks: Readonly<Record<string, string>> = {}) {
  const settings = { apiKey, urls: { api: { rest: venue.url } } };
  return runModern({ checkout: findCheckout(tree), part, settings, symbol: SYMBOL, funded: SYMBOL, code: 'USD.E', lacks });
}

test('judges what the runner ignores', async () => {
  plant('js/src/test/tests.js', RUNNER);
  const planted = {
    fetchTicker: 'const it = await exchange.fetchTicker (symbol); if (it.symbol !== symbol) throw new Error ()',
    fetchTime: "throw new (await import ('../../../ccxt.js')).NotSupported ('not here')",
    fetchOpenOrders: 'await exchange.fetchOpenOrders (symbol)',
    fetchOrderBook: '',
    fetchTrades: "await exchange.fetchTrades ('NONE/NONE:NONE').catch (() => {})",
    fetchWithdrawals: "throw new Error ('there are no withdrawals, so this is not reported')",
    fetchBalance: 'for (const it of [ 1, 2 ]) await exchange.fetchBalance ()',
    fetchCurrencies: "throw new Error ('skipped, so this is not reported')",
    transfer: "throw new Error ('not claimed, so this is not reported')",
  };
  for (const [method, body] of Object.entries(planted)) plantTest(method, body);
  const { hasEnded, problems, skipped, lines } = await run('rest', { fetchWithdrawals: 'the account has no withdrawals' });
  expect(hasEnded, lines.join('\n')).toBe(true);
  expect(problems).toEqual({
    fetchTicker: [],
    fetchTime: ['NotSupported: not here'],
    fetchOpenOrders: ['fetchOpenOrders returned an empty list'],
    fetchOrderBook: ['the test never called fetchOrderBook'],
    fetchTrades: [expect.stringMatching(/^BadSymbol: /)],
    fetchBalance: [],
  });
  expect(Object.keys(skipped).sort()).toEqual(['fetchCurrencies', 'fetchWithdrawals']);
});

test('ignores the keys and settings of the checkout’s owner', async () => {
  const reading = `
    const local = new URL ('../../../keys.local.json', import.meta.url).pathname;
    if (!fs.existsSync (local)) throw new Error ('no keys are planted');
    if (ioFileExists (local)) Object.assign (exchange, ioFileRead (local).openperp);`;
  plant(
    'js/src/test/tests.js',
    `import { ioFileExists, ioFileRead } from './tests.helpers.js';${RUNNER.replace('this.expandSettings (exchange);', `${reading}$&`)}`,
  );
  plant(
    'js/src/test/tests.helpers.js',
    "import fs from 'fs';\nexport const ioFileExists = (path) => fs.existsSync (path);\nexport const ioFileRead = (path) => JSON.parse (fs.readFileSync (path));\n",
  );
  plant('keys.local.json', JSON.stringify({ openperp: { apiKey: 'opk_of_another' } }));
  plantTest('fetchTicker', 'await exchange.fetchTicker (symbol)');
  plantTest('fetchBalance', 'await exchange.fetchBalance ()');
  const { problems, lines } = await run();
  expect(problems, lines.join('\n')).toEqual({ fetchTicker: [], fetchBalance: [] });
});

/** A runner whose lists do not contain these tests. */
const without = (...methods: readonly string[]) =>
  RUNNER.replace(
    'Object.keys (this.testFiles)',
    `Object.keys (this.testFiles).filter ((it) => !${JSON.stringify(methods)}.includes (it))`,
  );

test('runs a test that is missing from the runner’s lists', async () => {
  plant('js/src/test/tests.js', without('fetchTime', 'proxies', 'createOrder'));
  plantTest('fetchTicker', 'await exchange.fetchTicker (symbol)');
  plantTest('fetchBalance', 'await exchange.fetchBalance ()');
  plantTest('fetchTime', "throw new Error ('it is late')");
  for (const another of ['proxies', 'createOrder']) plantTest(another, 'process.exit (0)');
  const { hasEnded, problems } = await run();
  expect({ hasEnded, problems }).toEqual({
    hasEnded: true,
    problems: { fetchTicker: [], fetchBalance: [], fetchTime: ['Error: it is late'] },
  });
});

const UNREAD = ['the runner ended without its test'];

test('fails a missing phase even if the runner ends with status 0', async () => {
  plant('js/src/test/tests.js', without('fetchBalance'));
  plantTest('fetchTicker', 'await exchange.fetchTicker (symbol)');
  plantTest('fetchBalance', 'await exchange.fetchBalance ()');
  expect((await run()).problems).toEqual({ fetchTicker: [], fetchBalance: UNREAD });
  expect((await run('funded')).problems).toEqual({ createOrder: UNREAD });
  const { problems } = await run('static');
  const methods = Object.keys(staticData('request').methods);
  expect(Object.keys(problems)).toEqual(expect.arrayContaining(methods));
  expect(problems.fetchTicker).toEqual([
    'request: the runner ended without its test',
    'response: the runner ended without its test',
  ]);
});

test('fails a suite that breaks off', async () => {
  plant('js/src/test/tests.js', RUNNER);
  plant('js/src/test/Exchange/test.fetchTicker.js', 'export default async () => { process.exit (0); };');
  const { hasEnded, problems } = await run();
  expect({ hasEnded, problems }).toEqual({ hasEnded: false, problems: { fetchTicker: ['the test did not finish'] } });
});

test('runs a tree that is not compiled from its TypeScript', async () => {
  plant('ts/src/test/tests.ts', RUNNER.replace("'../../ccxt.js'", "'../../ccxt'"));
  plant(
    'ts/src/test/Exchange/test.fetchTicker.ts',
    "import { Exchange, Market } from '../../../ccxt';\nimport assert from 'assert';\n" +
      'async function test (exchange: Exchange, skipped: object, symbol: string) { const it: Market = await exchange.fetchTicker (symbol); assert (it.symbol === symbol); }\nexport default test;\n',
  );
  plant('ts/src/test/Exchange/test.fetchBalance.ts', 'export default (exchange: any) => exchange.fetchBalance ();\n');
  const { problems, lines } = await run();
  expect(problems, lines.join('\n')).toEqual({ fetchTicker: [], fetchBalance: [] });
});

test.each([
  ['nothing', /there is no package\.json in it/],
  ['no tests', /this is no source tree of ccxt with its tests/],
])('refuses a folder with %s', (what, message) => {
  if (what === 'nothing') rmSync(join(tree, 'package.json'));
  expect(() => findCheckout(tree)).toThrow(message);
});
