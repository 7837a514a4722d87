/** Values that contradict each other, or that a method cannot use: refused before any request, with a text that names them. */
import ccxt from 'ccxt';
import { expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { refusalOf } from '#compat/testing/refusal.ts';

const canned = cannedExchange({ accountId: 'acct-7' });

async function expectRefused(call: () => Promise<unknown>, error: typeof ccxt.BaseError, text: string): Promise<void> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  expect(thrown.message).toContain(text);
  expect(canned.recorder.requests).toEqual([]);
}

test.each<[object, typeof ccxt.BaseError, string]>([
  [{ reduceOnly: true, reduce_only: false }, ccxt.BadRequest, 'params.reduce_only'],
  [{ postOnly: false, post_only: true }, ccxt.BadRequest, 'params.post_only'],
  [{ timeInForce: 'GTD', expiresAt: 1_800_000_000_000, goodTillDate: 1_900_000_000_000 }, ccxt.BadRequest, 'goodTillDate'],
  [{ positionSide: 'LONG', posSide: 'short' }, ccxt.BadRequest, 'params.posSide'],
  [{ triggerPrice: 60_000, triggerBy: 'mark', priceType: 'last' }, ccxt.BadRequest, 'mark and last'],
  [{ stopLoss: { triggerPrice: 60_000, stopPrice: 61_000 } }, ccxt.InvalidOrder, 'triggerPrice and stopPrice'],
  [{ stopLoss: { triggerPrice: 60_000, triggerBy: 'mid' } }, ccxt.BadRequest, 'params.stopLoss.triggerBy'],
  [{ stopLossPrice: 'low' }, ccxt.InvalidOrder, 'stopLossPrice of an order must be a number'],
  [{ timeInForce: 'GTX' }, ccxt.NotSupported, 'PO'],
  [{ reduceOnly: 'true' }, ccxt.BadRequest, 'boolean true'],
])('refuses the order params %j', async (params, error, text) => {
  await expectRefused(() => canned.exchange.createOrder(SYMBOL, 'limit', 'buy', 0.1, 65_000, params), error, text);
});

test('takes two names of one value', async () => {
  const params = { reduceOnly: true, reduce_only: true, triggerPrice: 60_000, triggerBy: 'MarkPrice', priceType: 'mark' };
  await canned.exchange.createOrder(SYMBOL, 'limit', 'buy', 0.1, 65_000, params);
  expect(JSON.parse(canned.recorder.requests[0]!.body)).toMatchObject({ reduceOnly: true, trigger: { source: 'mark' } });
});

test('refuses cancels without ids', async () => {
  const { exchange } = canned;
  await expectRefused(() => exchange.cancelOrders(undefined as never), ccxt.ArgumentsRequired, 'list of ids');
  await expectRefused(() => exchange.cancelOrders([], SYMBOL, { clientOrderIds: 'a' }), ccxt.BadRequest, 'clientOrderIds');
});

test.each([0, -1, 'much', Number.NaN])('refuses %s as an amount of margin', async (amount) => {
  await expectRefused(
    () => canned.exchange.addMargin(SYMBOL, amount as number),
    ccxt.BadRequest,
    'addMargin() requires an amount',
  );
  await expectRefused(() => canned.exchange.reduceMargin(SYMBOL, amount as number), ccxt.BadRequest, 'reduceMargin()');
});

test('names the class of an error once when a cancel is too late', async () => {
  const { exchange } = canned;
  exchange.privatePostV1OrdersOrderIdCancel = async () => {
    throw new ccxt.OrderNotFound('openperp {"code":"order_not_open"}');
  };
  const thrown = await exchange.cancelOrder('42').catch((reason: unknown) => reason);
  expect(String(thrown)).toMatch(/^OrderNotFound: openperp .*already (filled|cancelled)$/);
});

test.each(['watchOrders', 'watchMyTrades', 'watchPositions', 'watchBalance'] as const)(
  '%s refuses params that it would ignore',
  async (method) => {
    const exchange = new OpenPerpPro({ apiKey: 'opk_test', urls: { api: { rest: canned.recorder.url } } });
    const params = { status: 'open' };
    const args = method === 'watchBalance' ? [params] : [undefined, undefined, undefined, params];
    const watch = exchange[method] as (...args: readonly unknown[]) => Promise<unknown>;
    await expectRefused(() => watch.apply(exchange, args), ccxt.BadRequest, 'params.status');
    await exchange.close();
  },
);
