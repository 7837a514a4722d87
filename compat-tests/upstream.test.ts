/** Our lists contain exactly the modules of ccxt 2.9.8 that test a method. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { UPSTREAM_METHODS } from './upstream.ts';
import { UPSTREAM_SOCKET_METHODS } from './upstream-sockets.ts';

const PACKAGE = dirname(createRequire(import.meta.url).resolve('ccxt-2/package.json'));

/** Modules without a method: shared structures, and the throttler. */
const OF_NO_METHOD = [
  'account',
  'balance',
  'borrowRate',
  'currency',
  'ledgerItem',
  'leverageTier',
  'marginModification',
  'market',
  'ohlcv',
  'openInterest',
  'order',
  'orderbook',
  'position',
  'throttle',
  'ticker',
  'trade',
  'tradingFee',
  'transaction',
];

test.each([
  ['js/test/Exchange', [...UPSTREAM_METHODS, ...OF_NO_METHOD]],
  ['js/pro/test/Exchange', UPSTREAM_SOCKET_METHODS],
])('%s', (folder, listed) => {
  const modules = readdirSync(join(PACKAGE, folder)).map((file) => /^test\.(\w+)\.js$/.exec(file)?.[1]);
  expect([...listed].sort()).toEqual(modules.sort());
});
