/** Mistakes of a program, through the class on a real venue: the ccxt error and the number of requests. */
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import type { AccountOptions } from '#app/compose.ts';
import type { VenueConfig } from '#app/config.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { passOn, type Recorder, startRecorder } from '#compat/recorder.ts';
import type { Files, StorageFile } from '#writer/journal/files.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const RICH = { credit: '100000' };

/** A venue without market makers, and a recorder of requests between it and the class. */
interface CountingVenue {
  readonly venue: TestVenue;
  readonly recorder: Recorder;
  /** An exchange that has loaded the markets and its account, so that every recorded request belongs to the call. */
  trader(options: AccountOptions, config?: object): Promise<OpenPerp>;
}

const undo: (() => unknown)[] = [];
let venue: CountingVenue;
let exchange: OpenPerp;
let mark: number;

beforeAll(async () => {
  venue = await start();
  exchange = await venue.trader(RICH);
  mark = (await exchange.fetchTicker(SYMBOL)).markPrice as number;
});

afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function start(changes: Partial<VenueConfig> = {}, flushToDisk = (files: Files) => files): Promise<CountingVenue> {
  const directory = temporaryDirectory();
  undo.push(directory.remove);
  const started = await startTestVenue(testConfig(directory.path, changes), { flushToDisk });
  undo.push(() => started.stop());
  const recorder = await startRecorder((request) => passOn(started.url, request));
  undo.push(() => recorder.close());
  const trader = async (options: AccountOptions, config: object = {}) => {
    const { apiKey, accountId } = await started.createAccount({ label: 'trader', ...options });
    const created = new OpenPerp({ apiKey, accountId, urls: { api: { rest: recorder.url } }, ...config });
    await created.loadMarkets();
    return created;
  };
  return { venue: started, recorder, trader };
}

/** Expects an error of exactly this class after this number of requests. */
async function expectRefused(
  call: () => Promise<unknown>,
  name: keyof typeof ccxt,
  requests: number,
  at = venue,
): Promise<Error> {
  at.recorder.clear();
  const error: Error = await call().then(
    () => expect.fail('the call succeeded'),
    (reason) => reason,
  );
  expect(error.constructor, error.message).toBe(ccxt[name]);
  expect(at.recorder.requests.map(({ method, path }) => `${method} ${path}`)).toHaveLength(requests);
  return error;
}

const limit = (price: number, params: object = {}, amount = 0.01) =>
  exchange.createOrder(SYMBOL, 'limit', 'buy', amount, price, params);

test('throws BadSymbol for an unknown symbol before any request', async () => {
  await expectRefused(() => exchange.createOrder('DOGE/USD.E:USD.E', 'limit', 'buy', 1, 1), 'BadSymbol', 0);
  await expectRefused(() => exchange.fetchTicker('DOGE/USD.E:USD.E'), 'BadSymbol', 0);
  await expectRefused(() => exchange.fetchOpenOrders('BTC/USDT'), 'BadSymbol', 0);
});

test('throws InvalidOrder for an amount below the minimum: by the venue, or before the request if it is less than a lot', async () => {
  await expectRefused(() => limit(mark * 0.97, {}, 0.00005), 'InvalidOrder', 1);
  await expectRefused(() => limit(mark * 0.97, {}, 0.000001), 'InvalidOrder', 0);
});

test('throws InvalidOrder for a price beyond the band', () => expectRefused(() => limit(mark * 2), 'InvalidOrder', 1));

test('throws InsufficientFunds for an order that the account cannot pay for', async () => {
  const poor = await venue.trader({ credit: '1' });
  await expectRefused(() => poor.createOrder(SYMBOL, 'limit', 'buy', 0.1, mark * 0.97), 'InsufficientFunds', 1);
});

test('throws OrderImmediatelyFillable for a post-only order that would trade', async () => {
  const maker = await venue.trader(RICH);
  const ask = await maker.createOrder(SYMBOL, 'limit', 'sell', 0.01, mark * 1.01);
  const cross = (params: object) => () => limit((ask.price as number) * 1.01, params);
  await expectRefused(cross({ postOnly: true }), 'OrderImmediatelyFillable', 1);
  await expectRefused(cross({ timeInForce: 'PO' }), 'OrderImmediatelyFillable', 1);
  await maker.cancelAllOrders();
});

describe('OrderNotFound for an unknown order', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['to fetchOrder', () => exchange.fetchOrder('999999', SYMBOL)],
    ['to fetchOrder, by client order id', () => exchange.fetchOrder('', SYMBOL, { clientOrderId: 'unknown' })],
    ['to cancelOrder', () => exchange.cancelOrder('999999', SYMBOL)],
    ['to cancelOrder, by client order id', () => exchange.cancelOrderWithClientOrderId('unknown', SYMBOL)],
  ])('%s', async (_, call) => {
    await expectRefused(call, 'OrderNotFound', 1);
  });
});

