/** Closed positions, and other lists by time, with several entries in one millisecond. */
import { expect, test } from 'vitest';
import { fundingPayment, settledFundingRate } from '#contract/funding.ts';
import { position } from '#contract/positions.ts';
import type { AccountHistoryQuery } from '#reads/reads.ts';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { changed, listed, opened } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';
import { within } from './testing/tried-histories.ts';

const account = 1 as AccountOrdinal;
const OLDEST = { account, direction: 'oldest_first', limit: 100 } as const;

const grown = (number: number) => changed({ position: number });
const closed = (number: number) => changed({ position: number, changedBaseAtoms: -100, signedBaseAtoms: 0 });

test('orders a position by the time it was closed', () => {
  const feed = new EventFeed();
  feed.emit(listed(), opened());
  feed.stepMs = 0;
  for (const number of [1, 2, 3]) feed.emit(grown(number));
  const ids = (query: Partial<AccountHistoryQuery> = {}) =>
    feed.reads.positionHistory({ ...OLDEST, ...query }).entries.map(({ positionId }) => positionId);
  expect(ids()).toEqual([]);
  feed.emit(closed(3));
  const first = feed.reads.positionHistory({ ...OLDEST, limit: 1 });
  expect(first).not.toHaveProperty('nextAfter');
  feed.emit(closed(2));
  const { nextAfter } = feed.reads.positionHistory({ ...OLDEST, limit: 1 });
  // All in one millisecond: pages continue after the last entry and miss nothing.
  feed.emit(closed(1));
  expect(ids({ after: nextAfter! })).toEqual(['2', '1']);
  expect(ids()).toEqual(['3', '2', '1']);
  expect(ids({ direction: 'newest_first' })).toEqual(['1', '2', '3']);
  expect(ids({ sinceEpochMs: feed.now, untilEpochMs: feed.now })).toEqual(['3', '2', '1']);
  expect(ids({ sinceEpochMs: feed.now + 1 })).toEqual([]);
  expect(ids({ direction: 'newest_first', untilEpochMs: feed.now - 1 })).toEqual([]);
});

test('lists funding payments and rates', () => {
  const history = History.begin(2);
  history.limit(2, 'sell', 10_000, 1_000);
  history.market(1, 'buy', 1_000);
  for (let period = 1; period <= 2; period += 1) {
    const { endsAtEpochMs } = history.venue.state.market(BTC)!.funding;
    history.wait(Math.ceil((endsAtEpochMs - history.now) / 2));
    history.price(10_000);
    history.wait(endsAtEpochMs - history.now);
    history.price(10_000);
  }
  within(':memory:', ({ follow, reads }) => {
    follow(history.group(0));
    const rates = reads.fundingRates({ market: BTC, direction: 'oldest_first', limit: 10 }).entries;
    for (const rate of rates) settledFundingRate.parse(rate);
    expect(rates).toMatchObject([
      { marketId: 'BTC-USD-PERP', period: 1, fundingRate: '0.0000125', indexPrice: '1000' },
      { period: 2, fundingRate: '0.0000125' },
    ]);
    const payments = reads.fundingPayments(OLDEST).entries;
    for (const payment of payments) fundingPayment.parse(payment);
    // A long of 1 at 1,000 pays 0.00125 % of it.
    expect(payments).toMatchObject([
      { paymentId: '2-1', positionId: '2', period: 1, fundingRate: '0.0000125', amount: '0.0125', amountAtoms: '12500' },
      { paymentId: '2-2', period: 2, amount: '0.0125' },
    ]);
    const actual = reads.fundingPayments({ ...OLDEST, account: 2 as AccountOrdinal }).entries;
    expect(actual.map(({ amount }) => amount)).toEqual(['-0.0125', '-0.0125']);
  });
});

test('a closed position has no risk, and otherwise equals the open one', () => {
  const history = History.begin(2);
  history.limit(2, 'sell', 10_000, 100);
  history.market(1, 'buy', 100);
  history.limit(2, 'buy', 10_030, 100);
  history.market(1, 'sell', 100);
  within(':memory:', ({ follow, reads }) => {
    follow(history.group(0));
    expect(reads.positions(account).positions).toEqual([]);
    const [shown] = reads.positionHistory(OLDEST).entries;
    expect(position.parse(shown)).toMatchObject({
      positionId: '2',
      status: 'closed',
      side: 'long',
      closeReason: 'user_close',
      closedAtEpochMs: history.now,
      realizedPnl: '0.3',
      avgEntryPrice: '1000',
      avgExitPrice: '1003',
      currentQuantity: '0',
      margin: '0',
    });
    for (const risk of ['markPriceAtoms', 'liquidationPriceAtoms', 'marginStatus', 'adlIndicator'])
      expect(shown).toHaveProperty(risk, null);
    const sinceEpochMs = (history.now + 1) as EpochMs;
    expect(reads.positionHistory({ ...OLDEST, sinceEpochMs }).entries).toEqual([]);
  });
});
