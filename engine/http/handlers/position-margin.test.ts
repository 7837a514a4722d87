/** Adding margin to a position and removing it, over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

let venue: VenueUnderTest;
let attempt = 0;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

const BTC = 'BTC-USD-PERP';

function adjust(bot: Bot, direction: string, amount: string, idempotencyKey = `margin-${++attempt}`, marketId = BTC) {
  const params = { accountId: bot.accountId, marketId };
  return venue.call('adjustPositionMargin', { bot, idempotencyKey, params, body: { direction, amount } });
}

async function place(bot: Bot, side: string, fields: object) {
  const key = `open-${++attempt}`;
  const body = { accountId: bot.accountId, marketId: BTC, clientOrderId: key, side, quantity: '0.1', ...fields };
  return (await venue.call('placeOrder', { bot, idempotencyKey: key, body })).body;
}

test('adds cash to the margin of a position and takes it out down to the initial margin', async () => {
  const [maker, bot] = [await venue.bot(), await venue.bot()];
  await place(maker, 'sell', { orderType: 'limit', price: '65000' });
  expect(await place(bot, 'buy', { orderType: 'market' })).toMatchObject({ status: 'filled', leverageX: 10 });
  const added = await adjust(bot, 'add', '100.5', 'add');
  expect([added.status, added.body]).toEqual([
    200,
    {
      version: 'position-margin-adjustment/v1',
      accountId: bot.accountId,
      marketId: BTC,
      positionId: expect.any(String),
      direction: 'add',
      amountAtoms: '100500000',
      amount: '100.5',
      repaidAtoms: '0',
      marginAtoms: '750500000',
      margin: '750.5',
      lastSequence: venue.sequence(),
      idempotencyKey: 'add',
    },
  ]);
  const again = await adjust(bot, 'add', '100.5', 'add');
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([added.body, 'true']);
  const { positions } = (await venue.call('listPositions', { bot, params: { accountId: bot.accountId } })).body;
  expect(positions[0]).toMatchObject({ marginAtoms: '750500000' });
  expect((await adjust(bot, 'remove', '600')).body).toMatchObject({ direction: 'remove', marginAtoms: '150500000' });
  // 2 % of 6,500 and more is what stays.
  const { status, body } = await adjust(bot, 'remove', '100');
  expect([status, body.code]).toEqual([409, 'margin_required']);
  expect((await adjust(bot, 'add', '1000000000')).body.code).toBe('insufficient_cash');
});

test('refuses accounts without a position, unknown markets, and amounts that are none', async () => {
  const bot = await venue.bot();
  expect((await adjust(bot, 'add', '1')).body.code).toBe('position_not_found');
  expect((await adjust(bot, 'add', '1', 'x', 'DOGE-USD-PERP')).body.code).toBe('market_not_found');
  for (const amount of ['0', '0.0000001']) expect((await adjust(bot, 'add', amount)).body.code).toBe('amount_out_of_bounds');
});

test('removes nothing while the market or the venue permits no risk', async () => {
  const [maker, bot] = [await venue.bot(), await venue.bot()];
  await place(maker, 'sell', { orderType: 'limit', price: '65000' });
  await place(bot, 'buy', { orderType: 'market' });
  const refusal = async () => {
    const { status, body } = await adjust(bot, 'remove', '1');
    return [status, body.code];
  };
  const setMarket = (status: MarketStatus) =>
    venue.operate({ type: 'SetMarketStatus', market: 1 as MarketOrdinal, status }, 'MarketStatusChanged');
  await setMarket('reduce_only');
  expect(await refusal()).toEqual([409, 'market_reduce_only']);
  await setMarket('cancel_only');
  expect(await refusal()).toEqual([409, 'market_not_open']);
  await setMarket('open');
  await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
  expect(await refusal()).toEqual([503, 'intake_paused']);
  expect((await adjust(bot, 'add', '1')).status).toBe(200);
  await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
  await venue.operate({ type: 'SetCapability', capability: 'trading', isOn: false }, 'CapabilitySet');
  expect(await refusal()).toEqual([503, 'capability_unavailable']);
  await venue.operate({ type: 'SetCapability', capability: 'trading', isOn: true }, 'CapabilitySet');
  venue.pass(3_600_000);
  expect(await refusal()).toEqual([503, 'index_not_current']);
});
