/**
 * Generated hostile input against the real venue: no answer of 5xx, every answer as declared, and the venue's books
 * are what they were unless an order was taken.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '#contract/errors.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { sendRaw } from './testing/raw-http.ts';
import { repeatable } from './testing/seeds.ts';
import type { Bot, VenueUnderTest } from './testing/venue-under-test.ts';
import { startVenue } from './testing/venue-under-test.ts';

const FILE = 'engine/http/hostile.test.ts';
const ENOUGH = { burst: 100_000, perSecond: 1 };
let venue: VenueUnderTest;
let bot: Bot;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue({
    rates: { orders: ENOUGH, cancels: ENOUGH, previews: ENOUGH, settings: ENOUGH, reads: ENOUGH, public: ENOUGH },
  });
  bot = await venue.bot(1_000_000);
});
afterAll(() => venue.close());

const garbage = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e400',
    'NaN',
    '__proto__',
    'constructor',
    'null',
    '\u0000',
    '../../etc',
    "' OR 1=1 --",
    '9'.repeat(40),
    '%',
    '1'.repeat(500),
  ),
  fc.bigInt().map(String),
);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0.01', '65000', '60000', '1', '80000') },
  { weight: 1, arbitrary: fc.double({ noNaN: true }).map(String) },
  { weight: 1, arbitrary: fc.nat().map(String) },
  { weight: 1, arbitrary: garbage },
);
const value = fc.oneof(
  { weight: 3, arbitrary: amount },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: garbage },
);

/** Mostly sound, with a field or two that are not. */
const body = fc
  .record({
    orderType: fc.constantFrom('limit', 'market', 'stop'),
    side: fc.constantFrom('buy', 'sell'),
    spoilt: fc.dictionary(
      fc.oneof(
        fc.constantFrom(
          'accountId',
          'marketId',
          'clientOrderId',
          'side',
          'price',
          'quantity',
          'notional',
          'postOnly',
          'reduceOnly',
          'leverageX',
        ),
        garbage,
      ),
      value,
      { maxKeys: 2 },
    ),
    price: amount,
    quantity: amount,
  })
  .map(({ spoilt, orderType, side, price, quantity }) => () => {
    const target = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}` };
    return { ...target, orderType, side, ...(orderType === 'limit' ? { price } : {}), quantity, ...spoilt };
  });

/** Without controls, or it would not leave the client at all. */
const headerText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
  maxLength: 200,
});

describe('hostile input', () => {
  test('in the body of a placement is taken or refused as declared', async () => {
    const taken: number[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 6, arbitrary: body }, { weight: 1, arbitrary: fc.json().map((text) => () => text) }),
        async (made) => {
          attempt += 1;
          const { status } = await venue.call('placeOrder', { bot, idempotencyKey: `key-${attempt}`, body: made() });
          expect(status).toBeLessThan(500);
          taken.push(status);
        },
      ),
      repeatable(FILE, 1_500),
    );
    expect(new Set(taken)).toEqual(new Set([202, 400, 403, 409]));
  }, 60_000);

  test('in the bodies of batches, previews and cancels is taken or refused as declared', async () => {
    const others = await venue.bot(1_000_000);
    const taken = new Set<string>();
    const batch = fc.array(body, { maxLength: 4 }).map((made) => () => ({ orders: made.map((entry) => entry()) }));
    const names = fc.dictionary(
      fc.oneof(fc.constantFrom('orderIds', 'clientOrderIds', 'accountId', 'marketId'), garbage),
      fc.oneof(fc.array(fc.oneof(fc.nat(50).map(String), garbage), { maxLength: 30 }), value),
      { maxKeys: 2 },
    );
    const request = fc.oneof(
      batch.map((made) => ['placeOrders', made] as const),
      body.map((made) => ['previewOrder', made] as const),
      names.map((made) => ['cancelOrders', () => made] as const),
      names.map((made) => ['cancelAllOrders', () => made] as const),
      fc
        .constantFrom('placeOrders', 'previewOrder', 'cancelOrders', 'cancelAllOrders')
        .chain((id) => fc.json().map((text) => [id as OperationId, () => text] as const)),
    );
    await fc.assert(
      fc.asyncProperty(request, async ([id, made]) => {
        attempt += 1;
        const by = id === 'cancelAllOrders' ? others : bot;
        const { status } = await venue.call(id, { bot: by, idempotencyKey: `key-${attempt}`, body: made() });
        expect(status).toBeLessThan(500);
        taken.add(`${id} ${status < 400}`);
      }),
      repeatable(FILE, 1_500),
    );
    expect([...taken].sort()).toEqual(
      ['cancelAllOrders', 'cancelOrders', 'placeOrders', 'previewOrder'].flatMap((id) => [`${id} false`, `${id} true`]),
    );
  }, 60_000);

  test('in paths, queries and headers is refused as declared', async () => {
    const reads = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => id !== 'placeOrder');
    const part = fc.oneof(garbage, fc.constantFrom('BTC-USD-PERP', '1', '2'));
    const query = fc.dictionary(
      fc.oneof(
        fc.constantFrom(
          ...['limit', 'since', 'until', 'cursor', 'depth', 'timeframe', 'series', 'status', 'marketId', 'orderId'],
          ...['clientOrderId', 'kind', 'window', 'orderBy'],
        ),
        garbage,
      ),
      value.map(String),
      { maxKeys: 3 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reads),
        part,
        query,
        headerText,
        fc.boolean(),
        async (id, text, search, header, isKnown) => {
          const params = {
            marketId: text || 'x',
            orderId: text || 'x',
            clientOrderId: text || 'x',
            accountId: isKnown ? bot.accountId : text || 'x',
          };
          const headers = { 'x-request-id': `_${header}`, ...(isKnown ? {} : { authorization: `_${header}` }) };
          const { status } = await venue.call(id, {
            params: encodable(params),
            query: search,
            headers,
            ...(isKnown ? { bot } : {}),
          });
          expect(status).toBeLessThan(500);
        },
      ),
      repeatable(FILE, 1_500),
    );
  }, 60_000);

  test('in the bytes of a request is refused with the envelope, or not understood at all', async () => {
    const sound = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${bot.key}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const edit = fc.record({ at: fc.nat(sound.length), cut: fc.nat(8), insert: fc.uint8Array({ maxLength: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let bytes = Buffer.from(sound, 'latin1');
        for (const { at, cut, insert } of edits) bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + cut)]);
        for (const { status, body: answered } of await sendRaw(venue.port, bytes, 40)) {
          expect(status).toBeLessThan(500);
          errorEnvelope.parse(JSON.parse(answered));
        }
      }),
      repeatable(FILE, 400),
    );
  }, 60_000);

  test('leaves the venue without a defect, and trading', async () => {
    expect(venue.defects).toEqual([]);
    const other = await venue.bot();
    const order = {
      accountId: other.accountId,
      marketId: 'BTC-USD-PERP',
      clientOrderId: 'after',
      side: 'buy',
      orderType: 'limit',
      price: '60000',
      quantity: '0.01',
    };
    expect((await venue.call('placeOrder', { bot: other, idempotencyKey: 'after', body: order })).status).toBe(202);
  });
});

/** A path part of dots alone would be resolved away by the client before it is sent; one that is no text cannot be sent. */
function encodable(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => [name, /^\.+$/.test(text) ? 'dots' : text.toWellFormed()]),
  );
}
