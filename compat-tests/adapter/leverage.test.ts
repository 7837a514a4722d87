/** The leverage that an instance stores for a market: no request sets it, and every order of that market carries it. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { CATALOGUE, cannedResponse, MARKET } from '#compat/testing/canned.ts';
import { leverageList } from '#contract/leverage.ts';
import { orderBatchBody } from '#contract/order-batches.ts';
import { placementBody } from '#contract/orders.ts';

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
    return cannedResponse(request);
  });
  exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
  recorder.clear();
});

afterEach(() => recorder.close());

function sent() {
  return recorder.requests.map(({ body }) => placementBody.parse(JSON.parse(body)).leverageX);
}

test('applies to orders of its market without a leverage of their own', async () => {
  await exchange.setLeverage(5, BTC);
  expect(recorder.requests).toHaveLength(0);
  await exchange.createOrder(BTC, 'market', 'buy', 0.1);
  await exchange.createOrder(BTC, 'market', 'buy', 0.1, undefined, { leverage: 7 });
  await exchange.createOrder(ETH, 'market', 'buy', 0.1);
  expect(sent()).toEqual([5, 7, undefined]);
});

test('applies to the entries of a batch', async () => {
  await exchange.setLeverage(5, BTC);
  const entry = { type: 'limit', side: 'buy' as const, amount: 0.1, price: 65_000 };
  await exchange.createOrders([
    { ...entry, symbol: BTC },
    { ...entry, symbol: ETH },
    { ...entry, symbol: BTC, params: { leverage: 2 } },
  ]);
  const { orders } = orderBatchBody.parse(JSON.parse(recorder.requests[0]!.body));
  expect(orders.map(({ leverageX }) => leverageX)).toEqual([5, undefined, 2]);
});

test('takes precedence over options.leverage, and belongs to one instance', async () => {
  exchange.options.leverage = 3;
  await exchange.setLeverage(5, BTC);
  await exchange.createOrder(BTC, 'market', 'buy', 0.1);
  await exchange.createOrder(ETH, 'market', 'buy', 0.1);
  expect(sent()).toEqual([5, 3]);
  expect(new OpenPerp().leverages).toEqual({});
});

test('survives a replacement of the options', async () => {
  await exchange.setLeverage(5, BTC);
  exchange.options = { defaultType: 'swap' };
  await exchange.createOrder(BTC, 'market', 'buy', 0.1);
  expect(sent()).toEqual([5]);
});

describe('the leverage of the next order', () => {
  const bothSides = (leverage: number) => ({ marginMode: 'isolated', longLeverage: leverage, shortLeverage: leverage });

  test('is that of the account in the market if the instance has none', async () => {
    expect(await exchange.fetchLeverage(ETH)).toEqual({ info: LEVERAGES[1], symbol: ETH, ...bothSides(8) });
    expect(recorder.requests.map(({ path }) => path)).toEqual(['/v1/accounts/acct-7/leverage']);
  });

  test('is returned without a request if the instance has one', async () => {
    exchange.options.leverage = 3;
    expect(await exchange.fetchLeverage(BTC)).toMatchObject(bothSides(3));
    expect(await exchange.setLeverage(5, BTC)).toMatchObject({ symbol: BTC, ...bothSides(5) });
    expect(await exchange.fetchLeverage(BTC)).toMatchObject(bothSides(5));
    expect(await exchange.fetchLeverage(ETH)).toMatchObject(bothSides(3));
    expect(recorder.requests).toHaveLength(0);
  });
});

describe('an invalid leverage', () => {
  test.each([[0], [-1], [1.5], [51], [undefined], [Number.NaN], [Number.POSITIVE_INFINITY], ['many'], [true]])(
    '%s throws BadRequest and changes nothing',
    async (leverage) => {
      await exchange.setLeverage(5, BTC);
      await expect(exchange.setLeverage(leverage as number, BTC)).rejects.toThrow(ccxt.BadRequest);
      expect(await exchange.fetchLeverage(BTC)).toMatchObject({ longLeverage: 5 });
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
