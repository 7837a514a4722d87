/** Market resources: catalogue, stats, book. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { bookSnapshot, marketCatalogue, marketStats, singleMarket } from '#contract/markets.ts';
import { History } from '#simulation/history.ts';
import { BTC, FINE_MARKET } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { openProjection } from './projection.ts';
import { listed, opened, priced } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function readsOf(history: History) {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection.reads;
}

/** Two accounts that trade small quantities in turn, so that neither runs out of margin, at a current index. */
function trade(history: History, priceAtoms: number, quantityAtoms: number): void {
  history.price(10_000);
  history.limit(1, 'sell', priceAtoms, quantityAtoms, { leverageX: 10 });
  history.market(2, 'buy', quantityAtoms);
}

/** Advances the time to the next multiple of a span, minus the millisecond that the next command adds. */
function waitForNext(history: History, spanMs: number): void {
  history.wait(spanMs - (history.now % spanMs) - 1);
}

describe('the catalogue', () => {
  test('has each market as listed', () => {
    const history = History.begin(0);
    history.run({
      type: 'ListMarket',
      specification: { ...FINE_MARKET, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' },
      status: 'draft',
    });
    history.run({ type: 'SetMarketStatus', market: 2 as MarketOrdinal, status: 'open' });
    history.run({ type: 'SetMarketStatus', market: 2 as MarketOrdinal, status: 'reduce_only' });
    const reads = readsOf(history);
    const catalogue = marketCatalogue.parse(reads.marketCatalogue());
    expect(catalogue.markets).toMatchObject([
      {
        marketId: 'BTC-USD-PERP',
        status: 'open',
        minPrice: '0.1',
        maxPrice: '1000000',
        minQuantity: '0.001',
        maxQuantity: '500',
        tickSize: '0.1',
        lotSize: '0.001',
        maxPositionQuantity: '4000',
        maxPositionNotional: '562949953.421312',
        makerFeeBps: 2,
        settlementAsset: 'USD.E',
        settlementAssetDecimals: 6,
        maintenanceMarginTiers: [
          { notionalThresholdAtoms: '0', maintenanceMarginBps: 250, initialMarginBps: 500, maxLeverageX: 20 },
          { notionalThresholdAtoms: '1000000000000', maintenanceMarginBps: 400, initialMarginBps: 800, maxLeverageX: 12 },
        ],
        liquidationFeeBps: 100,
        autoDeleveraging: true,
        maxIndexAgeMs: HOUR,
        maxIndexJumpBps: 5_000,
        indexConfirmations: 2,
        fundingPeriodMs: HOUR,
        fundingInterestRate: '0.0000125',
        fundingRateCap: '0.01',
        premiumSampleMs: 5_000,
        impactNotional: '4000',
      },
      { marketId: 'ETH-USD-PERP', status: 'reduce_only', lotSize: '0.00001' },
    ]);
    expect(catalogue.markets[0]).toHaveProperty('lastPrice', null);
    expect(singleMarket.parse(reads.market(BTC)).market).toEqual(catalogue.markets[0]);
  });

  test('has a digest that changes only with listings and statuses', () => {
    const history = History.begin(2);
    const digests = [readsOf(history).marketCatalogue().readModelDigest];
    history.price(10_100);
    trade(history, 10_000, 10);
    digests.push(readsOf(history).marketCatalogue().readModelDigest);
    history.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
    digests.push(readsOf(history).marketCatalogue().readModelDigest);
    history.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
    digests.push(readsOf(history).marketCatalogue().readModelDigest);
    expect(digests[1]).toBe(digests[0]);
    expect(new Set(digests).size).toBe(3);
  });
});

describe('stats', () => {
  test('of a market without trades have null for missing prices', () => {
    const stats = marketStats.parse(readsOf(History.begin(0)).marketStats(BTC));
    expect(stats).toMatchObject({
      indexPrice: '1000',
      markPrice: '1000',
      baseVolume24h: '0',
      quoteVolume24h: '0',
      openInterest: '0',
    });
    for (const absent of ['lastPrice', 'bestBidPrice', 'openPrice24h', 'highPrice24h', 'change24hBps'])
      expect(stats).toHaveProperty(absent, null);
  });

  test('cover the last 24 hours by the minute, and count each trade once', () => {
    const history = History.begin(2);
    trade(history, 9_000, 100);
    waitForNext(history, MINUTE);
    trade(history, 10_000, 100);
    history.wait(5 * HOUR);
    trade(history, 10_400, 200);
    trade(history, 9_800, 50);
    history.limit(1, 'sell', 9_900, 7);
    history.limit(2, 'buy', 9_700, 3);
    waitForNext(history, MINUTE);
    history.wait(DAY - 5 * HOUR - 2 * MINUTE);
    history.price(10_000);
    // The first trade is a minute before the window, the second in its first minute.
    const stats = marketStats.parse(readsOf(history).marketStats(BTC));
    expect(stats).toMatchObject({
      lastPrice: '980',
      lastQuantity: '0.05',
      openPrice24h: '1000',
      highPrice24h: '1040',
      lowPrice24h: '980',
      change24hBps: '-200',
      baseVolume24h: '0.35',
      quoteVolume24h: '357',
      bestBidPrice: '970',
      bestBidQuantity: '0.003',
      bestAskPrice: '990',
      bestAskQuantity: '0.007',
      openInterest: '0.45',
    });
  });

  test('of a market without trades in the last 24 hours keep its last price, unchanged', () => {
    const history = History.begin(2);
    trade(history, 9_990, 100);
    history.wait(2 * DAY);
    history.price(10_000);
    const stats = readsOf(history).marketStats(BTC);
    expect(stats).toMatchObject({ lastPrice: '999', openPrice24h: '999', change24hBps: '0', baseVolume24h: '0' });
    expect(stats).toHaveProperty('highPrice24h', null);
  });

  test('count open interest once, through flips', () => {
    const history = History.begin(3);
    trade(history, 10_000, 100);
    history.limit(3, 'buy', 10_000, 250);
    history.market(2, 'sell', 250);
    expect(readsOf(history).marketStats(BTC).openInterest).toBe('0.25');
  });
});

describe('the index', () => {
  const statsOf = (feed: EventFeed) => marketStats.parse(feed.reads.marketStats(BTC));
  const indexCandles = (feed: EventFeed) =>
    feed.reads
      .candles({ market: BTC, timeframe: '1m', series: 'index', limit: 10 })
      .page.entries.map(({ open, high, low, close }) => [open, high, low, close]);

  test('ignores an unconfirmed price, as do mark and candles', () => {
    const feed = new EventFeed();
    feed.emit(listed());
    expect(statsOf(feed)).toHaveProperty('indexStatus', null);
    feed.emit(priced({ observedAtEpochMs: feed.now }));
    expect(statsOf(feed)).toMatchObject({ indexStatus: 'current', indexPrice: '1000', markPrice: '1000' });
    const { indexObservedAtEpochMs } = statsOf(feed);
    feed.emit(priced({ observedAtEpochMs: indexObservedAtEpochMs!, indexStatus: 'unconfirmed' }));
    expect(statsOf(feed)).toMatchObject({ indexStatus: 'unconfirmed', indexPrice: '1000', indexObservedAtEpochMs });
    feed.emit(priced({ observedAtEpochMs: feed.now, indexPriceAtoms: 20_000 }));
    expect(statsOf(feed)).toMatchObject({ indexStatus: 'current', indexPrice: '2000', markPrice: '2000' });
    expect(indexCandles(feed)).toEqual([['1000', '2000', '1000', '2000']]);
  });

  test('has no candle of a late price', () => {
    const feed = new EventFeed();
    feed.emit(listed());
    const noPrice = { indexPriceAtoms: 0, markPriceAtoms: 0, observedAtEpochMs: 0, indexStatus: 'stale' } as const;
    feed.emit(priced(noPrice));
    expect(statsOf(feed)).toHaveProperty('indexPrice', null);
    expect(statsOf(feed)).toHaveProperty('markPrice', null);
    expect(indexCandles(feed)).toEqual([]);
    const holds = priced({ observedAtEpochMs: feed.now });
    feed.emit(holds);
    feed.now = (feed.now + 5 * MINUTE) as EpochMs;
    feed.emit(holds);
    expect(indexCandles(feed)).toHaveLength(1);
  });

  test('becomes stale after a jump that is never confirmed', () => {
    const feed = new EventFeed();
    feed.emit(listed(), priced({ observedAtEpochMs: feed.now }));
    feed.now = (feed.now + HOUR / 2) as EpochMs;
    feed.emit(priced({ observedAtEpochMs: 1_700_000_000_000, indexStatus: 'unconfirmed' }));
    feed.timeEpochMs = (feed.now + HOUR) as EpochMs;
    expect(statsOf(feed).indexStatus).toBe('unconfirmed');
    feed.timeEpochMs = (feed.timeEpochMs + 1) as EpochMs;
    expect(statsOf(feed).indexStatus).toBe('stale');
  });
});

describe('funding', () => {
  const statsOf = (feed: EventFeed) => marketStats.parse(feed.reads.marketStats(BTC));
  const settled = { type: 'FundingSettled', market: 1, indexPriceAtoms: 10_000, perLotMicroAtoms: 1 };

  test('has an estimate for the running period, and the rate of the last settled one', () => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced());
    for (const absent of ['estimatedFundingRate', 'nextFundingAtEpochMs', 'lastFundingRate', 'lastFundingAtEpochMs'])
      expect(statsOf(feed)).toHaveProperty(absent, null);
    feed.emit(priced({ fundingEstimatePpb: -12_500, nextFundingAtEpochMs: 1_700_000_100_000 }));
    expect(statsOf(feed)).toMatchObject({ estimatedFundingRate: '-0.0000125', nextFundingAtEpochMs: 1_700_000_100_000 });
    feed.emit({ ...settled, period: 1, ratePpb: 7_500_000, settledAtEpochMs: 1_700_000_100_000 } as never);
    expect(statsOf(feed)).toMatchObject({ lastFundingRate: '0.0075', lastFundingAtEpochMs: 1_700_000_100_000 });
    // The estimate of the ended period is not that of the new one.
    expect(statsOf(feed)).toHaveProperty('estimatedFundingRate', null);
    expect(statsOf(feed)).toHaveProperty('nextFundingAtEpochMs', null);
    feed.emit(priced({ fundingEstimatePpb: 100_000, nextFundingAtEpochMs: 1_700_000_200_000 }));
    feed.emit({ ...settled, period: 2, ratePpb: 0, settledAtEpochMs: 1_700_000_200_000 } as never);
    expect(statsOf(feed)).toMatchObject({ lastFundingRate: '0', lastFundingAtEpochMs: 1_700_000_200_000 });
  });
});

describe('the book', () => {
  test('has the quantity at each price, best first, to a depth', () => {
    const history = History.begin(2);
    history.limit(1, 'buy', 9_990, 100);
    history.limit(1, 'buy', 9_980, 100);
    history.limit(2, 'buy', 9_990, 50);
    history.limit(1, 'sell', 10_020, 10);
    history.limit(2, 'sell', 10_010, 20);
    history.cancel(1, 2);
    history.limit(2, 'buy', 9_970, 5);
    history.market(2, 'sell', 30);
    const reads = readsOf(history);
    expect(bookSnapshot.parse(reads.book(BTC, 10))).toMatchObject({
      bids: [
        ['999', '0.12'],
        ['997', '0.005'],
      ],
      asks: [
        ['1001', '0.02'],
        ['1002', '0.01'],
      ],
      sequence: history.sequence,
    });
    expect(reads.book(BTC, 1)).toMatchObject({ bids: [['999', '0.12']], asks: [['1001', '0.02']] });
  });
});
