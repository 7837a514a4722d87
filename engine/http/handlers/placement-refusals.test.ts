/** An order is refused alike in a preview, in a batch, alone, and through /v2. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlacementRefusal } from '#contract/orders.ts';
import { UNIFIED_ERROR_NAMES } from '#contract/unified-errors.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import { retire, retireAsLegacy } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { baseAtoms, priceAtoms } from '#units/money.ts';
import { VENUE_STATUSES } from '#venue/command.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

type Fields = Readonly<Record<string, unknown>>;

const MARKET = 1 as MarketOrdinal;
let venue: VenueUnderTest;
let bot: Bot;
let other: Bot;
let attempt = 0;

beforeEach(async () => {
  venue = await startVenue(UNLIMITED);
  [bot, other] = [await venue.bot(1_000_000_000), await venue.bot()];
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const bid = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
const ofBody = (by: Bot, fields: Fields) => ({
  accountId: by.accountId,
  marketId: 'BTC-USD-PERP',
  clientOrderId: `order-${++attempt}`,
  ...bid,
  ...fields,
});

/** The same order in the unified library's form. */
function unified({ marketId, clientOrderId, side, orderType, price, quantity, postOnly, reduceOnly, leverageX }: Fields) {
  const params = JSON.parse(JSON.stringify({ clientOrderId, postOnly, reduceOnly, leverage: leverageX }));
  const symbol = `${String(marketId).split('-')[0]}/USD.E:USD.E`;
  return { symbol, type: orderType, side, amount: Number(quantity), price: Number(price), params };
}

async function place(by: Bot, fields: Fields) {
  return venue.call('placeOrder', { bot: by, idempotencyKey: `key-${++attempt}`, body: ofBody(by, fields) });
}

const setStatus = (status: MarketStatus) =>
  venue.operate({ type: 'SetMarketStatus', market: MARKET, status }, 'MarketStatusChanged');

/** Rests as many orders as the venue accepts. */
async function fillUp(price: string, quantity: string): Promise<void> {
  let status = 202;
  for (let count = 0; status === 202 && count < 20; count += 1) ({ status } = await place(bot, { price, quantity }));
}

/**
 * `account_retired` is tested below, orders by notional in `orders-without-price.test.ts`, expiries in `order-life.test.ts`, orders that
 * wait, which /v2 lacks, in `trigger-orders.test.ts`. `too_many_positions` takes a crowd.
 */
type TestedElsewhere =
  | 'account_retired'
  | 'account_legacy_excluded'
  | 'notional_too_fine'
  | 'notional_too_small'
  | 'expiry_out_of_bounds'
  | 'trigger_reached'
  | 'linked_order_not_waiting'
  | 'too_many_positions';
type ProvokedRefusal = Exclude<PlacementRefusal, TestedElsewhere>;

/**
 * Brings the venue into the state of each refusal, and returns the fields of an order that it then refuses. A missing code does not
 * compile.
 */
