/** Lists and cancels of trigger orders only: the venue lists all kinds together, so the limit counts what remains after the filter. */
import ccxt from 'ccxt';
import { beforeEach, describe, expect, test } from 'vitest';
import { ORDER, TRAILING_ORDER, WAITING_ORDER } from '#compat/testing/canned.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange({ accountId: 'acct-7' });

const triggered = { ...WAITING_ORDER.trigger, status: 'triggered' };
const plain = (orderId: string) => ({ ...ORDER, orderId, status: 'open' });
const waiting = (orderId: string) => ({ ...WAITING_ORDER, orderId });
const trailing = (orderId: string) => ({ ...TRAILING_ORDER, orderId });
const resting = (orderId: string) => ({ ...WAITING_ORDER, orderId, orderType: 'limit', price: '59000', trigger: triggered });
const ended = (orderId: string) => ({ ...WAITING_ORDER, orderId, status: 'cancelled', cancelReason: 'requested' });

let pages: object[][];
let sent: { readonly url: string; readonly body: { readonly orderIds: string[] } }[];

/** Serves the pages, newest first, and accepts each cancel except that of order 1. */
beforeEach(() => {
  sent = [];
  canned.exchange.fetch = async (url: string, _method: string, _headers: unknown, body?: string) => {
    const parsed = JSON.parse(body ?? '{}');
    sent.push({ url, body: parsed });
    if (url.includes('/batch/cancel'))
      return {
        outcomes: parsed.orderIds.map((orderId: string) => ({ accepted: orderId !== '1', orderId, status: 'cancelled' })),
      };
    const page = Number(/cursor=(\d+)/.exec(url)?.[1] ?? 0);
    return { orders: structuredClone(pages[page]), nextCursor: page + 1 < pages.length ? String(page + 1) : undefined };
  };
});

const ids = (orders: readonly { readonly id?: string | undefined }[]) => orders.map(({ id }) => id);

describe('fetchOpenOrders', () => {
  const open = (params: object, limit?: number) => canned.exchange.fetchOpenOrders(SYMBOL, undefined, limit, params);

  beforeEach(() => {
    pages = [
      [plain('9'), plain('8'), resting('7')],
      [trailing('6'), plain('5')],
      [waiting('4'), waiting('3')],
    ];
  });

  test('filters all pages, then applies the limit to the newest', async () => {
    expect(ids(await open({ trigger: true }, 2))).toEqual(['4', '6']);
    expect(ids(await open({ trailing: true }, 2))).toEqual(['6']);
    expect(sent).toHaveLength(6);
  });

  test('lists orders that still wait, without a limit too', async () => {
    expect(ids(await open({ stop: true }))).toEqual(['3', '4', '6']);
  });

  test.each<[object, string]>([
    [{ trigger: 'true' }, 'boolean true'],
    [{ trailing: 'True' }, 'boolean true'],
    [{ stop: 'false' }, 'boolean false'],
    [{ trigger: true, stop: false }, 'params.stop'],
    [{ trigger: false, trailing: true }, 'trailing stop'],
  ])('refuses %j', async (params, text) => {
    await expect(open(params)).rejects.toThrow(ccxt.BadRequest);
    await expect(open(params)).rejects.toThrow(text);
    expect(sent).toEqual([]);
  });
});

describe('fetchCanceledOrders', () => {
  const list = (limit?: number, since?: number) => canned.exchange.fetchCanceledOrders(SYMBOL, since, limit, { trigger: true });

  test('reads pages until the limit is reached', async () => {
    pages = [[plain('9')], [ended('8'), plain('7')], [ended('6'), ended('5')], [ended('4')]];
    expect(ids(await list(2))).toEqual(['6', '8']);
    expect(sent).toHaveLength(3);
    expect(sent.every(({ url }) => url.includes('limit=500'))).toBe(true);
  });

  test('reads at most ten pages', async () => {
    pages = Array.from({ length: 12 }, (_, page) => [page === 11 ? ended('1') : plain(String(20 - page))]);
    expect(await list(1)).toEqual([]);
    expect(sent).toHaveLength(10);
  });
});

describe('cancelAllOrders', () => {
  const cancel = (params: object) => canned.exchange.cancelAllOrders(SYMBOL, params);
  const cancelled = () => sent.filter(({ url }) => url.includes('/batch/cancel')).map(({ body }) => body.orderIds);

  test.each<[object, string[]]>([
    [{ trigger: true }, ['4', '6']],
    [{ trailing: true }, ['6']],
    [{ trigger: false }, ['7', '9']],
    [{ stop: false }, ['7', '9']],
  ])('cancels with %j only orders of that kind', async (params, expected) => {
    pages = [
      [plain('9'), resting('7')],
      [trailing('6'), waiting('4')],
    ];
    expect(ids(await cancel(params))).toEqual(expected);
    expect(cancelled()).toEqual([expected]);
  });

  test('cancels in batches of 24, and returns what it cancelled', async () => {
    pages = [Array.from({ length: 50 }, (_, index) => waiting(String(50 - index)))];
    const orders = await cancel({ trigger: true });
    expect(cancelled().map(({ length }) => length)).toEqual([24, 24, 2]);
    expect(ids(orders)).toEqual(Array.from({ length: 49 }, (_, index) => String(index + 2)));
  });

  test('sends nothing if no order is of the kind', async () => {
    pages = [[plain('9')]];
    expect(await cancel({ trigger: true })).toEqual([]);
    expect(cancelled()).toEqual([]);
  });
});

describe('the structure', () => {
  const parse = (fields: object) => canned.exchange.parseOrder({ ...WAITING_ORDER, ...fields });

  test('has no trigger price of a trailing stop that has not triggered', () => {
    const order = parse({ trigger: TRAILING_ORDER.trigger });
    expect([order.triggerPrice, order.stopPrice]).toEqual([undefined, undefined]);
    const after = parse({ trigger: { ...TRAILING_ORDER.trigger, status: 'triggered' } });
    expect([after.triggerPrice, after.stopPrice]).toEqual([60_000, 60_000]);
  });

  test('has no amount before the venue knows it', () => {
    const order = parse({ quantity: null, remainingQuantity: '0' });
    expect([order.status, order.amount, order.filled, order.remaining]).toEqual(['open', undefined, 0, undefined]);
  });

  test('says that an order expired', () => {
    expect(parse({ trigger: null, status: 'cancelled', cancelReason: 'expired' }).status).toBe('expired');
  });
});
