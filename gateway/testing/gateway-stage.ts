/** A gateway with two accounts and two markets, and the requests that its tests make. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Bot, Request } from '#http/testing/venue-under-test.ts';
import { GATEWAYS } from './gateways.ts';

export const SYMBOL = 'BTC/USD.E:USD.E';
export const ETHER = 'ETH/USD.E:USD.E';

export function limit(side: 'buy' | 'sell', price: number, amount = 0.01, more: object = {}) {
  return { symbol: SYMBOL, type: 'limit', side, amount, price, ...more };
}

export type GatewayStage = Awaited<ReturnType<typeof setGatewayStage>>;

/** Runs a suite on each kind of gateway, on a stage of its own. Every test starts with empty books. */
export function onEachGateway(suite: (stage: GatewayStage) => void): void {
  describe.each(GATEWAYS)('%s', (_where, start) => {
    let set: GatewayStage;
    beforeAll(async () => {
      set = await setGatewayStage(start);
    });
    afterEach(() => set.clear());
    afterAll(() => set.close());
    suite(new Proxy({} as GatewayStage, { get: (_, name) => Reflect.get(set, name) }));
  });
}

async function setGatewayStage(start: (typeof GATEWAYS)[number][1]) {
  const gateway = await start();
  const { venue, call } = gateway;
  const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
  const { market } = await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
  await venue.publishIndex(3_000, market);
  const [bot, other] = [await venue.bot(), await venue.bot()];
  let attempt = 0;
  /** Returns a unique text. */
  const fresh = (what = 'key') => `${what}-${++attempt}`;
  const own = (query?: Request['query'], by: Bot = bot): Request => ({
    bot: by,
    params: { accountId: by.accountId },
    ...(query && { query }),
  });

  return {
    venue,
    call,
    bot,
    other,
    fresh,
    own,

    place: (body: object | string, by = bot, idempotencyKey = fresh()) =>
      call('createUnifiedOrder', { bot: by, body, idempotencyKey }),
    placeAll: (body: unknown, idempotencyKey = fresh()) => call('createUnifiedOrders', { bot, body, idempotencyKey }),
    cancel: (orderId: string, body?: object, by = bot) =>
      call('cancelUnifiedOrder', { bot: by, params: { orderId }, ...(body && { body }) }),
    cancelAll: (body: unknown, by = bot) => call('cancelUnifiedOrders', { bot: by, body, idempotencyKey: fresh() }),

    orders: async (by = bot) => (await venue.call('listOrders', own({ limit: '500' }, by))).body.orders,

    /** Expects that the journal does not grow. */
    async untouched<Result>(act: () => Promise<Result>): Promise<Result> {
      const before = venue.sequence();
      const response = await act();
      expect(venue.sequence()).toBe(before);
      return response;
    },

    /** Cancels all orders. */
    async clear(): Promise<void> {
      for (const by of [bot, other]) await venue.call('cancelAllOrders', { bot: by, body: {} });
    },

    close: () => gateway.close(),
  };
}
