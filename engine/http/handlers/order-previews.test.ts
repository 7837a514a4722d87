/** Previews over HTTP, on the real venue: an order placed at once does what its preview showed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repeatable } from '#http/testing/seeds.ts';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

const FILE = 'engine/http/handlers/order-previews.test.ts';
/** `OPENPERP_PREVIEWED_ORDERS=5000 npx vitest run engine/http/handlers/order-previews` previews and places that many. */
const ORDERS = Number(process.env.OPENPERP_PREVIEWED_ORDERS ?? 400);
const ENOUGH = { burst: 1_000_000, perSecond: 1 };
let venue: VenueUnderTest;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue({ rates: { orders: ENOUGH, previews: ENOUGH } });
});
afterAll(() => venue.close());

type Fields = Readonly<Record<string, unknown>>;

function order(by: Bot, fields: Fields = {}): Fields {
  attempt += 1;
  const terms = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
  const common = { accountId: by.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...terms };
  return fields.orderType === 'market' ? { ...common, price: undefined, ...fields } : { ...common, ...fields };
}

const preview = (by: Bot, body: Fields) => venue.call('previewOrder', { bot: by, body });
const place = (by: Bot, body: Fields) => venue.call('placeOrder', { bot: by, idempotencyKey: `key-${++attempt}`, body });
const account = async (by: Bot) => (await venue.call('getAccount', { bot: by, params: { accountId: by.accountId } })).body;
const position = async (by: Bot) =>
  (await venue.call('listPositions', { bot: by, params: { accountId: by.accountId } })).body.positions[0];

describe('a preview', () => {
  test('shows fills, the resting quantity, their costs, and the liquidation price', async () => {
    const [maker, taker] = [await venue.bot(), await venue.bot(1_000)];
    await place(maker, order(maker, { side: 'sell', price: '65000', quantity: '0.1' }));
    const { status, body } = await preview(taker, order(taker, { price: '65010', quantity: '0.3', leverageX: 50 }));
    const sequence = venue.sequence();
    expect([status, body]).toEqual([
      200,
      {
        version: 'external-order-preview/v1',
        accountId: taker.accountId,
        marketId: 'BTC-USD-PERP',
        clientOrderId: expect.any(String),
        accepted: true,
        status: 'open',
        price: '65010',
        filledQuantity: '0.1',
        averagePrice: '65000',
        filledNotional: '6500',
        fee: '3.25',
        realizedPnl: '0',
        lockedMargin: '130',
        restingQuantity: '0.2',
        // A fiftieth of 13,002, plus the 2 between price and mark; and 5 bps of 13,002.
        reservedMargin: '262.04',
        reservedFee: '6.501',
        availableForOrdersBefore: '1000',
        availableForOrdersAfter: '598.209',
        position: {
          side: 'long',
          quantity: '0.1',
          avgEntryPrice: '65000',
          entryNotional: '6500',
          margin: '130',
          liquidationPrice: '64343.4',
        },
        snapshotSequence: sequence,
        asOfEpochMs: expect.any(Number),
      },
    ]);
    expect(venue.sequence(), 'nothing is recorded').toBe(sequence);
    expect((await account(taker)).availableForOrders).toBe('1000');
    await venue.call('cancelAllOrders', { bot: maker, body: {} });
  });

  test('shows why an order would be refused, in the words of the refusal', async () => {
    const bot = await venue.bot(10);
    const twin = order(bot, { clientOrderId: 'twin', quantity: '0.001', leverageX: 50 });
    await place(bot, twin);
    const refusals: readonly [string, Fields][] = [
      ['unknown_market', { marketId: 'X-USD' }],
      ['price_off_tick', { price: '1.23' }],
      ['notional_too_fine', { orderType: 'market', quantity: undefined, notional: '1.0000001' }],
      ['insufficient_margin', { quantity: '1' }],
      ['duplicate_client_order_id', { clientOrderId: 'twin' }],
      ['reduce_only_would_increase', { reduceOnly: true }],
      ['price_out_of_band', { price: '71500.1' }],
    ];
    for (const [code, fields] of refusals) {
      const body = order(bot, fields);
      const previewed = await preview(bot, body);
      expect([previewed.status, previewed.body]).toMatchObject([200, { accepted: false, status: 'rejected', code }]);
      const placed = await place(bot, body);
      expect(placed.body).toMatchObject({ code, safeMessage: previewed.body.safeMessage });
    }
    expect(
      (await preview(bot, order(bot, { orderType: 'market', quantity: undefined, notional: '9'.repeat(20) }))).body.code,
    ).toBe('invalid_request');
    const unbound = await venue.bot(100, ['read'], '');
    expect((await preview(unbound, order(unbound))).body).toMatchObject({ accepted: false, code: 'account_not_enabled' });
  });

  test('has no effects, needs no trade scope, and is for the own account', async () => {
    const [bot, reader] = [await venue.bot(), await venue.bot(1_000, ['read'])];
    const body = order(bot);
    for (let count = 0; count < 3; count += 1) expect((await preview(bot, body)).body.accepted).toBe(true);
    expect((await place(bot, body)).status).toBe(202);
    expect((await preview(reader, order(reader))).body.accepted).toBe(true);
    expect((await preview(reader, order(bot))).body.code).toBe('account_forbidden');
    await venue.call('cancelAllOrders', { bot, body: {} });
  });

  test('has a rate limit apart from placements', async () => {
    const slow = await startVenue({ rates: { previews: { burst: 2, perSecond: 0.001 } } });
    try {
      const bot = await slow.bot();
      const send = () => slow.call('previewOrder', { bot, body: order(bot) });
      expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([200, 200, 429]);
      expect((await slow.call('placeOrder', { bot, idempotencyKey: 'k', body: order(bot) })).status).toBe(202);
    } finally {
      await slow.close();
    }
  });

  test('shows only durable state while others place, and never an older one', async () => {
    const bot = await venue.bot();
    let newest = 0;
    const placing = Promise.all(Array.from({ length: 100 }, () => place(bot, order(bot, { quantity: '0.001' }))));
    for (let count = 0; count < 50; count += 1) {
      const { body } = await preview(bot, order(bot));
      expect(venue.sequence(), 'durable, and folded').toBeGreaterThanOrEqual(body.snapshotSequence);
      expect(body.snapshotSequence).toBeGreaterThanOrEqual(newest);
      newest = body.snapshotSequence;
    }
    await placing;
    await venue.call('cancelAllOrders', { bot, body: {} });
  });
});

