/** The public channels over a real core: what each publishes, and when. */
import { describe, expect, test } from 'vitest';
import { TIMEFRAMES } from '#contract/markets.ts';
import { History } from '#simulation/history.ts';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import { MARKET_ID, RecordedService, storedGroup } from './testing/recorded-service.ts';

const MARKET = { marketId: MARKET_ID };

/** Bob quotes, Alice takes. */
function trade(history: History, priceAtoms: number, quantityAtoms = 100): void {
  history.limit(2, 'sell', priceAtoms, quantityAtoms, { leverageX: 10 });
  history.market(1, 'buy', quantityAtoms);
}

describe('public channels', () => {
  test('market.trades publishes the trades of a turn in one update, and nothing after an unsubscribe', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await service.connect();
    const { sequence } = await client.subscribed('market.trades', MARKET);
    expect(sequence).toBe(history.records.length);
    history.limit(2, 'sell', 10_000, 10);
    history.limit(3, 'sell', 10_001, 20);
    history.market(1, 'buy', 30);
    service.publish();
    const update = await client.next('update');
    expect(update).toEqual({
      type: 'update',
      channel: 'market.trades',
      marketId: MARKET_ID,
      sequence: sequence + 3,
      previousSequence: sequence,
      epochMs: history.now,
      data: {
        trades: [
          expect.objectContaining({
            tradeId: '1',
            side: 'buy',
            price: '1000',
            quantity: '0.01',
            notional: '10',
            sequence: sequence + 3,
          }),
          expect.objectContaining({ tradeId: '2', price: '1000.1', quantity: '0.02' }),
        ],
      },
    });
    const ended = await client.request({ op: 'unsubscribe', channel: 'market.trades', ...MARKET });
    expect(ended).toMatchObject({ type: 'unsubscribed', sequence: sequence + 3 });
    trade(history, 10_000);
    service.publish();
    await client.drained();
    expect(client.updates('market.trades')).toHaveLength(1);
    expect(await client.request({ op: 'unsubscribe', channel: 'market.trades', ...MARKET })).toMatchObject({
      type: 'unsubscribed',
    });
  });

  test('market.book publishes the whole book at once, then one update of all changes within the window', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 50 });
    const { history } = service;
    history.limit(1, 'buy', 9_990, 5);
    service.publish();
    const client = await service.connect();
    const { sequence } = await client.subscribed('market.book', MARKET);
    expect((await client.next('update')).data).toEqual({ bids: [['999', '0.005']], asks: [] });
    expect(client.frames.at(-1)).toMatchObject({ sequence, previousSequence: sequence });
    for (let count = 1; count <= 200; count += 1) history.limit(2, 'sell', 10_000 + count, 1);
    service.publish();
    // Changes beyond the 50 best levels cause no update.
    await client.until((frame) => frame.type === 'update' && frame.data.asks?.[49]?.[0] === '1005');
    const books = client.updates('market.book');
    expect(books.length).toBeLessThan(10);
    const { bids, asks } = books.at(-1)!.data;
    // The 50 best, best first.
    expect(bids).toEqual([['999', '0.005']]);
    expect(asks).toHaveLength(50);
    expect([asks[0], asks[49]]).toEqual([
      ['1000.1', '0.001'],
      ['1005', '0.001'],
    ]);
    history.cancel(1, 1);
    service.publish();
    await client.until((frame) => frame.type === 'update' && frame.sequence === history.records.length);
    expect(client.updates('market.book').at(-1)!.data.bids).toEqual([]);
  });

  test('market.book publishes an update per change if changes are further apart than the window', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 1 });
    const { history } = service;
    const client = await service.connect();
    await client.subscribed('market.book', MARKET);
    for (let count = 1; count <= 5; count += 1) {
      history.limit(2, 'sell', 10_000 + count, 1);
      service.publish();
      await client.until((frame) => frame.type === 'update' && frame.sequence === history.records.length);
    }
    expect(client.updates('market.book').map(({ data }) => data.asks.length)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('market.book publishes an update per window with changes, however late they arrive', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await service.connect();
    await client.subscribed('market.book', MARKET);
    const at = service.steadyClock.elapsedMs();
    for (let count = 1; count <= 6; count += 1) {
      history.limit(2, 'sell', 10_000 + count, 1);
      // Two in each window, all delivered now.
      service.service.follow(storedGroup(history, history.records.length - 1), at + 5 * count);
    }
    await client.until((frame) => frame.type === 'update' && frame.sequence === history.records.length);
    expect(client.updates('market.book').map(({ data }) => data.asks.length)).toEqual([0, 2, 4, 6]);
  });

  test('market.book publishes nothing if no shown level changed', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 10_000 });
    const { history } = service;
    for (let level = 0; level < 50; level += 1) history.limit(2, 'sell', 10_100 + level, 10);
    service.publish();
    const client = await service.connect();
    await client.subscribed('market.book', MARKET);
    const steps = [
      // Beyond the 50 best.
      () => history.limit(1, 'sell', 10_300, 10),
      () => history.limit(1, 'sell', 10_149, 1),
      () => history.cancel(1, 51),
      // Changes that cancel out before the flush.
      () => {
        history.limit(1, 'buy', 9_990, 1);
        history.cancel(1, 53);
      },
      () => history.limit(1, 'buy', 9_990, 1),
    ];
    for (const take of steps) {
      take();
      service.publish();
      service.service.flush();
    }
    await client.drained();
    const updates = client.updates('market.book');
    expect(updates.map(({ data }) => [data.bids.length, data.asks.at(-1)])).toEqual([
      [0, ['1014.9', '0.01']],
      [0, ['1014.9', '0.011']],
      [1, ['1014.9', '0.011']],
    ]);
    expect(updates.map(({ sequence, previousSequence }) => sequence - previousSequence)).toEqual([0, 2, 4]);
  });

  test('market.ticker starts with the newest state, and publishes every trade at a quoted price', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await service.connect();
    await client.subscribed('market.ticker', MARKET);
    expect((await client.next('update')).data).toHaveProperty('lastPrice', null);
    trade(history, 10_000, 100);
    history.wait(60_000);
    history.limit(2, 'sell', 10_020, 50);
    trade(history, 10_010, 100);
    service.publish();
    await client.until((frame) => frame.type === 'update' && frame.sequence === history.records.length);
    const ticker = client.updates('market.ticker').at(-1)!.data;
    expect(ticker).toMatchObject({
      lastPrice: '1001',
      lastQuantity: '0.1',
      lastTradeAtEpochMs: history.now,
      openPrice24h: '1000',
      highPrice24h: '1001',
      lowPrice24h: '1000',
      change24hBps: '10',
      baseVolume24h: '0.2',
      quoteVolume24h: '200.1',
      bestAskPrice: '1002',
      bestAskQuantity: '0.05',
    });
    const late = await service.connect();
    await late.subscribed('market.ticker', MARKET);
    expect((await late.next('update')).data).toEqual(ticker);
    // Equals the snapshot source.
    expect(JSON.parse(JSON.stringify(service.projection.reads.marketStats(BTC)))).toMatchObject(ticker);
  });

  test('market.price publishes each observation with its provider; market.funding separates reported from estimated rates', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await service.connect();
    for (const channel of ['market.price', 'market.funding']) await client.subscribed(channel, MARKET);
    history.price(10_050);
    // In steps of ten seconds, so that the period has observations throughout.
    for (let seconds = 0; seconds < 3_700; seconds += 10) {
      history.wait(10_000);
      history.price(10_050);
    }
    service.publish();
    await client.until((frame) => frame.type === 'update' && frame.sequence === history.records.length);
    expect(client.updates('market.price')).toHaveLength(371);
    expect(client.updates('market.price')[0]!.data).toEqual({
      indexPrice: '1005',
      markPrice: '1005',
      observedAtEpochMs: expect.any(Number),
      indexStatus: 'current',
      provider: 'generated',
    });
    const settled = client.updates('market.funding').filter(({ data }) => data.cause === 'period_settled');
    expect(settled.length).toBeGreaterThan(0);
    const { reported, estimated } = settled[0]!.data;
    expect(reported).toMatchObject({ fundingRate: expect.any(String), indexPrice: '1005', perLotMicroAtoms: expect.any(String) });
    if (estimated !== null) expect(estimated.periodEndsAtEpochMs).toBeGreaterThan(reported.settledAtEpochMs);
    const changed = client.updates('market.funding').filter(({ data }) => data.cause === 'estimate_changed');
    expect(changed.some(({ data }) => data.estimated !== null)).toBe(true);
    expect(changed.every(({ data }) => (data.reported?.indexPrice ?? null) === null)).toBe(true);
  });

  test('market.status publishes each change of status', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await service.connect();
    await client.subscribed('market.status', MARKET);
    for (const status of ['cancel_only', 'open'] as const) history.run({ type: 'SetMarketStatus', market: BTC, status });
    service.publish();
    await client.next('update', 2);
    expect(client.updates('market.status').map(({ data }) => data)).toEqual([{ status: 'cancel_only' }, { status: 'open' }]);
  });

  test('market.candles publishes changed candles of the chosen series and timeframe, and replays all that changed', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 0 });
    const { history } = service;
    const client = await service.connect();
    const chosen = [
      { series: 'trade', timeframe: '1m' },
      { series: 'trade', timeframe: '15m' },
      { series: 'index', timeframe: '5m' },
    ];
    for (const choice of chosen) await client.subscribed('market.candles', { ...MARKET, ...choice });
    // A trade a minute for three quarters of an hour: a candle of 15 minutes must keep its first trades.
    for (let minute = 0; minute < 45; minute += 1) {
      trade(history, 10_000 + minute, 10);
      service.publish();
      history.wait(60_000);
    }
    history.price(10_010);
    service.publish();
    await client.drained();
    const candlesOf = ({ series, timeframe }: (typeof chosen)[number]) => {
      const candles = new Map<number, object>();
      for (const frame of client.updates('market.candles')) {
        if (frame.series !== series || frame.timeframe !== timeframe) continue;
        for (const candle of frame.data.candles) candles.set(candle.openTimeEpochMs, candle);
      }
      return [...candles.values()];
    };
    for (const { series, timeframe } of chosen as { series: 'trade' | 'index'; timeframe: '1m' | '5m' | '15m' }[]) {
      const { entries: candles } = service.projection.reads.candles({ market: BTC, series, timeframe, limit: 100 }).page;
      const seen = candlesOf({ series, timeframe });
      expect(seen).toEqual(candles.slice(-seen.length));
      expect(seen.length).toBeGreaterThan(series === 'index' ? 0 : 2);
    }
    // A replay has all candles that changed meanwhile.
    const from = history.records.length;
    for (let minute = 0; minute < 3; minute += 1) {
      history.wait(60_000);
      trade(history, 10_000, 10);
    }
    service.publish();
    const late = await service.connect();
    await late.subscribed('market.candles', { ...MARKET, ...chosen[0] }, from);
    const { page } = service.projection.reads.candles({ market: BTC, series: 'trade', timeframe: '1m', limit: 3 });
    expect((await late.next('update')).data).toEqual({ candles: page.entries });
  });

  test('market.candles publishes the candle in which the venue started as REST has it, with its synthetic part', async () => {
    const history = new History();
    const startedAtEpochMs = (history.now + 70_000) as EpochMs;
    history.now = startedAtEpochMs;
    const terms = { seed: 3, lengthMs: 3_600_000, startPriceAtoms: 10_000 as PriceAtoms, volatilityPpb: 80_000 as Ppb };
    const past = { ...terms, startedAtEpochMs };
    history.run({ type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open', history: past });
    const service = await RecordedService.start(history);
    const client = await service.connect();
    const choices = TIMEFRAMES.map((timeframe) => ({ series: 'index' as const, timeframe }));
    for (const choice of choices) await client.subscribed('market.candles', { ...MARKET, ...choice });
    for (const price of [10_001, 10_300]) {
      history.price(price);
      service.publish();
      history.wait(60_000);
      await client.drained();
    }
    for (const { series, timeframe } of choices) {
      const updates = client.updates('market.candles').filter((frame) => frame.timeframe === timeframe);
      const { entries } = service.projection.reads.candles({ market: BTC, series, timeframe, limit: 2 }).page;
      expect(updates.at(-1)!.data.candles.at(-1), timeframe).toEqual(entries.at(-1));
      expect(updates[0]!.data.candles[0]).toMatchObject({ synthetic: true });
      expect(updates[0]!.data.candles[0].open).not.toBe('1000.1');
    }
    expect(client.updates('market.candles').some(({ data }) => data.candles.at(-1).synthetic === false)).toBe(true);
  });
});
