/**
 * Our checks of the socket methods: a watched structure has the shape of the REST one, and a watch ends when unwatched. The
 * account is busy meanwhile.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from 'ccxt';
import { assertSum } from '#compat/decimals.ts';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { assertAscending, assertBook, assertDistinct, assertOrder, assertTrade } from '#compat/structures.ts';

interface Feed {
  readonly watch: string;
  /** The arguments of both the method and its unwatch. */
  readonly args: (stage: Stage) => readonly unknown[];
  readonly description: string;
  readonly check: (watched: unknown, stage: Stage) => void | Promise<void>;
}

const ofSymbol = ({ symbol }: Stage) => [symbol];
const ofSymbols = ({ symbol }: Stage) => [[symbol]];
const ofNothing = () => [];

const FEEDS: readonly Feed[] = [
  { watch: 'watchTicker', args: ofSymbol, description: 'a ticker like that of REST', check: assertTicker },
  {
    watch: 'watchTickers',
    args: ofSymbols,
    description: 'tickers by symbol',
    check: (all, stage) => assertTicker(Object(all)[stage.symbol], stage),
  },
  { watch: 'watchBidsAsks', args: ofSymbols, description: 'a bid below an ask', check: assertQuotes },
  { watch: 'watchMarkPrice', args: ofSymbol, description: 'a mark and an index price', check: assertMark },
  {
    watch: 'watchMarkPrices',
    args: ofSymbols,
    description: 'mark prices by symbol',
    check: (all, stage) => assertMark(Object(all)[stage.symbol], stage),
  },
  {
    watch: 'watchOrderBook',
    args: ofSymbol,
    description: 'both sides in order',
    check: (book, stage) => void assertBook(book, stage),
  },
  {
    watch: 'watchOrderBookForSymbols',
    args: ofSymbols,
    description: 'both sides in order',
    check: (book, stage) => void assertBook(book, stage),
  },
  {
    watch: 'watchTrades',
    args: ofSymbol,
    description: 'trades like those of REST',
    check: (trades, stage) => assertTrades(trades, stage, false),
  },
  {
    watch: 'watchTradesForSymbols',
    args: ofSymbols,
    description: 'trades like those of REST',
    check: (trades, stage) => assertTrades(trades, stage, false),
  },
  { watch: 'watchOHLCV', args: ({ symbol }) => [symbol, '1m'], description: 'candles on the minute', check: assertCandles },
  {
    watch: 'watchOHLCVForSymbols',
    args: ({ symbol }) => [[[symbol, '1m']]],
    description: 'candles by symbol and timeframe',
    check: (all, { symbol }) => assertCandles(Object(all)[symbol]['1m']),
  },
  { watch: 'watchOrders', args: ofSymbol, description: 'orders that add up', check: assertOrders },
  {
    watch: 'watchMyTrades',
    args: ofSymbol,
    description: 'fills with their order and fee',
    check: (trades, stage) => assertTrades(trades, stage, true),
  },
  { watch: 'watchPositions', args: ofSymbols, description: 'the position like that of REST', check: assertPositions },
  { watch: 'watchBalance', args: ofNothing, description: 'free + used = total', check: assertBalance },
];

export const SOCKET_CHECKS: readonly OwnCheck[] = FEEDS.flatMap(({ watch, args, description, check }): readonly OwnCheck[] => [
  {
    method: watch,
    on: 'sockets',
    description,
    run: async (stage) => {
      for (let update = 0; update < 3; update++) await check(await call(stage.exchange, watch, args(stage)), stage);
    },
  },
  {
    method: `un${watch.replace(/^w/, 'W')}`,
    on: 'sockets',
    description: 'ends the watch, after which no update is sent; the watch can be restarted',
    // A separate exchange: no other watcher of the same channel interferes.
    run: async (stage) => {
      const exchange = stage.another({});
      const updates = countUpdates(exchange);
      try {
        for (const _ of ['first', 'again']) {
          const [startedAt, seen] = [performance.now(), updates()];
          while (updates() < seen + 2) await call(exchange, watch, args(stage));
          const tookMs = performance.now() - startedAt;
          assert.equal(await call(exchange, `un${watch.replace(/^w/, 'W')}`, args(stage)), true);
          const before = updates();
          await sleep(Math.max(QUIET_MS, tookMs));
          assert.equal(updates() - before, 0, 'updates of an ended watch');
        }
      } finally {
        await exchange.close();
      }
    },
  },
]);