test('over any history an order placed at once does what its preview showed', async () => {
  const seen = { rejected: 0, open: 0, filled: 0, cancelled: 0, closing: 0 };
  const amount = fc.oneof(fc.integer({ min: 10, max: 400 }), fc.integer({ min: 10, max: 60_000 }));
  const quantity = amount.map((lots) => (lots / 10_000).toFixed(4));
  const price = fc.integer({ min: -30, max: 30 }).map((bps) => (65_000 * (1 + bps / 10_000)).toFixed(1));
  const terms = fc.oneof(
    { weight: 5, arbitrary: fc.record({ price, quantity, postOnly: fc.boolean() }).map((it) => ({ orderType: 'limit', ...it })) },
    { weight: 2, arbitrary: quantity.map((it) => ({ orderType: 'market', quantity: it })) },
    { weight: 1, arbitrary: amount.map((it) => ({ orderType: 'market', quantity: undefined, notional: String(it) })) },
  );
  const step = fc.record({
    who: fc.nat(3),
    side: fc.constantFrom('buy', 'sell'),
    reduceOnly: fc.nat(9).map((random) => random === 0),
    leverageX: fc.constantFrom(undefined, undefined, 1, 10, 50),
    terms,
    index: fc.option(fc.integer({ min: 64_800, max: 65_200 }), { freq: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40 }), async (steps) => {
      const bots = await Promise.all([100_000, 100_000, 2_000, 500].map((cash) => venue.bot(cash)));
      for (const { who, terms: it, index, ...fields } of steps) {
        if (index !== null) await venue.publishIndex(index);
        const by = bots[who]!;
        const body = order(by, { ...it, ...fields });
        const [positionBefore, previewed] = [await position(by), (await preview(by, body)).body];
        const placed = (await place(by, body)).body;
        if (!previewed.accepted) {
          expect(placed).toMatchObject({ code: previewed.code, safeMessage: previewed.safeMessage });
          seen.rejected += 1;
          continue;
        }
        expect(await outcomeOf(by, placed)).toEqual(shownOf(previewed));
        seen[previewed.status as 'open' | 'filled' | 'cancelled'] += 1;
        if (
          positionBefore !== undefined &&
          Number(placed.filledQuantity) > 0 &&
          previewed.position?.side !== positionBefore.side
        ) {
          seen.closing += 1;
        }
      }
      // Empties the book for the next run.
      for (const by of bots) await venue.call('cancelAllOrders', { bot: by, body: {} });
    }),
    repeatable(FILE, Math.max(1, Math.round(ORDERS / 40))),
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

/** The result of an order, in the fields that a preview has. */
async function outcomeOf(by: Bot, placed: VenueResponse['body']): Promise<Fields> {
  const [{ availableForOrders }, resultingPosition] = [await account(by), await position(by)];
  return {
    status: placed.status,
    cancelReason: placed.cancelReason,
    filledQuantity: placed.filledQuantity,
    averagePrice: placed.averagePrice,
    filledNotional: placed.filledNotional,
    fee: placed.feePaid,
    restingQuantity: placed.status === 'open' ? placed.remainingQuantity : '0',
    availableForOrdersAfter: availableForOrders,
    position:
      resultingPosition === undefined
        ? null
        : {
            side: resultingPosition.side,
            quantity: resultingPosition.currentQuantity,
            avgEntryPrice: resultingPosition.avgEntryPrice,
            entryNotional: resultingPosition.entryNotional,
            margin: resultingPosition.margin,
            liquidationPrice: resultingPosition.liquidationPrice,
          },
  };
}

function shownOf(previewed: VenueResponse['body']): Fields {
  const { status, cancelReason, filledQuantity, averagePrice, filledNotional, fee, restingQuantity } = previewed;
  const { availableForOrdersAfter, position: resultingPosition } = previewed;
  const shown = { status, cancelReason, filledQuantity, averagePrice, filledNotional, fee, restingQuantity };
  return { ...shown, availableForOrdersAfter, position: resultingPosition };
}

test('reports no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
