/**
 * How a checkout's suite is run and judged, by a tree of the same shape that is planted here: what its runner would let pass is found out,
 * one that breaks off is not taken for one that passed, and its tests see the installed ccxt with the class in it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BootedVenue, bootVenue } from '#compat/booted-venue.ts';
import { findCheckout } from './checkout.ts';
import { runModern } from './suite.ts';

const SYMBOL = 'BTC/USD.E:USD.E';

/** The shape of the runner: it swallows what tests throw, and ends well whatever they found. */
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
    await this.startTest (exchange, symbol);
    process.exit (0);
  }
  expandSettings () {}
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
}, 60_000);

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

function run() {
  const settings = { apiKey, urls: { api: { rest: venue.url } } };
  return runModern({ checkout: findCheckout(tree), part: 'rest', settings, symbol: SYMBOL, funded: SYMBOL, code: 'USD.E' });
}

test('what a runner lets pass is judged', async () => {
  plant('js/src/test/tests.js', RUNNER);
  const planted = {
    fetchTicker: 'const it = await exchange.fetchTicker (symbol); if (it.symbol !== symbol) throw new Error ()',
    fetchTime: "throw new (await import ('../../../ccxt.js')).NotSupported ('not here')",
    fetchOpenOrders: 'await exchange.fetchOpenOrders (symbol)',
    fetchOrderBook: '',
    fetchTrades: "await exchange.fetchTrades ('NONE/NONE:NONE').catch (() => {})",
    fetchBalance: 'for (const it of [ 1, 2 ]) await exchange.fetchBalance ()',
    fetchMarginModes: "throw new Error ('skipped, so this is not told')",
    transfer: "throw new Error ('not claimed, so this is not told')",
  };
  for (const [method, body] of Object.entries(planted))
    plant(`js/src/test/Exchange/test.${method}.js`, `export default async (exchange, skipped, symbol) => { ${body} };`);
  const { hasEnded, problems, lines } = await run();
  expect(hasEnded, lines.join('\n')).toBe(true);
  expect(problems).toEqual({
    fetchTicker: [],
    fetchTime: ['NotSupported: not here'],
    fetchOpenOrders: ['fetchOpenOrders answered an empty list'],
    fetchOrderBook: ['the test called fetchOrderBook not once'],
    fetchTrades: [expect.stringMatching(/^BadSymbol: /)],
    fetchBalance: [],
  });
});

test('a suite that breaks off has not passed', async () => {
  plant('js/src/test/tests.js', RUNNER);
  plant('js/src/test/Exchange/test.fetchTicker.js', 'export default async () => { process.exit (0); };');
  const { hasEnded, problems } = await run();
  expect({ hasEnded, problems }).toEqual({ hasEnded: false, problems: { fetchTicker: ['the test did not come to its end'] } });
});

test('a tree that is not compiled is run from its TypeScript', async () => {
  plant('ts/src/test/tests.ts', RUNNER.replace("'../../ccxt.js'", "'../../ccxt'"));
  plant(
    'ts/src/test/Exchange/test.fetchTicker.ts',
    "import { Exchange, Market } from '../../../ccxt';\nimport assert from 'assert';\n" +
      'async function test (exchange: Exchange, skipped: object, symbol: string) { const it: Market = await exchange.fetchTicker (symbol); assert (it.symbol === symbol); }\nexport default test;\n',
  );
  const { problems, lines } = await run();
  expect(problems, lines.join('\n')).toEqual({ fetchTicker: [] });
});

test.each([
  ['nothing', /there is no package\.json in it/],
  ['no tests', /this is no source tree of ccxt with its tests/],
])('a folder with %s is refused', (what, message) => {
  if (what === 'nothing') rmSync(join(tree, 'package.json'));
  expect(() => findCheckout(tree)).toThrow(message);
});
