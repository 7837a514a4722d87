/** Markets, tickers, candles and books of /v2, in the venue and in a standalone gateway. */
import { describe, expect, test } from 'vitest';
import { BITCOIN } from '#http/testing/markets.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ETHER, limit, onEachGateway, SYMBOL as symbol } from './testing/gateway-stage.ts';

const params = { symbol };

onEachGateway((stage) => {
  describe('a market', () => {
    test('has the facts of /v1, by its symbol', async () => {
      const { markets } = (await stage.venue.call('listMarkets')).body;
      const { body } = await stage.call('listUnifiedMarkets');
      expect(body.map((it: { symbol: string }) => it.symbol)).toEqual([symbol, ETHER]);
      expect(body[0]).toMatchObject({
        id: 'BTC-USD-PERP',
        base: 'BTC',
        quote: 'USD.E',
        settle: 'USD.E',
        active: true,
        taker: 0.0005,
        maker: -0.0001,
        contractSize: 1,
        precision: { amount: 0.0001, price: 0.1, cost: 0.000001, base: null, quote: 0.000001 },
        limits: {
          leverage: { min: 1, max: 50 },
          amount: { min: 0.001, max: 500 },
          price: { min: 1, max: 1_000_000 },
          cost: { min: 0, max: null },
        },
        subType: 'linear',
        info: markets[0],
      });
    });

    test('that does not exist is refused, in a path and in a body', async () => {
      const nowhere = { params: { symbol: 'DOGE/USD.E:USD.E' } };
      for (const id of ['getUnifiedStats', 'getUnifiedCandles', 'getUnifiedBook'] as const) {
        expect(await stage.call(id, nowhere)).toMatchObject({
          status: 404,
          body: { name: 'BadSymbol', code: 'market_not_found' },
        });
      }
      const filtered = await stage.call('listUnifiedOrders', stage.own({ symbol: 'BTC-USD-PERP' }));
      expect(filtered).toMatchObject({ status: 404, body: { name: 'BadSymbol' } });
      for (const unknown of ['DOGE/USD.E:USD.E', 'BTC-USD-PERP', 'BTC/USDT']) {
        expect(await stage.untouched(() => stage.place({ ...limit('buy', 60_000), symbol: unknown }))).toMatchObject({
          status: 400,
          body: { name: 'BadSymbol', code: 'unknown_market', message: expect.stringContaining(JSON.stringify(unknown)) },
        });
      }
    });

    test('that is listed later is found', async () => {
      const late = { ...BITCOIN, marketId: 'SOL-USD-PERP', underlyingSymbol: 'SOL', priceScale: 2 };
      const stats = () => stage.call('getUnifiedStats', { params: { symbol: 'SOL/USD.E:USD.E' } });
      expect((await stats()).status).toBe(404);
      await stage.venue.operate({ type: 'ListMarket', specification: late, status: 'draft' }, 'MarketListed');
      // The list of markets is read at most once a second.
      await eventually(async () => expect((await stats()).status).toBe(200));
      expect((await stats()).body).toMatchObject({
        symbol: 'SOL/USD.E:USD.E',
        last: null,
        open: null,
        vwap: null,
        baseVolume: 0,
        markPrice: null,
      });
      const { body } = await stage.call('listUnifiedMarkets');
      expect(body.at(-1)).toMatchObject({ id: 'SOL-USD-PERP', active: false });
    });

    test('has its ticker and its funding in one object', async () => {
      for (const [price, amount] of [
        [65_000, 0.03],
        [65_001, 0.01],
      ] as const) {
        await stage.place(limit('sell', price, amount), stage.other);
        await stage.place(limit('buy', price, amount));
      }
      await stage.place(limit('sell', 65_010.5, 0.02), stage.other);
      await stage.place(limit('buy', 64_990.5, 0.01));
      const { body } = await stage.call('getUnifiedStats', { params });
      expect(body).toMatchObject({
        symbol,
        open: 65_000,
        high: 65_001,
        low: 65_000,
        close: 65_001,
        last: 65_001,
        change: 1,
        percentage: 0.0015384615384615,
        // Exact to the tick.
        average: 65_000.5,
        vwap: 65_000.25,
        baseVolume: 0.04,
        quoteVolume: 2_600.01,
        bid: 64_990.5,
        bidVolume: 0.01,
        ask: 65_010.5,
        askVolume: 0.02,
        markPrice: 65_000,
        indexPrice: 65_000,
        interestRate: 0.0000125,
        interval: '1h',
        previousClose: null,
        nextFundingRate: null,
        previousFundingRate: null,
      });
      expect(body.info).toMatchObject({ version: 'external-market-stats/v1', marketId: 'BTC-USD-PERP' });
      expect(body.timestamp).toBe(body.info.asOfEpochMs);
      expect(body.datetime).toBe(new Date(body.timestamp).toISOString());
      expect(body.fundingTimestamp).toBe(body.info.nextFundingAtEpochMs);
      expect(body.fundingDatetime).toBe(new Date(body.fundingTimestamp).toISOString());
      expect(body.fundingRate).toBe(Number(body.info.estimatedFundingRate));
    });

    test('has candles of its trades, its index and its mark, and refuses other series', async () => {
      const minute = Math.floor((await stage.call('getUnifiedStats', { params })).body.timestamp / 60_000) * 60_000;
      const trades = await stage.call('getUnifiedCandles', { params, query: { timeframe: '1m', limit: '5' } });
      expect(trades.body.at(-1)).toEqual([minute, 65_000, 65_001, 65_000, 65_001, 0.04]);
      const index = await stage.call('getUnifiedCandles', { params, query: { timeframe: '1h', price: 'index', since: '1' } });
      expect(index.body[0]).toEqual([Math.floor(minute / 3_600_000) * 3_600_000, 65_000, 65_000, 65_000, 65_000, 0]);
      const mark = await stage.call('getUnifiedCandles', { params, query: { timeframe: '3m', price: 'mark' } });
      expect(mark.body).toEqual([[Math.floor(minute / 180_000) * 180_000, 65_000, 65_000, 65_000, 65_000, 0]]);
      for (const query of [{ timeframe: '2m' }, { price: 'premiumIndex' }]) {
        expect(await stage.call('getUnifiedCandles', { params, query })).toMatchObject({
          status: 501,
          body: { name: 'NotSupported' },
        });
      }
    });

    test('has a book of the requested depth', async () => {
      for (const price of [64_980, 64_990, 64_970.5]) await stage.place(limit('buy', price));
      await stage.place(limit('sell', 65_020, 0.5), stage.other);
      const { body } = await stage.call('getUnifiedBook', { params, query: { limit: '2' } });
      expect(body).toMatchObject({
        symbol,
        bids: [
          [64_990, 0.01],
          [64_980, 0.01],
        ],
        asks: [[65_020, 0.5]],
      });
      expect(body.nonce).toBe(stage.venue.sequence());
    });
  });
});
