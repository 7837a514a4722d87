/** Risk over HTTP, on the real venue: refusals while the index is not current or the market is restricted, and a liquidation. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

beforeEach(async () => {
  venue = await startVenue();
  maker = await venue.bot();
  taker = await venue.bot();
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

function place(bot: Bot, fields: Readonly<Record<string, unknown>>, idempotencyKey = `key-${++attempt}`): Promise<VenueResponse> {
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${idempotencyKey}`, ...fields };
  return venue.call('placeOrder', { bot, idempotencyKey, body });
}

const bid = (price: string, quantity: string) => ({ side: 'buy', orderType: 'limit', price, quantity });
const sellOrder = (price: string, quantity: string) => ({ side: 'sell', orderType: 'limit', price, quantity });
const market = (side: 'buy' | 'sell', quantity: string) => ({ side, orderType: 'market', quantity });
const params = { marketId: 'BTC-USD-PERP' };
const stats = async () => (await venue.call('getMarketStats', { params })).body;
const own = (bot: Bot) => ({ bot, params: { accountId: bot.accountId } });
const setStatus = (status: MarketStatus) =>
  venue.operate({ type: 'SetMarketStatus', market: 1 as MarketOrdinal, status }, 'MarketStatusChanged');

describe('an order that opens risk', () => {
  beforeEach(async () => {
    await place(maker, sellOrder('65000', '0.1'));
    await place(maker, bid('64990', '0.1'));
    expect((await place(taker, market('buy', '0.05'))).body).toMatchObject({ status: 'filled' });
  });

  test('is refused while an index jump is unconfirmed', async () => {
    await venue.publishIndex(130_000);
    expect(await stats()).toMatchObject({ indexStatus: 'unconfirmed', indexPrice: '65000', markPrice: '65000' });
    const refused = await place(taker, bid('64000', '0.01'), 'early');
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      code: 'index_not_current',
      retryable: true,
      recoveryActions: ['read_market', 'retry_later'],
      safeMessage:
        'The index price of BTC-USD-PERP is stale or unconfirmed, so no order may increase risk. ' +
        'Wait until the indexStatus in its stats is current. Orders that only reduce a position are still accepted.',
    });
    expect((await venue.call('getAccount', own(taker))).body.riskEvidence).toEqual({ status: 'stale' });
    expect((await place(taker, { ...market('sell', '0.01'), reduceOnly: true })).body).toMatchObject({ status: 'filled' });
    await venue.publishIndex(65_000);
    expect(await stats()).toMatchObject({ indexStatus: 'current' });
    expect((await place(taker, bid('64000', '0.01'), 'early')).body).toMatchObject({ status: 'open' });
    expect((await venue.call('getAccount', own(taker))).body.riskEvidence).toEqual({ status: 'complete' });
  });

  test('is refused in a reduce-only market, which accepts a reducing order', async () => {
    await setStatus('reduce_only');
    expect((await venue.call('getMarket', { params })).body.market).toMatchObject({ status: 'reduce_only' });
    const refused = await place(taker, market('buy', '0.01'));
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'market_reduce_only',
        retryable: true,
        safeMessage: expect.stringMatching(/^BTC-USD-PERP accepts only orders that reduce a position\. Send a reduce-only order/),
      },
    ]);
    expect((await place(taker, { ...market('sell', '0.05'), reduceOnly: true })).body).toMatchObject({ status: 'filled' });
    await setStatus('open');
    expect((await place(taker, bid('64000', '0.01'))).status).toBe(202);
  });
});

describe('a position below its maintenance margin', () => {
  beforeEach(async () => {
    await venue.operate({ type: 'CreditInsurance', amountAtoms: quoteAtoms(1_000_000_000), reference: 'test' }, 'LedgerPosted');
    await place(maker, sellOrder('65000', '1'));
    expect((await place(taker, { ...market('buy', '1'), leverageX: 50 })).body).toMatchObject({ status: 'filled' });
    await place(maker, bid('64200', '1'));
  });

  test('is at risk first, and shows its liquidation price', async () => {
    // 1,300 of margin; 1 % of 64,610 is required.
    await venue.publishIndex(64_610);
    const { positions } = (await venue.call('listPositions', own(taker))).body;
    expect(positions).toMatchObject([
      { marginStatus: 'at_risk', liquidationPrice: '64343.4', markPrice: '64610', adlIndicator: 5, fundingPaid: '0' },
    ]);
    expect((await venue.call('listPositions', own(maker))).body.positions).toMatchObject([{ marginStatus: 'healthy' }]);
  });

  test('is closed in the book by an order of the venue, visible to its owner and the public', async () => {
    await venue.publishIndex(64_300);
    expect((await venue.call('listPositions', own(taker))).body.positions).toEqual([]);
    const [closing, opening] = (await venue.call('listOrders', own(taker))).body.orders;
    expect(closing).toMatchObject({ origin: 'liquidation', status: 'filled', side: 'sell', averagePrice: '64200' });
    expect(closing).toHaveProperty('clientOrderId', null);
    expect(opening).toMatchObject({ side: 'buy', leverageX: 50 });
    expect(opening).toHaveProperty('origin', null);
    const [fill] = (await venue.call('listFills', own(taker))).body.fills;
    expect(fill).toMatchObject({ orderId: closing.orderId, origin: 'liquidation', realizedPnl: '-800', liquidity: 'taker' });
    const { entries } = (await venue.call('listLedgerEntries', own(taker))).body;
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'liquidation_fee', tradeId: fill.tradeId, amount: '-321' }));
    const [trade] = (await venue.call('listTrades', { params })).body.trades;
    expect(trade).toMatchObject({ tradeId: fill.tradeId, origin: 'liquidation', side: 'sell', price: '64200' });
    expect(await stats()).toMatchObject({ lastPrice: '64200', openInterest: '0' });
    expect((await venue.call('getOrder', { bot: taker, params: { orderId: closing.orderId } })).body).toEqual(closing);
    const again = await venue.call('cancelOrder', { bot: taker, params: { orderId: closing.orderId } });
    expect(again.body).toMatchObject({ code: 'order_not_open' });
  });

  test('cancels the account’s open orders in the market', async () => {
    const resting = await place(taker, bid('63000', '0.01'));
    await venue.publishIndex(64_300);
    const { body } = await venue.call('getOrder', { bot: taker, params: { orderId: resting.body.orderId } });
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'liquidation' });
  });
});
