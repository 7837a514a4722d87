/** The leverage of an account in a market over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let attempt = 0;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

const BTC = 'BTC-USD-PERP';
const list = async (bot: Bot) => (await venue.call('getLeverages', { bot, params: { accountId: bot.accountId } })).body;
const choose = (bot: Bot, leverageX: number, marketId = BTC) =>
  venue.call('setLeverage', { bot, params: { accountId: bot.accountId, marketId }, body: { leverageX } });

test('is 10 until the account chooses another one', async () => {
  const bot = await venue.bot();
  const before = venue.sequence();
  const body = await list(bot);
  expect(body).toMatchObject({ version: 'leverage-list/v1', accountId: bot.accountId });
  expect(body.leverages[0]).toEqual({ marketId: BTC, leverageX: 10, isDefault: true, maxLeverageX: 50 });
  expect((await choose(bot, 25)).body).toEqual({
    version: 'market-leverage/v1',
    accountId: bot.accountId,
    marketId: BTC,
    leverageX: 25,
    isDefault: false,
    maxLeverageX: 50,
  });
  expect((await choose(bot, 25)).status).toBe(200);
  expect(venue.sequence()).toBe(before + 1);
  expect((await list(bot)).leverages[0]).toMatchObject({ leverageX: 25, isDefault: false });
  expect((await list(await venue.bot())).leverages[0]).toMatchObject({ leverageX: 10, isDefault: true });
});

test('is that of orders without a leverageX, and of their resource', async () => {
  const bot = await venue.bot();
  const place = async (terms: object) => {
    const body = { marketId: BTC, accountId: bot.accountId, side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
    const clientOrderId = `leverage-${++attempt}`;
    return (await venue.call('placeOrder', { bot, idempotencyKey: clientOrderId, body: { ...body, clientOrderId, ...terms } }))
      .body;
  };
  const { availableForOrders: before } = (await venue.call('getAccount', { bot, params: { accountId: bot.accountId } })).body;
  expect(await place({})).toMatchObject({ leverageX: 10 });
  const { availableForOrders: after } = (await venue.call('getAccount', { bot, params: { accountId: bot.accountId } })).body;
  // 60 of margin, and the fee.
  expect(Number(before) - Number(after)).toBeCloseTo(60 + 600 * 0.0005, 6);
  await choose(bot, 4);
  expect(await place({})).toMatchObject({ leverageX: 4 });
  expect(await place({ leverageX: 7 })).toMatchObject({ leverageX: 7 });
});

test('has at most two decimals', async () => {
  const bot = await venue.bot();
  expect((await choose(bot, 2.55)).body).toMatchObject({ leverageX: 2.55, isDefault: false, maxLeverageX: 50 });
  const before = venue.sequence();
  expect((await choose(bot, 2.55)).body).toMatchObject({ leverageX: 2.55 });
  expect(venue.sequence()).toBe(before);
  for (const leverageX of [2.555, 0.99, 10_000.01]) {
    const { status, body } = await choose(bot, leverageX);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.safeMessage).toContain(`expected a leverage between 1 and 10000 in steps of 0.01, got ${leverageX}`);
  }
  expect((await choose(bot, 50.01)).body.safeMessage).toMatch(/leverageX is 50.01; it may be at most 50 on BTC-USD-PERP/);
  const order = { marketId: BTC, accountId: bot.accountId, side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
  const place = async (body: object) =>
    (await venue.call('placeOrder', { bot, idempotencyKey: `decimals-${++attempt}`, body: { ...order, ...body } })).body;
  expect(await place({ clientOrderId: 'chosen' })).toMatchObject({ leverageX: 2.55 });
  expect(await place({ clientOrderId: 'own', leverageX: 12.34 })).toMatchObject({ leverageX: 12.34 });
});

test('is refused above the maximum of the market, and for others', async () => {
  const [bot, other] = [await venue.bot(), await venue.bot()];
  const { status, body } = await choose(bot, 51);
  expect([status, body.code]).toEqual([400, 'leverage_too_high']);
  expect(body.safeMessage).toMatch(/leverageX is 51; it may be at most 50 on BTC-USD-PERP/);
  expect((await choose(bot, 5, 'DOGE-USD-PERP')).body.code).toBe('market_not_found');
  const foreign = { bot, params: { accountId: other.accountId, marketId: BTC }, body: { leverageX: 5 } };
  expect((await venue.call('setLeverage', foreign)).body.code).toBe('account_forbidden');
});