/** A funding rate may stay the same for an hour: only the first one is awaited. */
export const FUNDING_FEED_CHECKS: readonly OwnCheck[] = ['FundingRate', 'FundingRates'].flatMap((name): readonly OwnCheck[] => {
  const args = name === 'FundingRate' ? ofSymbol : ofSymbols;
  return [
    {
      method: `watch${name}`,
      on: 'sockets',
      description: 'a rate like that of REST',
      run: async ({ another, ...stage }) => {
        const exchange = another({});
        const watched = await call(exchange, `watch${name}`, args({ another, ...stage }));
        await exchange.close();
        await assertFunding(name === 'FundingRate' ? watched : Object(watched)[stage.symbol], { another, ...stage });
      },
    },
    {
      method: `unWatch${name}`,
      on: 'sockets',
      description: 'ends the watch',
      run: async (stage) => {
        const exchange = stage.another({});
        await call(exchange, `watch${name}`, args(stage));
        assert.equal(await call(exchange, `unWatch${name}`, args(stage)), true);
        assert.deepEqual(Object(exchange).realtime.feeds, {});
        await exchange.close();
      },
    },
  ];
});

/** For at least this time, and the time of two updates, no update may arrive. */
const QUIET_MS = 500;

/** Counts the updates of channels from now on, with or without a waiting caller. */
function countUpdates(exchange: Exchange): () => number {
  let count = 0;
  const { handleMessage } = exchange as unknown as { handleMessage: (client: unknown, message: unknown) => unknown };
  Reflect.set(exchange, 'handleMessage', (client: unknown, message: unknown) => {
    if (Object(message).type === 'update') count += 1;
    return Reflect.apply(handleMessage, exchange, [client, message]);
  });
  return () => count;
}

async function call(exchange: Exchange, method: string, args: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(Reflect.get(exchange, method), exchange, [...args]);
}

function assertSameKeys(watched: unknown, read: unknown): void {
  assert.deepEqual(Object.keys(watched as object).sort(), Object.keys(read as object).sort());
}

async function assertTicker(ticker: unknown, { exchange, symbol }: Stage): Promise<void> {
  assertSameKeys(ticker, await exchange.fetchTicker(symbol));
  const { last, symbol: tickerSymbol } = ticker as { last?: number; symbol?: string };
  assert.equal(tickerSymbol, symbol);
  assert(Number(last) > 0, `a last price of ${last}`);
}

async function assertMark(ticker: unknown, { exchange, symbol }: Stage): Promise<void> {
  assertSameKeys(ticker, await exchange.fetchTicker(symbol));
  const { markPrice = 0, indexPrice = 0, symbol: of } = Object(ticker);
  assert.equal(of, symbol);
  assert(Math.abs(markPrice / indexPrice - 1) < 0.02, `a mark of ${markPrice} at an index of ${indexPrice}`);
}

async function assertFunding(rate: unknown, { exchange, symbol }: Stage): Promise<void> {
  const read = await exchange.fetchFundingRate(symbol);
  assertSameKeys(rate, read);
  const { symbol: of, fundingRate, fundingTimestamp = 0, interval } = Object(rate);
  assert.deepEqual([of, typeof fundingRate, interval], [symbol, 'number', read.interval]);
  assert(Math.abs(fundingTimestamp - Number(read.fundingTimestamp)) <= 2 * 3_600_000, `a next funding at ${fundingTimestamp}`);
}

function assertQuotes(quotes: unknown, { symbol }: Stage): void {
  const { bid, ask } = Object(quotes)[symbol] as { bid: number; ask: number };
  assert(bid > 0 && bid < ask, `a bid of ${bid} and an ask of ${ask}`);
}

function assertTrades(trades: unknown, stage: Stage, own: boolean): void {
  const list = trades as readonly object[];
  assert(list.length > 0, 'no trade');
  for (const trade of list) assertTrade(trade, stage, { own });
  assertAscending(list);
  assertDistinct(list);
}

function assertOrders(orders: unknown, stage: Stage): void {
  const list = orders as readonly object[];
  assert(list.length > 0, 'no order');
  for (const order of list) assertOrder(order, stage);
  assertDistinct(list);
}

function assertCandles(candles: unknown): void {
  const list = candles as readonly (readonly number[])[];
  assert(list.length > 0, 'no candle');
  for (const [time = 1, open = 0, high = 0, low = 0, close = 0, ...rest] of list) {
    assert.equal(time % 60_000, 0, `a candle at ${time}`);
    assert.equal(rest.length, 1, `${rest.length + 5} columns`);
    assert(
      low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close),
      `no candle: ${open} ${high} ${low} ${close}`,
    );
  }
}

async function assertPositions(positions: unknown, { exchange, symbol }: Stage): Promise<void> {
  const [position, ...others] = positions as readonly { symbol?: string }[];
  assert.deepEqual([position?.symbol, others.length], [symbol, 0]);
  assertSameKeys(position, (await exchange.fetchPositions([symbol]))[0]);
}

function assertBalance(balance: unknown, { settle }: Stage): void {
  const { free, used, total } = Object(balance)[settle] as { free: number; used: number; total: number };
  assert(total > 0 && used > 0, 'no margin in use');
  assertSum(free, used, total, 'free + used = total');
}
