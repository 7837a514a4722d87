/** Repeated requests and refusals of /v2, in the venue and in a standalone gateway. */
import { describe, expect, test } from 'vitest';
import { UNIFIED_ERROR_NAMES } from '#contract/unified-errors.ts';
import { ETHER, limit, onEachGateway, SYMBOL as symbol } from './testing/gateway-stage.ts';

onEachGateway((stage) => {
  describe('a repeated request', () => {
    test('gets the same response, and places one order', async () => {
      const key = stage.fresh('again');
      await stage.place(limit('sell', 65_000, 0.005), stage.other);
      const entry = limit('buy', 65_000, 0.01);
      const before = (await stage.orders()).length;
      const responses = await Promise.all(Array.from({ length: 8 }, () => stage.place(entry, stage.bot, key)));
      for (const { status, body } of responses) expect({ status, body }).toEqual({ status: 200, body: responses[0]!.body });
      expect(responses[0]!.body).toMatchObject({
        status: 'open',
        filled: 0.005,
        clientOrderId: expect.stringMatching(/^v2-[\w-]{43}$/),
      });
      expect(await stage.orders()).toHaveLength(before + 1);
      await stage.cancel(responses[0]!.body.id);
      const late = await stage.place(entry, stage.bot, key);
      expect(late.body).toEqual(responses[0]!.body);
      expect(late.headers.get('idempotency-replayed')).toBe('true');
    });

    test('gets the same response in a batch, whatever the outcomes of its entries', async () => {
      const key = stage.fresh('batch');
      const entries = [limit('buy', 60_000), limit('buy', 60_000.01), limit('buy', 60_001)];
      const first = await stage.placeAll(entries, key);
      const again = await stage.placeAll(entries, key);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });

    test('gets the same refusal of the venue', async () => {
      const key = stage.fresh('refused');
      const first = await stage.place(limit('buy', 80_000), stage.bot, key);
      const again = await stage.place(limit('buy', 80_000), stage.bot, key);
      expect(first).toMatchObject({ status: 409, body: { name: 'InvalidOrder', code: 'price_out_of_band' } });
      const { requestId: _, ...said } = first.body.info;
      expect(again.body).toMatchObject({ timestamp: first.body.timestamp, info: said });
    });

    test('with another body is refused, at /v1/orders too, since the operation is the same', async () => {
      const key = stage.fresh('shared');
      const clientOrderId = stage.fresh('shared');
      const placed = await stage.place({ ...limit('buy', 60_000), params: { clientOrderId } }, stage.bot, key);
      const terms = {
        marketId: 'BTC-USD-PERP',
        clientOrderId,
        side: 'buy',
        orderType: 'limit',
        price: '60000',
        quantity: '0.01',
      };
      const native = { bot: stage.bot, idempotencyKey: key, body: { accountId: stage.bot.accountId, ...terms } };
      const same = await stage.venue.call('placeOrder', native);
      expect(same.body).toEqual(placed.body.info);
      expect(same.headers.get('idempotency-replayed')).toBe('true');
      const conflict = await stage.place({ ...limit('buy', 60_001), params: { clientOrderId } }, stage.bot, key);
      expect(conflict).toMatchObject({ status: 409, body: { name: 'DuplicateOrderId', code: 'idempotency_conflict' } });
    });

    test('needs its idempotency key, except to cancel one order', async () => {
      const body = limit('buy', 60_000);
      const calls = [
        stage.call('createUnifiedOrder', { bot: stage.bot, body }),
        stage.call('createUnifiedOrders', { bot: stage.bot, body: [body] }),
        stage.call('cancelUnifiedOrders', { bot: stage.bot, body: { ids: ['1'], symbol } }),
      ];
      for (const response of await Promise.all(calls))
        expect(response).toMatchObject({ status: 400, body: { name: 'BadRequest', code: 'idempotency_key_required' } });
      const { id } = (await stage.place(body)).body;
      for (const idempotencyKey of [undefined, '', 'any', 'a key']) {
        const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
        const cancelled = await stage.call('cancelUnifiedOrder', { bot: stage.bot, params: { orderId: id }, headers });
        expect(cancelled).toMatchObject({ status: 200, body: { id, status: 'canceled' } });
      }
    });
  });

  describe('a refusal', () => {
    test('has the library’s name, and the envelope as info', async () => {
      const headers = { 'x-request-id': 'my-request' };
      const {
        status,
        body,
        headers: responded,
      } = await stage.call('createUnifiedOrder', {
        bot: stage.bot,
        body: limit('buy', 60_000, 400),
        idempotencyKey: stage.fresh(),
        headers,
      });
      expect({ status, body }).toMatchObject({
        status: 409,
        body: {
          name: 'InsufficientFunds',
          code: 'insufficient_margin',
          retryable: false,
          info: { requestId: 'my-request', code: 'insufficient_margin', recoveryActions: ['read_account'] },
        },
      });
      expect(body.message).toBe(body.info.safeMessage);
      expect(body.timestamp).toBe(body.info.occurredAtEpochMs);
      expect(responded.get('x-request-id')).toBe('my-request');
    });

    test.each([
      ['missing', {}],
      ['missing', { authorization: '' }],
      ['malformed', { authorization: 'Basic opk' }],
      ['malformed', { authorization: 'Bearer opk_x' }],
    ])('reports a bearer that is %s before any other fault of the request', async (apiKeyRejection, headers) => {
      const unauthorized = { status: 401, body: { name: 'AuthenticationError', info: { apiKeyRejection } } };
      for (const id of ['createUnifiedOrder', 'createUnifiedOrders', 'cancelUnifiedOrder', 'cancelUnifiedOrders'] as const) {
        for (const body of [undefined, '{', {}, { timeInForce: 'GTC' }, [{ type: 'stop' }]]) {
          const response = await stage.untouched(() => stage.call(id, { headers, params: { orderId: '1' }, body }));
          expect(response).toMatchObject(unauthorized);
          expect(response.headers.get('www-authenticate')).toContain('Bearer');
        }
      }
    });

    test('reports a missing permission', async () => {
      const { venue } = stage;
      const refused = await stage.call('getUnifiedBalance', { params: { accountId: stage.bot.accountId } });
      expect(refused).toMatchObject({ status: 401, body: { name: 'AuthenticationError', info: { apiKeyRejection: 'missing' } } });
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
      const reader = await venue.keyOf(stage.bot, ['read']);
      expect(await stage.place(limit('buy', 60_000), reader)).toMatchObject({ status: 403, body: { name: 'PermissionDenied' } });
      const unbound = await venue.bot(1_000, ['read', 'trade'], '');
      expect(await stage.place(limit('buy', 60_000), unbound)).toMatchObject({
        status: 403,
        body: { name: 'AccountNotEnabled' },
      });
      const gone = await venue.keyOf(stage.bot, ['read', 'trade']);
      expect((await stage.place(limit('buy', 60_000), gone)).status).toBe(200);
      await venue.revoke(gone);
      expect(await stage.place(limit('buy', 60_000), gone)).toMatchObject({
        status: 401,
        body: { info: { apiKeyRejection: 'revoked' } },
      });
    });

    test.each<[keyof typeof UNIFIED_ERROR_NAMES, object]>([
      ['post_only_would_cross', { price: 65_100, params: { postOnly: true } }],
      ['duplicate_client_order_id', { params: { clientOrderId: 'taken' } }],
      ['reduce_only_would_increase', { symbol: ETHER, price: 2_900, params: { reduceOnly: true } }],
      ['leverage_too_high', { params: { leverage: 51 } }],
      ['price_out_of_band', { price: 80_000 }],
      ['invalid_request', { params: { leverage: 1.555 } }],
      ['invalid_request', { params: { clientOrderId: 'a b' } }],
      ['invalid_request', { type: 'market', price: undefined, params: { postOnly: true } }],
      ['invalid_request', { side: 'long' }],
    ])('%s', async (code, more) => {
      await stage.place(limit('sell', 65_050), stage.other);
      await stage.place({ ...limit('buy', 60_000), params: { clientOrderId: 'taken' } });
      const { body } = await stage.place({ ...limit('buy', 60_000), ...more });
      expect(body).toMatchObject({ name: UNIFIED_ERROR_NAMES[code], code });
    });
  });
});
