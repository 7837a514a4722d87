/** Order, fill and trade resources, from commands run by the core. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { fill } from '#contract/account-history.ts';
import { publicTrade } from '#contract/markets.ts';
import { order as orderSchema } from '#contract/orders.ts';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { openProjection, type Projection, VenueDirectory } from './projection.ts';
import { accepted, changed, filled, listed, opened, priced, rested, traded } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';

const ALICE = 1 as AccountOrdinal;
const BOB = 2 as AccountOrdinal;
const NEWEST = { direction: 'newest_first', limit: 100 } as const;
const OLDEST = { direction: 'oldest_first', limit: 100 } as const;
const order = (number: number) => number as OrderOrdinal;

function projectionOf(history: History): Projection {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection;
}

const readsOf = (history: History) => projectionOf(history).reads;
const placedBy = (record: CommittedRecord, projection: Projection) =>
  new VenueDirectory(projection.directory()).placedOrders(record);

/** Alice's bid for 0.5 at 999.0 gives 0.2 to Bob's market sell; both orders are then as the tests below say. */
function partialFill(): History {
  const history = History.begin(2);
  history.limit(1, 'buy', 9_990, 500, { leverageX: 4 });
  history.wait(1_000);
  history.market(2, 'sell', 200, { reduceOnly: false });
  return history;
}

describe('an order', () => {
  test('rests open, with everything as placed', () => {
    const history = History.begin(1);
    history.limit(1, 'buy', 9_990, 500, { postOnly: true });
    expect(readsOf(history).order(ALICE, order(1))).toEqual({
      version: 'external-order/v1',
      orderId: '1',
      accountId: 'acct-1',
      marketId: 'BTC-USD-PERP',
      status: 'open',
      lastSequence: history.sequence,
      idempotencyKey: 'key-1',
      clientOrderId: 'client-1',
      side: 'buy',
      orderType: 'limit',
      origin: null,
      price: '999',
      quantity: '0.5',
      notional: null,
      filledQuantity: '0',
      remainingQuantity: '0.5',
      averagePrice: null,
      filledNotional: '0',
      feePaid: '0',
      postOnly: true,
      timeInForce: 'PO',
      expiresAtEpochMs: null,
      reduceOnly: false,
      leverageX: null,
      createdAtEpochMs: history.now,
      updatedAtEpochMs: history.now,
      lastFillAtEpochMs: null,
      trigger: null,
      attachedOrderIds: [],
    });
  });

  test('that is partially filled stays open and counts its fills', () => {
    const history = partialFill();
    const reads = readsOf(history);
    expect(reads.order(ALICE, order(1))).toMatchObject({
      status: 'open',
      filledQuantity: '0.2',
      remainingQuantity: '0.3',
      averagePrice: '999',
      filledNotional: '199.8',
      feePaid: '0.03996',
      leverageX: 4,
      createdAtEpochMs: history.now - 1_001,
      lastFillAtEpochMs: history.now,
      updatedAtEpochMs: history.now,
      lastSequence: history.sequence,
    });
    expect(reads.order(BOB, order(2))).toMatchObject({
      status: 'filled',
      orderType: 'market',
      quantity: '0.2',
      feePaid: '0.0999',
    });
  });

  test('cancelled by its owner has no reason; cancelled by the venue it has one', () => {
    const history = partialFill();
    history.cancel(1, 1);
    history.market(2, 'buy', 100);
    history.limit(1, 'buy', 9_980, 100);
    history.limit(1, 'sell', 9_970, 100);
    const reads = readsOf(history);
    expect(reads.order(ALICE, order(1))).toMatchObject({ status: 'cancelled', filledQuantity: '0.2', remainingQuantity: '0.3' });
    expect(reads.order(ALICE, order(1))).not.toHaveProperty('cancelReason');
    expect(reads.order(BOB, order(3))).toMatchObject({
      status: 'cancelled',
      cancelReason: 'no_liquidity',
      remainingQuantity: '0.1',
    });
    expect(reads.order(ALICE, order(4))).toMatchObject({ status: 'cancelled', cancelReason: 'self_trade' });
    expect(reads.order(ALICE, order(5))).toMatchObject({ status: 'open' });
  });

  test('by notional has no quantity, and an average price over its levels, rounded down', () => {
    const history = History.begin(2);
    history.limit(1, 'sell', 10_010, 100);
    history.limit(1, 'sell', 10_011, 500);
    history.marketFor(2, 'buy', 150_000_000);
    const taken = readsOf(history).order(BOB, order(3));
    // 0.1 at 1001.0 costs 100.1; the other 49.9 buy 0.049 at 1001.1.
    expect(taken).toMatchObject({
      status: 'filled',
      notional: '150',
      filledQuantity: '0.149',
      remainingQuantity: '0',
      filledNotional: '149.1539',
    });
    expect(taken?.averagePrice).toBe('1001.032885');
    expect(taken).toHaveProperty('quantity', null);
    expect(taken).toHaveProperty('price', null);
  });

  test('of another account is not found, nor is an unknown one', () => {
    const reads = readsOf(partialFill());
    expect(reads.order(BOB, order(1))).toBeUndefined();
    expect(reads.order(ALICE, order(9))).toBeUndefined();
  });

  test('is not stored when it was refused', () => {
    const history = History.begin(1);
    history.limit(1, 'buy', 9_990, 1_000_000);
    expect(history.records.at(-1)?.events[0]?.type).toBe('CommandRefused');
    const projection = projectionOf(history);
    expect(projection.reads.orders({ account: ALICE, ...NEWEST }).entries).toEqual([]);
    expect(placedBy(history.records.at(-1)!, projection)).toEqual([]);
  });
});

