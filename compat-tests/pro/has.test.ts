/** `has` of the socket class: every claimed method exists, and a denied one throws before a socket opens. */
import ccxt from 'ccxt';
import { expect, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { CATALOGUE } from '#compat/testing/canned.ts';
import { argumentsFor } from '#compat/unclaimed.ts';

const SOCKET_METHOD = /^(?:unW|w)atch/;
const { has } = new OpenPerpPro();
const methods = Object.keys(has).filter((key) => SOCKET_METHOD.test(key));

test('claims or denies every watch method of ccxt, and has an unwatch method for each claimed one', () => {
  const base = Object.keys(new ccxt.Exchange({ id: 'any' }).has).filter((key) => SOCKET_METHOD.test(key));
  for (const key of base) expect(typeof has[key], key).toBe('boolean');
  const claimed = methods.filter((key) => has[key]);
  expect(
    claimed
      .filter((key) => key.startsWith('w'))
      .map((key) => `unW${key.slice(1)}`)
      .sort(),
  ).toEqual(claimed.filter((key) => key.startsWith('u')).sort());
  for (const key of claimed) expect(Object.hasOwn(OpenPerpPro.prototype, key), key).toBe(true);
});

test('equals the class without sockets otherwise', () => {
  for (const [key, value] of Object.entries(new OpenPerp().has))
    if (!SOCKET_METHOD.test(key) && key !== 'ws') expect(has[key], key).toBe(value);
});

const denied = methods.filter((key) => !has[key] && typeof Reflect.get(new OpenPerpPro(), key) === 'function');

test.each(denied)('refuses %s', async (method) => {
  const exchange = new OpenPerpPro({ apiKey: 'opk_test' });
  exchange.setMarkets(exchange.parseMarkets([...CATALOGUE.markets]));
  exchange.fetch = async () => {
    throw new ccxt.NetworkError('a request was made');
  };
  const call = Promise.resolve(Reflect.get(exchange, method).apply(exchange, argumentsFor(method)));
  await expect(call).rejects.toBeInstanceOf(ccxt.NotSupported);
  expect(exchange.clients).toEqual({});
});
