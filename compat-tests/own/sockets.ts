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
  readonly asked: (stage: Stage) => readonly unknown[];
  readonly says: string;
  readonly check: (watched: unknown, stage: Stage) => void | Promise<void>;
}

const ofSymbol = ({ symbol }: Stage) => [symbol];
const ofSymbols = ({ symbol }: Stage) => [[symbol]];
const ofNothing = () => [];

const FEEDS: readonly Feed[] = [
  { watch: 'watchTicker', asked: ofSymbol, says: 'a ticker like that of REST', check: assertTicker },
  {
    watch: 'watchTickers',
    asked: ofSymbols,
    says: 'tickers by symbol',
    check: (all, stage) => assertTicker(Object(all)[stage.symbol], stage),
  },
  { watch: 'watchBidsAsks', asked: ofSymbols, says: 'a bid below an ask', check: assertQuotes },
  { watch: 'watchOrderBook', asked: ofSymbol, says: 'both sides in order', check: (book, stage) => void assertBook(book, stage) },
  {
    watch: 'watchOrderBookForSymbols',
    asked: ofSymbols,
    says: 'both sides in order',
    check: (book, stage) => void assertBook(book, stage),
  },
  {
    watch: 'watchTrades',
    asked: ofSymbol,
    says: 'trades like those of REST',
    check: (trades, stage) => assertTrades(trades, stage, false),
  },
  {
    watch: 'watchTradesForSymbols',
    asked: ofSymbols,
    says: 'trades like those of REST',
    check: (trades, stage) => assertTrades(trades, stage, false),
  },
  { watch: 'watchOHLCV', asked: ({ symbol }) => [symbol, '1m'], says: 'candles on the minute', check: assertCandles },
  {
    watch: 'watchOHLCVForSymbols',
    asked: ({ symbol }) => [[[symbol, '1m']]],
    says: 'candles by symbol and timeframe',
    check: (all, { symbol }) => assertCandles(Object(all)[symbol]['1m']),
  },
  { watch: 'watchOrders', asked: ofSymbol, says: 'orders that add up', check: assertOrders },
  {
    watch: 'watchMyTrades',
    asked: ofSymbol,
    says: 'fills with their order and fee',
    check: (trades, stage) => assertTrades(trades, stage, true),
  },
  { watch: 'watchPositions', asked: ofSymbols, says: 'the position like that of REST', check: assertPositions },
  { watch: 'watchBalance', asked: ofNothing, says: 'free + used = total', check: assertBalance },
];

export const SOCKET_CHECKS: readonly OwnCheck[] = FEEDS.flatMap(({ watch, asked, says, check }): readonly OwnCheck[] => [
  {
    method: watch,
    on: 'sockets',
    says,
    run: async (stage) => {
      for (let update = 0; update < 3; update++) await check(await call(stage.exchange, watch, asked(stage)), stage);
    },
  },
  {
    method: `un${watch.replace(/^w/, 'W')}`,
    on: 'sockets',
    says: 'ends the watch, after which no update is sent; the watch can be restarted',
    // With an exchange of its own, where nothing else watches the same.
    run: async (stage) => {
      const exchange = stage.another({});
      const updates = countUpdates(exchange);
      try {
        for (const _ of ['first', 'again']) {
          const [begun, seen] = [performance.now(), updates()];
          while (updates() < seen + 2) await call(exchange, watch, asked(stage));
          const tookMs = performance.now() - begun;
          assert.equal(await call(exchange, `un${watch.replace(/^w/, 'W')}`, asked(stage)), true);
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
  const { last, symbol: told } = ticker as { last?: number; symbol?: string };
  assert.equal(told, symbol);
  assert(Number(last) > 0, `a last price of ${last}`);
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
