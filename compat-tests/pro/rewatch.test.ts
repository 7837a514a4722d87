/**
 * A watch that is ended while it is under way, and started again meanwhile: waiting callers get UnsubscribeError, or the update
 * just before; the new watch gets updates, and ended feeds stay unsubscribed.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;
let maker: OpenPerp;

beforeAll(async () => {
  venue = await startOwnMarket();
  maker = new OpenPerp(await config());
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
});

afterAll(() => venue.stop());

async function config() {
  const { apiKey } = await venue.openAccount('10000000');
  return { apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false };
}

async function open() {
  const own = await config();
  const exchange = new OpenPerpPro(own);
  onTestFinished(() => exchange.close());
  await exchange.loadMarkets();
  const trader = new OpenPerp(own);
  return { exchange, trade: (symbol = SYMBOL) => trader.createOrder(symbol, 'market', 'buy', 0.1) };
}

const feedsOf = ({ realtime }: OpenPerpPro) =>
  Object.values<{ live: object; channels: readonly string[]; isEnded: boolean }>(realtime.feeds);

async function untilLive(exchange: OpenPerpPro): Promise<void> {
  await eventually(() => {
    const [feed] = feedsOf(exchange);
    expect(Object.keys(feed?.live ?? {})).toHaveLength(feed?.channels.length ?? 1);
  });
}

interface WatchCase {
  readonly name: string;
  readonly channel: string;
  /** Whether it delivers the current state before a change. */
  readonly emitsInitialState: boolean;
  readonly watch: (it: OpenPerpPro) => Promise<object>;
  readonly end: (it: OpenPerpPro) => Promise<unknown>;
}

const METHODS: readonly WatchCase[] = (
  [
    ['Ticker', 'market.ticker', true, SYMBOL],
    ['Tickers', 'market.ticker', true, [SYMBOL]],
    ['BidsAsks', 'market.book', true, [SYMBOL]],
    ['OrderBook', 'market.book', true, SYMBOL],
    ['Trades', 'market.trades', false, SYMBOL],
    ['OHLCV', 'market.candles', false, SYMBOL],
    ['Orders', 'account.orders', false, undefined],
    ['MyTrades', 'account.fills', false, SYMBOL],
    ['Positions', 'account.positions', true, undefined],
    ['Balance', 'account.margin', true, undefined],
  ] as const
).map(([name, channel, emitsInitialState, args]) => ({
  name: `watch${name}`,
  channel,
  emitsInitialState,
  watch: (it) => (it[`watch${name}`] as (args: unknown) => Promise<object>).call(it, args),
  end: (it) => (it[`unWatch${name}`] as (args: unknown) => Promise<unknown>).call(it, args),
}));

describe.each(METHODS)('$name', ({ channel, emitsInitialState, watch, end }) => {
  test('gets updates when started again while it ends', async () => {
    const { exchange, trade } = await open();
    const first = watch(exchange);
    await untilLive(exchange);
    await trade();
    await first;
    const [ended, again] = [end(exchange), watch(exchange)];
    expect(await ended).toBe(true);
    for (const waiting of [again, ...Array.from({ length: 2 }, () => undefined)]) {
      const next = waiting ?? watch(exchange);
      await untilLive(exchange);
      await trade();
      expect(Object.keys(await next).length).toBeGreaterThan(0);
    }
    expect(feedsOf(exchange).map(({ isEnded }) => isEnded)).toEqual([false]);
  });

  test('returns the update or UnsubscribeError when it ends at the same time', async () => {
    const outcomes = new Set<string>();
    for (let turns = 0; turns < 8; turns += 1) {
      const { exchange, trade } = await open();
      if (emitsInitialState) await watch(exchange);
      const waiting = watch(exchange).then(
        (update) => `update ${Object.keys(update ?? {}).length > 0}`,
        (error: Error) => error.constructor.name,
      );
      await untilLive(exchange);
      const ended = endBefore(exchange, channel, end, turns);
      await trade();
      outcomes.add(await waiting);
      expect(await ended).toBe(true);
    }
    expect([...outcomes].sort()).toEqual(['UnsubscribeError', 'update true']);
  });
});

/** Ends the watch when the next update arrives, and delivers that update this many turns later. */
function endBefore(exchange: OpenPerpPro, channel: string, end: WatchCase['end'], turns: number): Promise<unknown> {
  const deliver = exchange.handleMessage.bind(exchange);
  return new Promise((resolve) => {
    let isDelayed = false;
    const handle = (async (client: never, frame: { type: string; channel: string }) => {
      if (!isDelayed && frame.type === 'update' && frame.channel === channel) {
        isDelayed = true;
        resolve(end(exchange));
        for (let turn = 0; turn < turns; turn += 1) await undefined;
      }
      deliver(client, frame);
    }) as never;
    for (const client of Object.values(exchange.clients)) client.onMessageCallback = handle;
  });
}

test('returns the update or the close error when the exchange closes at the same time', async () => {
  for (let turns = 0; turns < 8; turns += 1) {
    const { exchange, trade } = await open();
    const waiting = exchange.watchTrades(SYMBOL).then(
      (trades) => `update ${trades.length}`,
      (error: Error) => error.constructor.name,
    );
    await untilLive(exchange);
    const closed = endBefore(exchange, 'market.trades', (it) => it.close(true), turns);
    await trade();
    expect(['update 1', 'ExchangeClosedByUser']).toContain(await waiting);
    await closed;
  }
});

test('delivers updates of six markets to one part of a program while another part ends them repeatedly', async () => {
  const symbols = [SYMBOL];
  while (symbols.length < 6) symbols.push(await venue.list(`R${symbols.length}`));
  const { exchange, trade } = await open();
  await maker.loadMarkets(true);
  for (const symbol of symbols.slice(1)) await maker.createOrder(symbol, 'limit', 'sell', 1_000, 1_001);
  let isOver = false;
  const updatedSymbols = new Set<string>();
  const errors: unknown[] = [];
  const loop = async (watch: () => Promise<readonly string[]>) => {
    while (!isOver) {
      try {
        for (const symbol of await watch()) updatedSymbols.add(symbol);
      } catch (error) {
        if (!(error instanceof ccxt.UnsubscribeError)) errors.push(error);
      }
    }
  };
  const loops = [
    loop(async () => Object.keys(await exchange.watchTickers(symbols)).map((symbol) => `ticker ${symbol}`)),
    loop(async () => [`book ${(await exchange.watchOrderBookForSymbols(symbols)).symbol}`]),
    loop(async () => [`trades ${(await exchange.watchTradesForSymbols(symbols))[0]?.symbol}`]),
  ];
  for (let round = 0; round < 4; round += 1) {
    const ended = [
      exchange.unWatchTickers(symbols),
      exchange.unWatchOrderBookForSymbols(symbols),
      exchange.unWatchTradesForSymbols(symbols),
    ];
    await Promise.all(symbols.map((symbol) => trade(symbol)));
    expect(await Promise.all(ended)).toEqual([true, true, true]);
  }
  updatedSymbols.clear();
  await eventually(async () => {
    await Promise.all(symbols.map((symbol) => trade(symbol)));
    expect(updatedSymbols.size).toBe(symbols.length * 3);
  });
  expect(feedsOf(exchange).filter(({ isEnded }) => isEnded)).toEqual([]);
  expect(errors).toEqual([]);
  isOver = true;
  await exchange.close();
  await Promise.all(loops);
});