describe('the order of a placement', () => {
  test('is the order after its own turn, whatever happened later', () => {
    const history = partialFill();
    const [rested, filled] = history.records.slice(-2);
    history.limit(2, 'sell', 9_000, 300);
    const projection = projectionOf(history);
    const { reads } = projection;
    expect(reads.order(ALICE, order(1))?.status).toBe('filled');
    expect(placedBy(rested!, projection)).toMatchObject([
      { orderId: '1', status: 'open', filledQuantity: '0', lastSequence: rested!.sequence },
    ]);
    expect(placedBy(filled!, projection)).toEqual([reads.order(BOB, order(2))]);
  });
});

describe('a position that the venue closes', () => {
  /** The venue closes Alice's long of 0.1, against Bob's order in the book or against Bob's position. */
  function closedBy(origin: 'liquidation' | 'auto_deleveraging', price = 9_500): EventFeed {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), opened({ account: 2 }), priced());
    feed.emit(
      accepted({ clientOrderId: 'a' }),
      rested(),
      accepted({ order: 2, account: 2, clientOrderId: 'b', side: 'sell' }),
      traded({ priceAtoms: 10_000 }),
      filled({ order: 1, liquidity: 'maker' }),
      changed(),
      filled({ order: 2, account: 2, side: 'sell', position: 2 }),
      changed({ account: 2, position: 2, changedBaseAtoms: -100 }),
    );
    const isBobRequested = origin === 'liquidation';
    const bobs = { order: 4, account: 2, trade: 2, priceAtoms: price, position: 2 };
    if (isBobRequested)
      feed.emit(accepted({ order: 4, account: 2, clientOrderId: 'c' }), rested({ ...bobs, remainingAtoms: 100 }));
    const close = { trade: 2, signedBaseAtoms: 0 };
    feed.emit(
      accepted({ order: 3, side: 'sell', origin, clientOrderId: '', idempotencyKey: '', reduceOnly: true }),
      ...(isBobRequested ? [] : [accepted({ order: 4, account: 2, origin, clientOrderId: '' })]),
      traded({ trade: 2, origin, priceAtoms: price, takerSide: 'sell' }),
      filled({ ...bobs, liquidity: 'maker', side: 'buy' }),
      changed({ ...close, account: 2, position: 2, changedBaseAtoms: 100, cause: isBobRequested ? 'client' : origin }),
      filled({ order: 3, trade: 2, priceAtoms: price, side: 'sell' }),
      changed({ ...close, changedBaseAtoms: -100, cause: origin }),
    );
    return feed;
  }

  test('is closed by an order that its owner sees, with an origin and without a clientOrderId', () => {
    const { reads } = closedBy('liquidation');
    const closing = orderSchema.parse(reads.order(ALICE, order(3)));
    expect(closing).toMatchObject({
      origin: 'liquidation',
      status: 'filled',
      side: 'sell',
      idempotencyKey: null,
      reduceOnly: true,
    });
    expect(closing).toHaveProperty('clientOrderId', null);
    expect(reads.order(ALICE, order(1))).toMatchObject({ clientOrderId: 'a' });
    expect(reads.order(ALICE, order(1))).toHaveProperty('origin', null);
    expect(reads.orders({ account: ALICE, ...NEWEST }).entries.map(({ orderId }) => orderId)).toEqual(['3', '1']);
    expect(reads.book(BTC, 10)).toMatchObject({ bids: [], asks: [] });
  });

  test('has a fill for both accounts, with an origin only for the order of the venue', () => {
    const { reads } = closedBy('liquidation');
    const [[mine], [theirs]] = [ALICE, BOB].map((account) =>
      reads.fills({ account, ...NEWEST }).entries.map((entry) => fill.parse(entry)),
    ) as [object[], object[]];
    expect(mine).toMatchObject({ tradeId: '2', orderId: '3', origin: 'liquidation', side: 'sell' });
    expect(mine).toHaveProperty('clientOrderId', null);
    expect(theirs).toMatchObject({ tradeId: '2', orderId: '4', clientOrderId: 'c', liquidity: 'maker' });
    expect(theirs).toHaveProperty('origin', null);
    const deleveraged = closedBy('auto_deleveraging').reads.fills({ account: BOB, ...NEWEST }).entries[0];
    expect(deleveraged).toMatchObject({ tradeId: '2', origin: 'auto_deleveraging' });
  });

  test.each(['liquidation', 'auto_deleveraging'] as const)('by %s has a public trade with that origin', (origin) => {
    const trades = closedBy(origin)
      .reads.trades({ market: BTC, ...OLDEST })
      .entries.map((entry) => publicTrade.parse(entry));
    expect(trades).toMatchObject([
      { tradeId: '1', price: '1000' },
      { tradeId: '2', price: '950', side: 'sell', origin },
    ]);
    expect(trades[0]).toHaveProperty('origin', null);
  });

  test.each([
    ['liquidation', { lastPrice: '950', lowPrice24h: '950', baseVolume24h: '0.2' }, ['950', '0.2']],
    ['auto_deleveraging', { lastPrice: '1000', lowPrice24h: '1000', baseVolume24h: '0.1' }, ['1000', '0.1']],
  ] as const)('by %s counts in ticker and candles only at a quoted price', (origin, ticker, [close, volume]) => {
    const { reads } = closedBy(origin);
    expect(reads.marketStats(BTC)).toMatchObject({ ...ticker, openInterest: '0' });
    expect(reads.market(BTC).market.lastPrice).toBe(ticker.lastPrice);
    for (const timeframe of ['1m', '1d'] as const) {
      const { page } = reads.candles({ market: BTC, timeframe, series: 'trade', limit: 10 });
      expect(page.entries).toMatchObject([{ open: '1000', low: close, close, volume }]);
    }
  });

  test.each([
    ['bankruptcy_price', 3],
    ['liquidation', 1],
  ] as const)('gives the reason %s for an order that it ends', (reason, number) => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced(), accepted(), accepted({ order: 3, origin: 'liquidation' }));
    const ended = {
      order: number,
      account: 1,
      market: 1,
      side: 'buy',
      reason,
      wasResting: false,
      priceAtoms: 0,
      remainingAtoms: 100,
    };
    feed.emit({ type: 'OrderCancelled', ...ended, accountReservedAtoms: 0 } as never);
    expect(orderSchema.parse(feed.reads.order(ALICE, order(number)))).toMatchObject({
      status: 'cancelled',
      cancelReason: reason,
    });
  });

  test('is not among the orders of the placement in the same turn', () => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), opened({ account: 2 }), priced());
    const record = feed.emit(
      accepted({ order: 1, clientOrderId: 'a' }),
      traded({ trade: 1 }),
      filled({ order: 1, isComplete: true }),
      changed(),
      accepted({ order: 2, account: 2, origin: 'liquidation', clientOrderId: '', side: 'sell' }),
    );
    expect(placedBy(record, feed.projection)).toEqual([feed.reads.order(ALICE, order(1))]);
  });
});

