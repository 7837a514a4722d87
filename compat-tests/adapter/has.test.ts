/** `has` is right about every key that ccxt knows; calling a denied method throws before any request. */
import ccxt from 'ccxt';
import { beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { nameOf } from '#compat/has-keys.ts';
import { CATALOGUE } from '#compat/testing/canned.ts';
import { argumentsFor } from '#compat/unclaimed.ts';

const KEYS = Object.keys(new ccxt.Exchange({ id: 'any' }).has);
/** Keys that name no method, though the base class may have a function of that name. */
const FACTS = ['publicAPI', 'privateAPI', 'CORS', 'sandbox', 'spot', 'margin', 'swap', 'future', 'option', 'index', 'ws'];
/** A method of the base class that has no key there; other exchanges give it one. */
const UNLISTED = ['cancelAllOrdersAfter'];
const METHODS = KEYS.filter((key) => !FACTS.includes(key));

let exchange: OpenPerp;
let requests: number;

beforeEach(() => {
  requests = 0;
  exchange = new OpenPerp({ apiKey: 'opk_test' });
  exchange.setMarkets(exchange.parseMarkets([...CATALOGUE.markets]));
  exchange.fetch = async () => {
    requests += 1;
    throw new ccxt.NetworkError('a request was made');
  };
});

test('has a value for every key', () => {
  expect(Object.keys(exchange.describe().has).sort()).toEqual([...KEYS, ...UNLISTED].sort());
  for (const [key, value] of Object.entries(exchange.has)) expect([true, false, 'emulated'], key).toContain(value);
});

test('has every claimed method', () => {
  const claimed = METHODS.filter((key) => exchange.has[key]);
  expect(claimed.length).toBeGreaterThan(40);
  for (const key of claimed) expect(typeof Reflect.get(exchange, nameOf(key)), key).toBe('function');
});

describe('a method that is not claimed', () => {
  const denied = METHODS.filter((key) => !new OpenPerp().has[key]).map(nameOf);
  test.each(denied)('%s is refused', async (method) => {
    const call = Promise.resolve(Reflect.get(exchange, method).apply(exchange, argumentsFor(method)));
    await expect(call).rejects.toBeInstanceOf(ccxt.NotSupported);
    expect(requests).toBe(0);
  });

  test('is refused with and without sockets, even if ccxt has no function for it', () => {
    const unnamed = denied.filter((method) => !(method in ccxt.Exchange.prototype));
    expect(unnamed).toContain('fetchOpenOrder');
    for (const method of unnamed) expect(Reflect.get(new OpenPerpPro(), method)).toBe(Reflect.get(exchange, method));
  });
});

describe('features', () => {
  const { linear } = Object(new OpenPerp().features).swap;

  test('name claimed methods, with every key that ccxt requires', () => {
    expect(Object.keys(new OpenPerp().features).sort()).toEqual(['future', 'option', 'spot', 'swap']);
    for (const key of Object.keys(linear))
      if (key !== 'sandbox' && linear[key] !== undefined) expect(exchange.has[key], key).toBe(true);
    expect(Object.keys(linear.createOrder)).toEqual(
      expect.arrayContaining([
        'marginMode',
        'triggerPrice',
        'stopLossPrice',
        'takeProfitPrice',
        'attachedStopLossTakeProfit',
        'hedged',
        'trailing',
      ]),
    );
  });

  test('list the supported time in force', () => {
    expect(linear.createOrder.timeInForce).toEqual({ GTC: true, PO: true, IOC: true, FOK: true, GTD: true });
  });
});
