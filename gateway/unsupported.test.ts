/** Requests that /v2 answers with 501 and without effect, in the venue and in a standalone gateway. */
import { describe, expect, test } from 'vitest';
import { MAX_BYTES_READ_PAST } from '#contract/request-limits.ts';
import { unifiedNotImplementedOperations } from '#contract/unified-not-implemented.ts';
import { limit, onEachGateway, SYMBOL as symbol } from './testing/gateway-stage.ts';

onEachGateway((stage) => {
  describe('an order that cannot be represented', () => {
    const unsupported: [string, object, said: string][] = [
      ['timeInForce', { timeInForce: 'GTC' }, 'timeInForce is not supported: '],
      ['timeInForce of null', { timeInForce: null }, 'timeInForce is not supported: '],
      ['timeInForce in params', { params: { timeInForce: 'IOC' } }, 'timeInForce is not supported: '],
      [
        'an unknown key in params',
        { params: { clientOrderId: 'a', stopLossPrice: 1 } },
        'params has the unsupported keys "stopLossPrice". ',
      ],
      ['a cost', { params: { cost: 100 } }, 'params has the unsupported keys "cost". '],
      ['a key of every object', { params: JSON.parse('{"__proto__": 1}') }, 'params has the unsupported keys "__proto__". '],
      ['null for a cost', { params: { cost: null } }, 'params has the unsupported keys "cost". '],
      [
        'a trigger',
        { triggerPrice: 61_000, stopPrice: null },
        'The order has the unsupported fields "triggerPrice", "stopPrice". ',
      ],
      ['reduceOnly beside params', { reduceOnly: true }, 'The order has the unsupported fields "reduceOnly". '],
      [
        'a key of every object beside params',
        JSON.parse('{"__proto__": 1}'),
        'The order has the unsupported fields "__proto__". ',
      ],
      ['another type', { type: 'stop' }, 'The type "stop" is not supported. '],
    ];

    test.each(unsupported)('(%s) gets 501 NotSupported, and is not placed', async (_, more, said) => {
      const entry = { ...limit('buy', 60_000), ...more };
      for (const refused of [
        await stage.untouched(() => stage.place(entry)),
        await stage.untouched(() => stage.placeAll([limit('buy', 60_000), entry, limit('buy', 60_000)])),
      ]) {
        expect(refused).toMatchObject({
          status: 501,
          body: {
            name: 'NotSupported',
            code: 'not_supported',
            message: expect.stringContaining(said),
            retryable: false,
            info: { version: 'external-rest-error/v1' },
          },
        });
      }
    });

    test('is reported before malformed fields', async () => {
      const malformed = { amount: 'x', timeInForce: 'GTC' };
      for (const refused of [
        await stage.untouched(() => stage.place(malformed)),
        await stage.untouched(() => stage.placeAll([{}, malformed])),
      ])
        expect(refused).toMatchObject({ status: 501, body: { name: 'NotSupported' } });
      const keyless = await stage.call('createUnifiedOrder', { bot: stage.bot, body: { timeInForce: 'IOC' } });
      expect(keyless.status).toBe(501);
    });

    test('is refused in a batch as a market order too', async () => {
      const market = { symbol, type: 'market', side: 'buy', amount: 0.01 };
      expect(await stage.untouched(() => stage.placeAll([limit('buy', 60_000), market]))).toMatchObject({
        status: 501,
        body: { name: 'NotSupported' },
      });
    });

    test('does not include a number that no double represents: that is malformed', async () => {
      const number = '9007199254740993';
      const entry = JSON.stringify({ ...limit('buy', 60_000), params: 0 }).replace('"params":0', `"params":${number}`);
      for (const body of [number, entry])
        expect(
          await stage.untouched(() =>
            stage.call('createUnifiedOrder', { bot: stage.bot, idempotencyKey: stage.fresh('n'), body }),
          ),
        ).toMatchObject({ status: 400, body: { code: 'invalid_request', message: expect.not.stringContaining('"text"') } });
      const cancel = { bot: stage.bot, idempotencyKey: stage.fresh('n'), params: { orderId: '1' }, body: number };
      expect(await stage.call('cancelUnifiedOrder', cancel)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', message: expect.stringContaining('must be one JSON object') },
      });
    });

    test('uses no idempotency key', async () => {
      const key = stage.fresh('unsupported');
      expect((await stage.place({ ...limit('buy', 60_000), timeInForce: 'GTC' }, stage.bot, key)).status).toBe(501);
      expect(await stage.place(limit('buy', 60_000), stage.bot, key)).toMatchObject({ status: 200, body: { status: 'open' } });
    });

    test.each(Object.keys(unifiedNotImplementedOperations))('responds 501 to %s', async (id) => {
      const anything = { body: id.includes('Fetch') ? undefined : { symbol, leverage: 5 }, query: { symbol, since: '1' } };
      const { status, body } = await stage.call(id as keyof typeof unifiedNotImplementedOperations, anything);
      expect({ status, body }).toMatchObject({ status: 501, body: { name: 'NotSupported', code: 'not_supported' } });
      expect(body.datetime).toBe(new Date(body.timestamp).toISOString());
    });

    test('closes the connection for an oversized body of a missing operation, and keeps it for others', async () => {
      const sendBody = (length: number) => stage.call('unifiedSetLeverage', { body: 'x'.repeat(length) });
      for (const [length, line] of [
        [MAX_BYTES_READ_PAST, 'keep-alive'],
        [MAX_BYTES_READ_PAST + 1, 'close'],
      ] as const) {
        const { status, headers } = await sendBody(length);
        expect([status, headers.get('connection')]).toEqual([501, line]);
      }
    });

    test.each<[string, string, Record<string, string>?]>([
      ['broken JSON', '{'],
      ['no JSON', 'symbol=BTC', { 'content-type': 'text/plain' }],
      ['JSON that is packed', '{}', { 'content-encoding': 'gzip' }],
      ['100 KB', JSON.stringify({ symbol: 'x'.repeat(100_000) })],
    ])('responds 501 to a missing operation for a body of %s too', async (_, body, headers = {}) => {
      for (const id of ['unifiedCancelAllOrders', 'unifiedEditOrder', 'unifiedSetLeverage', 'unifiedSetMarginMode'] as const)
        expect(await stage.call(id, { body, headers })).toMatchObject({ status: 501, body: { code: 'not_supported' } });
    });
  });
});
