/** What /v2 answers with 501, of which nothing is done, in the venue and in front of one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { unifiedNotImplementedOperations } from '#contract/unified-not-implemented.ts';
import { type GatewayStage, limit, setGatewayStage, SYMBOL as symbol } from './testing/gateway-stage.ts';
import { GATEWAYS } from './testing/gateways.ts';

describe.each(GATEWAYS)('%s', (_where, start) => {
  let stage: GatewayStage;
  beforeAll(async () => {
    stage = await setGatewayStage(start);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  describe('what cannot be represented', () => {
    const unsupported: [string, object, said: string][] = [
      ['timeInForce', { timeInForce: 'GTC' }, 'timeInForce cannot be chosen'],
      ['timeInForce of null', { timeInForce: null }, 'timeInForce cannot be chosen'],
      ['timeInForce in params', { params: { timeInForce: 'IOC' } }, 'timeInForce cannot be chosen'],
      ['an unknown key in params', { params: { clientOrderId: 'a', stopLossPrice: 1 } }, 'params has "stopLossPrice": '],
      ['a cost', { params: { cost: 100 } }, 'params has "cost": '],
      ['a key of every object', { params: JSON.parse('{"__proto__": 1}') }, 'params has "__proto__": '],
      ['another type', { type: 'stop' }, 'The type is "stop": '],
    ];

    test.each(unsupported)('(%s) is 501 NotSupported, and nothing is placed', async (_, more, said) => {
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

    test('is told before what is malformed', async () => {
      const malformed = { amount: 'x', timeInForce: 'GTC' };
      for (const refused of [
        await stage.untouched(() => stage.place(malformed)),
        await stage.untouched(() => stage.placeAll([{}, malformed])),
      ])
        expect(refused).toMatchObject({ status: 501, body: { name: 'NotSupported' } });
      const keyless = await stage.ask('createUnifiedOrder', { bot: stage.bot, body: { timeInForce: 'IOC' } });
      expect(keyless.status).toBe(501);
    });

    test('is no market order either, in a batch', async () => {
      const market = { symbol, type: 'market', side: 'buy', amount: 0.01 };
      expect(await stage.untouched(() => stage.placeAll([limit('buy', 60_000), market]))).toMatchObject({
        status: 501,
        body: { name: 'NotSupported' },
      });
    });

    test('uses up no idempotency key', async () => {
      const key = stage.fresh('unsupported');
      expect((await stage.place({ ...limit('buy', 60_000), timeInForce: 'GTC' }, stage.bot, key)).status).toBe(501);
      expect(await stage.place(limit('buy', 60_000), stage.bot, key)).toMatchObject({ status: 200, body: { status: 'open' } });
    });

    test.each(Object.keys(unifiedNotImplementedOperations))('%s is not there', async (id) => {
      const anything = { body: id.includes('Fetch') ? undefined : { symbol, leverage: 5 }, query: { symbol, since: '1' } };
      const { status, body } = await stage.ask(id as keyof typeof unifiedNotImplementedOperations, anything);
      expect({ status, body }).toMatchObject({ status: 501, body: { name: 'NotSupported', code: 'not_supported' } });
      expect(body.datetime).toBe(new Date(body.timestamp).toISOString());
    });
  });
});
