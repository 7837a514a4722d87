/** The leverage of the account in a market, which the venue keeps, and the margin of a position. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type RecordedRequest, type Recorder, startRecorder } from '#compat/recorder.ts';
import { CATALOGUE, cannedResponse, MARKET } from '#compat/testing/canned.ts';
import { MARGIN_CHANGE } from '#compat/testing/canned-account.ts';
import { leverageChoice, leverageList, marketLeverage } from '#contract/leverage.ts';
import { placementBody } from '#contract/orders.ts';
import { marginAdjustmentBody } from '#contract/position-margin.ts';

const BTC = 'BTC/USD.E:USD.E';
const ETH = 'ETH/USD.E:USD.E';
const ETHER = { ...MARKET, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH', baseAsset: 'ETH', maxLeverageX: 25 };
const LEVERAGES = [
  { marketId: MARKET.marketId, leverageX: 10, isDefault: true, maxLeverageX: 50 },
  { marketId: ETHER.marketId, leverageX: 8, isDefault: false, maxLeverageX: 25 },
];
const LEVERAGE_LIST = leverageList.parse({ version: 'leverage-list/v1', accountId: 'acct-7', leverages: LEVERAGES });

let recorder: Recorder;
let exchange: OpenPerp;

beforeEach(async () => {
  recorder = await startRecorder((request) => {
    if (request.path === '/v1/markets') return { status: 200, body: { ...CATALOGUE, markets: [MARKET, ETHER] } };
    if (request.path === '/v1/accounts/acct-7/leverage') return { status: 200, body: LEVERAGE_LIST };
    if (request.method === 'PUT') return { status: 200, body: chosenLeverage(request) };
    return cannedResponse(request);
  });
  exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
  recorder.clear();
});

afterEach(() => recorder.close());

function chosenLeverage({ path, body }: RecordedRequest) {
  const marketId = path.split('/').at(-1)!;
  const maxLeverageX = marketId === ETHER.marketId ? 25 : 50;
  return { version: 'market-leverage/v1', accountId: 'acct-7', marketId, isDefault: false, maxLeverageX, ...JSON.parse(body) };
}

const bothSides = (leverage: number) => ({ marginMode: 'isolated', longLeverage: leverage, shortLeverage: leverage });

test('is set by a request, and returned as the venue has it', async () => {
  const set = await exchange.setLeverage(5, BTC);
  const [request] = recorder.requests;
  expect([request!.method, request!.path]).toEqual(['PUT', '/v1/accounts/acct-7/leverage/BTC-USD-PERP']);
  expect(leverageChoice.parse(JSON.parse(request!.body))).toEqual({ leverageX: 5 });
  expect(set).toEqual({ info: marketLeverage.parse(chosenLeverage(request!)), symbol: BTC, ...bothSides(5) });
});

test('of a fraction is sent as a number, of which the venue decides', async () => {
  expect(await exchange.setLeverage(2.5, BTC)).toMatchObject(bothSides(2.5));
  expect(recorder.requests.map(({ body }) => body)).toEqual(['{"leverageX":2.5}']);
});

test('is sent with an order only if the order has its own', async () => {
  await exchange.setLeverage(5, BTC);
  recorder.clear();
  await exchange.createOrder(BTC, 'market', 'buy', 0.1);
  await exchange.createOrder(BTC, 'market', 'buy', 0.1, undefined, { leverage: 7 });
  const sent = recorder.requests.map(({ body }) => placementBody.parse(JSON.parse(body)).leverageX);
  expect(sent).toEqual([undefined, 7]);
});

test('is read of one market or of several in one request', async () => {
  const ofEther = { info: LEVERAGES[1], symbol: ETH, ...bothSides(8) };
  expect(await exchange.fetchLeverage(ETH)).toEqual(ofEther);
  expect(await exchange.fetchLeverages([ETH])).toEqual({ [ETH]: ofEther });
  expect(await exchange.fetchLeverages()).toMatchObject({ [BTC]: bothSides(10), [ETH]: bothSides(8) });
  expect(recorder.requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/accounts/acct-7/leverage'));
});

describe('the margin of a position', () => {
  test.each([
    ['addMargin', 'add'],
    ['reduceMargin', 'remove'],
  ] as const)('%s sends the amount once, with a key', async (method, direction) => {
    const change = await exchange[method](BTC, 25.5000009);
    const [request] = recorder.requests;
    expect([request!.method, request!.path]).toEqual(['POST', '/v1/accounts/acct-7/positions/BTC-USD-PERP/margin']);
    expect(marginAdjustmentBody.parse(JSON.parse(request!.body))).toEqual({ direction, amount: '25.5' });
    expect(request!.headers['idempotency-key']).toMatch(/./);
    expect(change).toEqual({
      ...{ info: MARGIN_CHANGE, symbol: BTC, type: 'add', marginMode: 'isolated', amount: 25.5, total: 1_000.5 },
      ...{ code: 'USD.E', status: 'ok', timestamp: undefined, datetime: undefined },
    });
    const removed = exchange.parseMarginModification({ ...MARGIN_CHANGE, direction: 'remove' });
    expect(removed).toMatchObject({ type: 'reduce', symbol: BTC });
  });

  test('takes a key of the program', async () => {
    await exchange.addMargin(BTC, 1, { idempotencyKey: 'first' });
    expect(recorder.requests[0]!.headers['idempotency-key']).toBe('first');
  });

  test.each([0, -1, Number.NaN, 'much', 1e-9, undefined])('refuses the amount %s before any request', async (amount) => {
    const refusal = amount === undefined ? ccxt.ArgumentsRequired : ccxt.BadRequest;
    for (const method of ['addMargin', 'reduceMargin'] as const)
      await expect(exchange[method](BTC, amount as number)).rejects.toThrow(refusal);
    expect(recorder.requests).toEqual([]);
  });
});

describe('an invalid leverage', () => {
  test.each([[0], [-1], [0.5], [51], [undefined], [Number.NaN], [Number.POSITIVE_INFINITY], ['many'], [true]])(
    '%s throws BadRequest before any request',
    async (leverage) => {
      await expect(exchange.setLeverage(leverage as number, BTC)).rejects.toThrow(ccxt.BadRequest);
      expect(recorder.requests).toEqual([]);
    },
  );

  test('is checked against the maximum of its market', async () => {
    for (const symbol of [BTC, ETH]) await exchange.setLeverage(symbol === BTC ? 50 : 25, symbol);
    await expect(exchange.setLeverage(26, ETH)).rejects.toThrow('from 1 to 25');
  });

  test('needs the symbol of an existing market', async () => {
    await expect(exchange.setLeverage(5)).rejects.toThrow(ccxt.ArgumentsRequired);
    await expect(exchange.setLeverage(5, 'DOGE/USD.E:USD.E')).rejects.toThrow(ccxt.BadSymbol);
  });
});

test('accepts isolated margin without a request, and no other mode', async () => {
  for (const mode of ['isolated', 'ISOLATED'])
    expect(await exchange.setMarginMode(mode, BTC)).toMatchObject({ symbol: BTC, marginMode: 'isolated' });
  await exchange.setMarginMode('isolated');
  await expect(exchange.setMarginMode('isolated', 'DOGE/USD.E:USD.E')).rejects.toThrow(ccxt.BadSymbol);
  await expect(exchange.setMarginMode('cross', BTC)).rejects.toThrow(ccxt.NotSupported);
  expect(recorder.requests).toHaveLength(0);
});