test('an order that is cut after it was saved has the smaller quantity, also once that is saved', () => {
  const history = History.begin(2);
  history.limit(2, 'sell', 10_000, 500);
  history.market(1, 'buy', 500);
  history.limit(1, 'sell', 10_100, 500, { reduceOnly: true });
  const projection = projectionOf(history);
  projection.save();
  const saved = history.sequence;
  history.limit(2, 'buy', 9_990, 200);
  history.market(1, 'sell', 200);
  projection.follow(history.group(saved));
  const cut = { status: 'open', quantity: '0.3', filledQuantity: '0', remainingQuantity: '0.3' };
  expect(projection.reads.order(ALICE, order(3))).toMatchObject(cut);
  projection.save();
  expect(projection.reads.order(ALICE, order(3))).toMatchObject(cut);
  const { entries } = projection.reads.orders({ account: ALICE, ...NEWEST, status: 'open' });
  expect(entries).toMatchObject([cut]);
});

describe('lists', () => {
  test('filter orders by status, market and client order id', () => {
    const history = partialFill();
    history.limit(1, 'buy', 9_980, 100);
    history.cancel(1, 3);
    history.limit(1, 'buy', 9_970, 100);
    const reads = readsOf(history);
    const ids = (query: object) => reads.orders({ account: ALICE, ...NEWEST, ...query }).entries.map(({ orderId }) => orderId);
    expect(ids({})).toEqual(['4', '3', '1']);
    expect(ids({ direction: 'oldest_first' })).toEqual(['1', '3', '4']);
    expect(ids({ status: 'open' })).toEqual(['4', '1']);
    expect(ids({ status: 'cancelled', market: BTC })).toEqual(['3']);
    expect(ids({ market: BTC })).toEqual(['4', '3', '1']);
    expect(ids({ market: 2 })).toEqual([]);
    expect(ids({ clientOrderId: 'client-3' })).toEqual(['3']);
    expect(ids({ clientOrderId: 'client-3', status: 'open' })).toEqual([]);
    expect(ids({ clientOrderId: 'client-2' })).toEqual([]);
  });

  test("show an account's side of a trade, and the market's", () => {
    const history = partialFill();
    const reads = readsOf(history);
    const [mine] = reads.fills({ account: ALICE, order: order(1), market: BTC, ...OLDEST }).entries;
    expect(mine).toEqual({
      tradeId: '1',
      orderId: '1',
      origin: null,
      clientOrderId: 'client-1',
      positionId: '1',
      accountId: 'acct-1',
      marketId: 'BTC-USD-PERP',
      side: 'buy',
      orderType: 'limit',
      liquidity: 'maker',
      price: '999',
      quantity: '0.2',
      notional: '199.8',
      fee: '0.03996',
      feeAsset: 'USD.E',
      realizedPnl: '0',
      liquidationFee: '0',
      insuranceCovered: '0',
      executedAtEpochMs: history.now,
      sequence: history.sequence,
    });
    expect(reads.fills({ account: BOB, ...OLDEST }).entries).toMatchObject([
      { liquidity: 'taker', side: 'sell', fee: '0.0999', orderType: 'market' },
    ]);
    expect(reads.fills({ account: BOB, order: order(1), ...OLDEST }).entries).toEqual([]);
    expect(reads.trades({ market: BTC, ...OLDEST }).entries).toMatchObject([
      { tradeId: '1', side: 'sell', price: '999', quantity: '0.2' },
    ]);
  });

  test('start at a time, inclusive, in either direction', () => {
    const history = History.begin(2);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      history.wait(1_000);
      history.limit(1, 'buy', 9_990, 10);
      times.push(history.now);
      history.market(2, 'sell', 10);
    }
    const reads = readsOf(history);
    const sinceEpochMs = times[3]!;
    const ids = (direction: 'oldest_first' | 'newest_first', since: number) =>
      reads.orders({ account: ALICE, limit: 100, direction, sinceEpochMs: since }).entries.map(({ orderId }) => orderId);
    expect(ids('oldest_first', sinceEpochMs)).toEqual(['7', '9']);
    expect(ids('oldest_first', sinceEpochMs + 1)).toEqual(['9']);
    expect(ids('newest_first', sinceEpochMs)).toEqual(['9', '7']);
    expect(ids('oldest_first', history.now + 1)).toEqual([]);
    const trades = (query: object) => reads.trades({ market: BTC, ...OLDEST, sinceEpochMs, ...query });
    expect(trades({}).entries.map(({ tradeId }) => tradeId)).toEqual(['4', '5']);
    expect(trades({ limit: 1 })).toMatchObject({ nextAfter: [4] });
    expect(trades({ limit: 1, after: [4] }).entries.map(({ tradeId }) => tradeId)).toEqual(['5']);
    expect(trades({ limit: 1, after: [4] })).not.toHaveProperty('nextAfter');
    expect(reads.fills({ account: ALICE, ...OLDEST, sinceEpochMs }).entries.map(({ tradeId }) => tradeId)).toEqual(['4', '5']);
  });

  test('match the schemas of the contract', () => {
    const history = partialFill();
    history.cancel(1, 1);
    const reads = readsOf(history);
    for (const entry of reads.orders({ account: ALICE, ...NEWEST }).entries) orderSchema.parse(entry);
    for (const entry of reads.fills({ account: ALICE, ...NEWEST }).entries) fill.parse(entry);
    for (const entry of reads.trades({ market: BTC, ...NEWEST }).entries) publicTrade.parse(entry);
  });
});
