/**
 * Responses that are not from an OpenPerp venue, but from a web server at the URL, a proxy or another port. The class does
 * not take them for an order, an empty list or an empty balance; the outcome of an order is unknown.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type CannedResponse, type Recorder, startRecorder } from '#compat/recorder.ts';
import { CATALOGUE, cannedResponse } from '#compat/testing/canned.ts';

const PAGE = { status: 200, body: '<html>Welcome</html>', headers: { 'content-type': 'text/html' } };
const NOT_READY = { status: 'not_ready', reasons: ['venue_halted'], degraded: [], journalSequence: 7 };
const SYMBOL = 'BTC/USD.E:USD.E';
const RETRIES = 2;

const RESPONSES: readonly (readonly [what: string, answer: CannedResponse, name: keyof typeof ccxt])[] = [
  ['a page', PAGE, 'ExchangeNotAvailable'],
  ['an empty object', { status: 200, body: '{}' }, 'ExchangeNotAvailable'],
  ['an empty list', { status: 200, body: '[]' }, 'ExchangeNotAvailable'],
  ['nothing', { status: 200, body: '' }, 'ExchangeNotAvailable'],
  ['no content', { status: 204, body: '' }, 'ExchangeNotAvailable'],
  ['null', { status: 200, body: 'null' }, 'ExchangeNotAvailable'],
  ['half an order', { status: 202, body: '{"version":"external-order/v1","orde' }, 'ExchangeNotAvailable'],
  ['another API', { status: 200, body: '{"status":"ok","id":"7"}' }, 'ExchangeNotAvailable'],
  ['another API with a version', { status: 200, body: '{"version":"2.1.0"}' }, 'ExchangeNotAvailable'],
  ['a version that is not a string', { status: 200, body: '{"version":{"id":"external-order/v1"}}' }, 'ExchangeNotAvailable'],
  ['the other probe', { status: 503, body: NOT_READY }, 'ExchangeNotAvailable'],
  ['402', { status: 402, body: 'pay' }, 'ExchangeNotAvailable'],
  ['404', { ...PAGE, status: 404 }, 'ExchangeNotAvailable'],
  ['413', { status: 413, body: 'too large' }, 'ExchangeNotAvailable'],
  ['426', { status: 426, body: 'Upgrade Required' }, 'ExchangeNotAvailable'],
  ['431', { status: 431, body: '' }, 'ExchangeNotAvailable'],
  ['599', { status: 599, body: '{}' }, 'ExchangeNotAvailable'],
  ['429, by its meaning', { status: 429, body: 'slow down' }, 'RateLimitExceeded'],
  ['504, by its meaning', { status: 504, body: {} }, 'RequestTimeout'],
];

const CALLS: readonly (readonly [method: string, call: (exchange: OpenPerp) => Promise<unknown>])[] = [
  ['createOrder', (exchange) => exchange.createOrder(SYMBOL, 'limit', 'buy', 0.1, 65_000)],
  ['cancelOrder', (exchange) => exchange.cancelOrder('7')],
  ['fetchOpenOrders', (exchange) => exchange.fetchOpenOrders()],
  ['fetchBalance', (exchange) => exchange.fetchBalance()],
  ['loadMarkets', (exchange) => exchange.loadMarkets(true)],
  ['fetchTime', (exchange) => exchange.fetchTime()],
];

let recorder: Recorder;
let response: CannedResponse | undefined;
let exchange: OpenPerp;

beforeAll(async () => {
  recorder = await startRecorder((request) => response ?? cannedResponse(request));
});

afterAll(() => recorder.close());

beforeEach(() => {
  response = undefined;
  recorder.clear();
  const options = { maxRetriesOnFailure: RETRIES };
  exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7', urls: { api: { rest: recorder.url } }, options });
  exchange.setMarkets(exchange.parseMarkets([...CATALOGUE.markets]));
});

describe.each(RESPONSES)('%s', (_, canned, name) => {
  test.each(CALLS)(`makes %s throw ${name}`, async (_method, call) => {
    response = canned;
    const error = await call(exchange).then(
      () => expect.fail('the call succeeded'),
      (reason: Error) => reason,
    );
    expect(error.constructor).toBe(ccxt[name]);
    expect(error).toBeInstanceOf(ccxt.NetworkError);
    expect(error.message).toContain('was not answered by an OpenPerp venue');
    expect(recorder.requests).toHaveLength(RETRIES + 1);
    expect(new Set(recorder.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

test('accepts the response of a venue that is not ready', async () => {
  response = { status: 503, body: NOT_READY };
  expect(await exchange.fetchStatus()).toMatchObject({ status: 'maintenance', info: NOT_READY });
  response = PAGE;
  await expect(exchange.fetchStatus()).rejects.toBeInstanceOf(ccxt.ExchangeNotAvailable);
});

test('does not check a program’s requests to another URL', async () => {
  response = PAGE;
  exchange.urls.api = { rest: 'http://venue.example' };
  expect(await exchange.fetch(`${recorder.url}/page`)).toBe(PAGE.body);
});

test('rethrows an internal error with its name', async () => {
  exchange.handleErrors = () => {
    throw new TypeError('of the class');
  };
  await expect(exchange.fetchBalance()).rejects.toThrow('TypeError: of the class');
});