const REFUSED: { readonly [Code in ProvokedRefusal]: () => Fields | Promise<Fields> } = {
  unknown_market: () => ({ marketId: 'DOGE-USD-PERP' }),
  price_off_tick: () => ({ price: '60000.01' }),
  price_out_of_bounds: () => ({ price: '1000001' }),
  price_out_of_band: () => ({ price: '80000' }),
  quantity_off_lot: () => ({ quantity: '0.00011' }),
  quantity_out_of_bounds: () => ({ quantity: '501' }),
  leverage_too_high: () => ({ leverageX: 51 }),
  insufficient_margin: async () => {
    bot = await venue.bot(1);
    return {};
  },
  account_not_enabled: async () => {
    bot = await venue.bot(100_000, ['read', 'trade'], '');
    return {};
  },
  reduce_only_would_increase: () => ({ reduceOnly: true }),
  post_only_would_cross: async () => {
    await place(other, { side: 'sell', price: '65000' });
    return { price: '65000', postOnly: true };
  },
  duplicate_client_order_id: async () => ({ clientOrderId: (await place(bot, {})).body.clientOrderId }),
  venue_halted: async () => {
    await venue.operate({ type: 'SetVenueStatus', status: 'halted' }, 'VenueStatusChanged');
    return {};
  },
  intake_paused: async () => {
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    return {};
  },
  capability_unavailable: async () => {
    await venue.operate({ type: 'SetCapability', capability: 'trading', isOn: false }, 'CapabilitySet');
    return {};
  },
  market_not_open: async () => {
    await setStatus('cancel_only');
    return {};
  },
  market_reduce_only: async () => {
    await setStatus('reduce_only');
    return {};
  },
  mark_price_unavailable: async () => {
    const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
    await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    return { marketId: 'ETH-USD-PERP' };
  },
  index_not_current: async () => {
    await venue.publishIndex(130_000);
    return {};
  },
  too_many_open_orders: async () => {
    const terms = { kind: 'limit', priceAtoms: priceAtoms(600_000), quantityAtoms: baseAtoms(10), postOnly: false } as const;
    const common = { market: MARKET, side: 'buy' as const, terms, reduceOnly: false, leverageHundredths: 0 };
    for (let batch = 0; batch < 16; batch += 1) {
      const entries = Array.from({ length: 32 }, (_, index) => ({ ...common, clientOrderId: `small-${batch}-${index}` }));
      await venue.operate({ type: 'PlaceOrders', account: bot.account, entries, idempotencyKey: '' }, 'OrderRested');
    }
    return {};
  },
  position_limit: async () => {
    await fillUp('60000', '500');
    return { quantity: '500' };
  },
  exposure_limit: async () => {
    for (const price of [95_000, 140_000, 200_000]) await venue.publishIndex(price);
    await fillUp('200000', '500');
    return { price: '200000', quantity: '500' };
  },
};

test('account_retired, in a preview in progress', async () => {
  bot = await venue.bot(0);
  venue.planted.beforeSubmit = () => retire(venue, bot);
  expect((await venue.call('previewOrder', { bot, body: ofBody(bot, {}) })).body).toMatchObject({
    accepted: false,
    code: 'account_retired',
  });
});

test('account_legacy_excluded, in a preview in progress', async () => {
  bot = await venue.bot(0);
  venue.planted.beforeSubmit = () => retireAsLegacy(venue, bot);
  expect((await venue.call('previewOrder', { bot, body: ofBody(bot, {}) })).body).toMatchObject({
    accepted: false,
    code: 'account_legacy_excluded',
  });
});

test('account_legacy_excluded, in a batch in progress', async () => {
  bot = await venue.bot(0);
  venue.planted.beforeSubmit = () => retireAsLegacy(venue, bot);
  const batch = { bot, idempotencyKey: 'key', body: { orders: [ofBody(bot, {})] } };
  expect((await venue.call('placeOrders', batch)).body).toMatchObject({
    outcomes: [{ accepted: false, code: 'account_legacy_excluded' }],
  });
});

test('GET /ready shows the switches', async () => {
  for (const status of VENUE_STATUSES) {
    await venue.operate({ type: 'SetVenueStatus', status }, 'VenueStatusChanged');
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: status === 'halted' }, 'CapabilitySet');
    const { body } = await venue.call('getReady', {});
    expect(body).toMatchObject({
      environment: 'development',
      venueStatus: status,
      capabilities: { agents: status === 'halted' },
    });
  }
});

test('account_retired, in a batch in progress', async () => {
  bot = await venue.bot(0);
  venue.planted.beforeSubmit = () => retire(venue, bot);
  const batch = { bot, idempotencyKey: 'key', body: { orders: [ofBody(bot, {})] } };
  expect((await venue.call('placeOrders', batch)).body).toMatchObject({
    outcomes: [{ accepted: false, code: 'account_retired' }],
  });
});

test.each(Object.keys(REFUSED) as ProvokedRefusal[])('%s', async (code) => {
  const fields = await REFUSED[code]();
  const previewed = await venue.call('previewOrder', { bot, body: ofBody(bot, fields) });
  expect(previewed.body).toMatchObject({ accepted: false, code });
  const batch = { bot, idempotencyKey: `key-${++attempt}`, body: { orders: [ofBody(bot, fields)] } };
  expect((await venue.call('placeOrders', batch)).body).toMatchObject({ outcomes: [{ accepted: false, code }] });
  expect((await place(bot, fields)).body).toMatchObject({ code });
  const entry = { bot, idempotencyKey: `key-${++attempt}`, body: unified(ofBody(bot, fields)) };
  expect((await venue.call('createUnifiedOrder', entry)).body).toMatchObject({ code, name: UNIFIED_ERROR_NAMES[code] });
});
