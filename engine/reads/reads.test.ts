/** The public and the private reads over HTTP, on the real venue: they show the results of commands. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

async function place(bot: Bot, fields: Readonly<Record<string, unknown>>): Promise<VenueResponse> {
  attempt += 1;
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...fields };
  const response = await venue.call('placeOrder', { bot, idempotencyKey: `key-${attempt}`, body });
  expect(response.status).toBe(202);
  return response;
}

/** Ten trades of 0.01, at 65,001 and up, and a book with three bids and two asks left. */
beforeAll(async () => {
  venue = await startVenue();
  maker = await venue.bot();
  taker = await venue.bot();
  for (let price = 65_001; price <= 65_012; price += 1) {
    await place(maker, { side: 'sell', orderType: 'limit', price: String(price), quantity: '0.01' });
  }
  for (const price of ['64999.5', '64998', '64990'])
    await place(maker, { side: 'buy', orderType: 'limit', price, quantity: '0.02' });
  for (let trade = 0; trade < 10; trade += 1) await place(taker, { side: 'buy', orderType: 'market', quantity: '0.01' });
});
afterAll(() => venue.close());

const params = { marketId: 'BTC-USD-PERP' };

describe('public reads', () => {
  test('need no key and show the listed market', async () => {
    const { body } = await venue.call('listMarkets');
    expect(body.markets).toHaveLength(1);
    expect(body.markets[0]).toMatchObject({
      marketId: 'BTC-USD-PERP',
      status: 'open',
      tickSize: '0.1',
      lotSize: '0.0001',
      minPrice: '1',
      maxPrice: '1000000',
      minQuantity: '0.001',
      maxQuantity: '500',
      makerFeeBps: -1,
      takerFeeBps: 5,
      settlementAsset: 'USD.E',
      lastPrice: '65010',
    });
    expect((await venue.call('getMarket', { params })).body.market).toEqual(body.markets[0]);
  });

  test('respond to HEAD as to GET, without the body', async () => {
    const response = await fetch(`http://127.0.0.1:${venue.port}/v1/markets`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(500);
  });

  test('show the book, best first, to the requested depth', async () => {
    const { body } = await venue.call('getBook', { params });
    expect(body.bids).toEqual([
      ['64999.5', '0.02'],
      ['64998', '0.02'],
      ['64990', '0.02'],
    ]);
    expect(body.asks).toEqual([
      ['65011', '0.01'],
      ['65012', '0.01'],
    ]);
    expect((await venue.call('getBook', { params, query: { depth: '1' } })).body).toMatchObject({
      bids: [['64999.5', '0.02']],
      asks: [['65011', '0.01']],
    });
  });

  test('show the stats', async () => {
    const { body } = await venue.call('getMarketStats', { params });
    expect(body).toMatchObject({
      lastPrice: '65010',
      indexPrice: '65000',
      bestBidPrice: '64999.5',
      bestAskPrice: '65011',
      openPrice24h: '65001',
      highPrice24h: '65010',
      lowPrice24h: '65001',
      baseVolume24h: '0.1',
      quoteVolume24h: '6500.55',
      openInterest: '0.1',
    });
  });

  test('show the stats of all markets in one response, each as it is shown alone', async () => {
    const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
    await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    const { body } = await venue.call('listMarketStats');
    const alone = ['BTC-USD-PERP', 'ETH-USD-PERP'].map((marketId) => venue.call('getMarketStats', { params: { marketId } }));
    expect(body.stats).toEqual((await Promise.all(alone)).map((response) => response.body));
    expect(body.freshness).toMatchObject({ status: 'fresh', journalSequence: body.stats[0].sequence });
  });

  test('show candles and trades, page by page', async () => {
    const { candles } = (await venue.call('getCandles', { params, query: { timeframe: '1d', limit: '5' } })).body;
    expect(candles).toHaveLength(1);
    expect(candles[0]).toMatchObject({ open: '65001', high: '65010', low: '65001', close: '65010', volume: '0.1' });
    expect((await venue.call('getCandles', { params, query: { series: 'index' } })).body.candles[0]).toMatchObject({
      close: '65000',
      volume: '0',
    });
    expect((await venue.call('getCandles', { params, query: { since: '9999999999999' } })).body.candles).toEqual([]);
    const trades = await everyPage('listTrades', 'trades', { params, query: { limit: '4' } });
    expect(trades.map((trade) => trade.price)).toEqual([
      '65010',
      '65009',
      '65008',
      '65007',
      '65006',
      '65005',
      '65004',
      '65003',
      '65002',
      '65001',
    ]);
    const since = String(trades[3]?.executedAtEpochMs);
    const later = await everyPage('listTrades', 'trades', { params, query: { since, limit: '3' } });
    expect(later.map((trade) => trade.price)).toEqual(['65007', '65008', '65009', '65010']);
  });

  test.each<OperationId>(['getMarket', 'getMarketStats', 'getBook', 'getCandles', 'listTrades'])(
    'respond market_not_found for unknown markets: %s',
    async (id) => {
      for (const marketId of ['DOGE-USD-PERP', 'btc-usd-perp', '%', '../x', "' OR 1=1 --", '1']) {
        expect((await venue.call(id, { params: { marketId } })).body.code).toBe('market_not_found');
      }
    },
  );
});

describe('account reads', () => {
  const own = (bot: Bot) => ({ bot, params: { accountId: bot.accountId } });

  test('show cash, margin and position', async () => {
    const { body } = await venue.call('getAccount', own(taker));
    expect(body).toMatchObject({
      accountId: taker.accountId,
      asset: 'USD.E',
      marginMode: 'isolated',
      riskEvidence: { status: 'complete' },
    });
    expect(body.positions).toMatchObject([
      { marketId: 'BTC-USD-PERP', signedBaseAtoms: '1000', entryNotionalAtoms: '6500550000' },
    ]);
    // Five basis points of 6500.55, each fee rounded toward zero; margin at the highest leverage.
    expect(Number(body.cashBalance) + Number(body.positionMargin)).toBeCloseTo(100_000 - 3.250275, 6);
    expect(body.availableForOrders).toBe(body.cashBalance);
    const { positions } = (await venue.call('listPositions', own(taker))).body;
    expect(positions).toMatchObject([
      { side: 'long', status: 'open', currentQuantity: '0.1', entryNotional: '6500.55', avgEntryPrice: '65005.5' },
    ]);
  });

  test('show every order once, with the requested filters', async () => {
    const all = await everyPage('listOrders', 'orders', { ...own(maker), query: { limit: '4' } });
    expect(all).toHaveLength(15);
    expect(new Set(all.map((order) => order.orderId)).size).toBe(15);
    expect(all.map((order) => Number(order.orderId))).toEqual(
      all.map((order) => Number(order.orderId)).sort((left, right) => right - left),
    );
    const oldest = await everyPage('listOrders', 'orders', { ...own(maker), query: { limit: '4', since: '0' } });
    expect(oldest).toEqual(all.toReversed());
    const filled = await everyPage('listOrders', 'orders', { ...own(maker), query: { status: 'filled' } });
    expect(filled).toEqual(all.filter((order) => order.status === 'filled'));
    expect(filled).toHaveLength(10);
    const open = await everyPage('listOpenOrders', 'orders', { ...own(maker), query: { limit: '2', ...params } });
    expect(open).toEqual(all.filter((order) => order.status === 'open'));
    expect(await everyPage('listOrders', 'orders', { ...own(maker), query: { clientOrderId: 'order-1' } })).toEqual(
      all.slice(-1),
    );
  });

  test("show the account's fills, and those of one order", async () => {
    const fills = await everyPage('listFills', 'fills', { ...own(taker), query: { limit: '3' } });
    expect(fills).toHaveLength(10);
    expect(fills[9]).toMatchObject({
      price: '65001',
      quantity: '0.01',
      liquidity: 'taker',
      side: 'buy',
      orderType: 'market',
      fee: '0.325005',
      feeAsset: 'USD.E',
    });
    const orderId = String(fills[4]?.orderId);
    expect(await everyPage('listFills', 'fills', { ...own(taker), query: { orderId } })).toEqual([fills[4]]);
    expect((await everyPage('listFills', 'fills', own(maker)))[9]).toMatchObject({ liquidity: 'maker', fee: '-0.065001' });
    for (const other of ['x', '999', '1']) {
      expect((await venue.call('listFills', { ...own(taker), query: { orderId: other } })).body.code).toBe('order_not_found');
    }
    expect((await venue.call('listFills', { ...own(taker), query: { marketId: 'x' } })).body.code).toBe('market_not_found');
  });

  test("show the account's binding and its key", async () => {
    expect((await venue.call('getParty', own(taker))).body).toMatchObject({
      status: 'active',
      partyId: `party::${taker.account}`,
    });
    const unbound = await venue.bot(0, ['read'], '');
    expect((await venue.call('getParty', own(unbound))).body).toMatchObject({ status: 'absent' });
    const { body } = await venue.call('getCurrentApiKey', { bot: taker });
    expect(body).toMatchObject({ keyId: taker.keyId, accountId: taker.accountId, scopes: ['read', 'trade'], label: 'bot' });
    expect(JSON.stringify(body)).not.toContain(taker.key);
    const funding = await venue.bot(0, ['funding']);
    expect((await venue.call('getCurrentApiKey', { bot: funding })).status).toBe(200);
  });

  test.each<OperationId>(['getAccount', 'listPositions', 'listOrders', 'listOpenOrders', 'listFills', 'getParty'])(
    'refuse other accounts: %s',
    async (id) => {
      const responses = [taker.accountId, 'acct-4040', 'acct-01', '7'].map((accountId) =>
        venue.call(id, { bot: maker, params: { accountId } }),
      );
      const messages = (await Promise.all(responses)).map(({ body }) => `${body.code} ${body.safeMessage}`);
      expect(new Set(messages).size).toBe(1);
      expect(messages[0]).toContain('account_forbidden');
    },
  );

  test('end when the key expires, which the key read shows', async () => {
    const expiresAtEpochMs = venue.pass(0) + 60_000;
    const bot = await venue.keyOf(maker, ['read'], expiresAtEpochMs);
    expect((await venue.call('getCurrentApiKey', { bot })).body).toMatchObject({ accountId: maker.accountId, expiresAtEpochMs });
    expect((await venue.call('getCurrentApiKey', { bot: maker })).body).toHaveProperty('expiresAtEpochMs', null);
    expect((await venue.call('getAccount', own(bot))).status).toBe(200);
    venue.pass(60_000);
    for (const id of ['getAccount', 'getCurrentApiKey', 'listMarkets'] as const)
      expect((await venue.call(id, own(bot))).body, id).toMatchObject({ code: 'unauthorized', apiKeyRejection: 'expired' });
    expect((await venue.call('getAccount', own(maker))).status).toBe(200);
  });

  test('end when the key is revoked', async () => {
    const bot = await venue.bot(0);
    await venue.operate({ type: 'RevokeApiKey', account: bot.account, keyId: bot.keyId }, 'ApiKeyRevoked');
    expect((await venue.call('getAccount', own(bot))).body).toMatchObject({ code: 'unauthorized', apiKeyRejection: 'revoked' });
  });
});

type Row = Readonly<Record<string, unknown>>;

async function everyPage(
  id: OperationId,
  field: string,
  request: Parameters<VenueUnderTest['call']>[1] & {},
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query = { ...request.query, ...(cursor === null ? {} : { cursor }) };
    const { status, body } = await venue.call(id, { ...request, query });
    expect(status).toBe(200);
    rows.push(...body[field]);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return rows;
}

test('raises no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
