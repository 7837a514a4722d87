/** watchOrders shows orders that wait for a price like others: placed, cut, triggered, cancelled; amended orders too. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { unified, Watcher } from '#compat/testing/watcher.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

async function open(credit: string): Promise<OpenPerpPro> {
  const { apiKey } = await venue.openAccount(credit);
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
  onTestFinished(() => exchange.close());
  return exchange;
}

test('watches the orders that REST has, until they end', async () => {
  const [maker, bot] = [await open('10000000'), await open('100000')];
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
  await maker.createOrder(SYMBOL, 'limit', 'buy', 1_000, 990);
  const watched = new Watcher(bot).begin();
  await eventually(() => expect(watched.balance).toHaveProperty('total'));
  const expectSame = () =>
    eventually(async () => {
      expect(unified(watched.orders.values())).toEqual(unified(await bot.fetchOrders(SYMBOL)));
      expect(watched.errors).toEqual([]);
    });
  const seen = (id: string | undefined) => [...watched.orders.values()].find((order) => order.id === id);

  const { info } = await bot.createOrderWithTakeProfitAndStopLoss(SYMBOL, 'market', 'buy', 2, undefined, 1_050, 992);
  const [stop, target] = Object(info).attachedOrderIds;
  const trailing = await bot.createTrailingPercentOrder(SYMBOL, 'market', 'sell', 1, undefined, 20);
  const quote = await bot.createOrder(SYMBOL, 'limit', 'buy', 1, 970);
  await bot.editOrder(quote.id as string, SYMBOL, 'limit', 'buy', 1, 971);
  await expectSame();
  expect(seen(stop)).toMatchObject({ status: 'open', stopLossPrice: 992, type: 'market', reduceOnly: true });
  expect(seen(target)).toMatchObject({ status: 'open', takeProfitPrice: 1_050 });
  expect(seen(trailing.id)).toMatchObject({ status: 'open', info: { trigger: { type: 'trailing_stop' } } });
  expect(seen(quote.id)).toMatchObject({ status: 'open', price: 971 });

  await venue.index(980);
  await eventually(() => expect(seen(stop)).toMatchObject({ status: 'closed', filled: 2 }));
  await expectSame();
  expect(seen(target)).toMatchObject({ status: 'canceled', info: { cancelReason: 'linked_order' } });
  expect(seen(trailing.id)).toMatchObject({ status: 'canceled', info: { cancelReason: 'position_ended' } });
});

test('watches trigger orders only, from their placement to their end', async () => {
  const [maker, bot] = [await open('10000000'), await open('100000')];
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
  await maker.createOrder(SYMBOL, 'limit', 'buy', 1_000, 990);
  const seen: (readonly [unknown, unknown])[] = [];
  let isClosed = false;
  const watch = async () => {
    while (!isClosed)
      for (const { id, status } of await bot.watchOrders(SYMBOL, undefined, undefined, { trigger: true }))
        seen.push([id, status]);
  };
  const watching = watch().catch((reason: unknown) => expect(isClosed, String(reason)).toBe(true));
  await eventually(async () => {
    const { id } = await bot.createOrder(SYMBOL, 'limit', 'buy', 1, 970, { triggerPrice: 960 });
    await bot.cancelOrder(id as string, SYMBOL);
    expect(seen).toContainEqual([id, 'canceled']);
  });
  seen.length = 0;
  const quote = await bot.createOrder(SYMBOL, 'limit', 'buy', 1, 970);
  const entry = await bot.createOrder(SYMBOL, 'limit', 'buy', 1, 970, { triggerPrice: 960 });
  await bot.cancelAllOrders(SYMBOL);
  await eventually(() => expect(seen).toContainEqual([entry.id, 'canceled']));
  expect(seen.map(([id]) => id)).not.toContain(quote.id);
  isClosed = true;
  await bot.close();
  await watching;
});