describe('an order with a symbol', () => {
  const other = 'ETH/USD.E:USD.E';
  const calls = (symbol: string): [string, (id: string, clientOrderId: string) => Promise<unknown>][] => [
    ['fetchOrder', (id) => exchange.fetchOrder(id, symbol)],
    ['fetchOrderWithClientOrderId', (_, clientOrderId) => exchange.fetchOrderWithClientOrderId(clientOrderId, symbol)],
    ['cancelOrder', (id) => exchange.cancelOrder(id, symbol)],
    ['cancelOrderWithClientOrderId', (_, clientOrderId) => exchange.cancelOrderWithClientOrderId(clientOrderId, symbol)],
    ['cancelOrders', (id) => exchange.cancelOrders([id], symbol)],
    ['cancelOrdersWithClientOrderIds', (_, name) => exchange.cancelOrdersWithClientOrderIds([name], symbol)],
    ['fetchOrderTrades', (id) => exchange.fetchOrderTrades(id, symbol)],
  ];
  let id: string;
  const clientOrderId = 'of-its-market';

  beforeAll(async () => {
    id = (await limit(mark * 0.97, { clientOrderId })).id as string;
  });

  test.each(calls('FOO/BAR'))('throws BadSymbol from %s for an unknown symbol before any request', async (_, call) => {
    await expectRefused(() => call(id, clientOrderId), 'BadSymbol', 0);
  });

  test.each(calls(other).slice(0, 4))('throws OrderNotFound from %s for the symbol of another market', async (_, call) => {
    await expectRefused(() => call(id, clientOrderId), 'OrderNotFound', 1);
  });

  test('cancels nothing in a batch, and has no trades, for the symbol of another market', async () => {
    for (const outcomes of [
      await exchange.cancelOrders([id], other),
      await exchange.cancelOrdersWithClientOrderIds([clientOrderId], other),
    ])
      expect(outcomes).toMatchObject([{ info: { accepted: false, code: 'order_not_found' } }]);
    await (await venue.trader(RICH)).createOrder(SYMBOL, 'limit', 'sell', 0.01, mark * 1.01);
    const { id: filled } = await exchange.createOrder(SYMBOL, 'market', 'buy', 0.01);
    expect(await exchange.fetchOrderTrades(filled as string, SYMBOL)).not.toEqual([]);
    expect(await exchange.fetchOrderTrades(filled as string, other)).toEqual([]);
  });

  test('stays open', async () => {
    expect(await exchange.fetchOrder(id, SYMBOL)).toMatchObject({ status: 'open' });
    expect(await exchange.cancelOrderWithClientOrderId(clientOrderId, SYMBOL)).toMatchObject({ id, status: 'canceled' });
  });
});

test('throws DuplicateOrderId for the client order id of another order under any idempotency key', async () => {
  const first = await limit(mark * 0.97, { clientOrderId: 'mine' });
  const again = (params: object) => () => limit(mark * 0.96, { clientOrderId: 'mine', ...params });
  await expectRefused(again({}), 'DuplicateOrderId', 1);
  await expectRefused(again({ idempotencyKey: 'another' }), 'DuplicateOrderId', 1);
  expect((await exchange.fetchOpenOrders()).map(({ id }) => id)).toEqual([first.id]);
});

test('throws AuthenticationError for an unknown API key without showing it', async () => {
  const unknown = await venue.trader(RICH, { apiKey: 'opk_unknown_0000' });
  for (const call of [() => unknown.fetchBalance(), () => unknown.createOrder(SYMBOL, 'market', 'buy', 0.01)])
    expect((await expectRefused(call, 'AuthenticationError', 1)).message).not.toContain('opk_unknown');
  const anonymous = await venue.trader(RICH, { apiKey: undefined });
  await expectRefused(() => anonymous.fetchBalance(), 'AuthenticationError', 0);
});

test('throws PermissionDenied for an API key without the scope', async () => {
  const reader = await venue.trader({ ...RICH, scopes: ['read'] });
  await expectRefused(() => reader.createOrder(SYMBOL, 'limit', 'buy', 0.01, mark * 0.97), 'PermissionDenied', 1);
  const other = await venue.trader(RICH, { accountId: 'acct-999' });
  await expectRefused(() => other.fetchBalance(), 'PermissionDenied', 1);
});

test('throws AccountNotEnabled for an account without an active binding', async () => {
  const unbound = await venue.trader({ ...RICH, party: false });
  await expectRefused(() => unbound.createOrder(SYMBOL, 'limit', 'buy', 0.01, mark * 0.97), 'AccountNotEnabled', 1);
});

test('throws RateLimitExceeded for too many requests', async () => {
  const slow = await start({ ordersPerSecond: 1 });
  const hasty = await slow.trader(RICH, { enableRateLimit: false });
  const place = () => hasty.createOrder(SYMBOL, 'limit', 'buy', 0.01, mark * 0.97);
  const burst = await Promise.allSettled(Array.from({ length: 8 }, place));
  expect(burst.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  const batch = Array.from({ length: 3 }, () => ({
    symbol: SYMBOL,
    type: 'limit',
    side: 'buy' as const,
    amount: 0.01,
    price: 1,
  }));
  await expectRefused(() => hasty.createOrders(batch), 'RateLimitExceeded', 1, slow);
  for (const outcome of burst) if (outcome.status === 'rejected') expect(outcome.reason.constructor).toBe(ccxt.RateLimitExceeded);
});

test('throws OnMaintenance for a halted venue, and fetchStatus reports it', async () => {
  const disk = { isFull: false };
  const halting = await start({}, (files) => filling(files, disk));
  const trader = await halting.trader(RICH);
  const place = () => trader.createOrder(SYMBOL, 'limit', 'buy', 0.01, mark * 0.97);
  await place();
  disk.isFull = true;
  for (const _ of ['halts', 'is halted']) await expectRefused(place, 'OnMaintenance', 1, halting);
  expect(await trader.fetchStatus()).toMatchObject({ status: 'maintenance' });
  disk.isFull = false;
});

/** The real disk until it is full. */
function filling(files: Files, disk: { readonly isFull: boolean }): Files {
  const file = (real: StorageFile): StorageFile => ({
    ...real,
    write: async (bytes, position) => {
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      await real.write(bytes, position);
    },
  });
  return { ...files, open: async (name) => file(await files.open(name)), create: async (name) => file(await files.create(name)) };
}
