/**
 * Positions that are closed and opened again on the same side while a program is busy: it gets each closed position with its
 * result before the open one, and an error if more were closed than buffered.
 */
import ccxt, { type Position } from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { SOON, untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;
let other: string;

beforeAll(async () => {
  venue = await startOwnMarket();
  other = await venue.list('OTH');
  const maker = new OpenPerp(await config('10000000'));
  for (const symbol of [SYMBOL, other]) {
    await maker.createOrder(symbol, 'limit', 'sell', 1_000, 1_001);
    await maker.createOrder(symbol, 'limit', 'buy', 1_000, 999);
  }
});

afterAll(() => venue.stop());

async function config(credit?: string) {
  const { apiKey } = await venue.openAccount(credit);
  return { apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false };
}

/** Watches, and holds a long position of one. */
async function withPosition(options: object = {}) {
  const own = await config();
  const exchange = new OpenPerpPro({ ...own, options: { ...SOON, ...options } });
  onTestFinished(() => exchange.close());
  const trader = new OpenPerp(own);
  const trade = (side: 'buy' | 'sell', amount: number, symbol = SYMBOL) => trader.createOrder(symbol, 'market', side, amount);
  await exchange.watchPositions();
  await untilLive(exchange, 'account.pnl');
  await trade('buy', 1);
  expect(await exchange.watchPositions()).toMatchObject([{ side: 'long', contracts: 1 }]);
  return { exchange, trader, trade };
}

/** Drops updates of positions until this many were closed; the next update shows the gap. */
function makeHole(exchange: OpenPerpPro) {
  const heal = vi.spyOn(exchange, 'readMissed');
  const [client] = Object.values(exchange.clients);
  const deliver = client!.onMessageCallback;
  let closed = 0;
  client!.onMessageCallback = ((
    from: never,
    frame: { channel: string; data?: { positions?: readonly { status: string }[] } },
  ) => {
    if (frame.channel !== 'account.positions') return deliver.call(exchange, from, frame);
    closed += frame.data?.positions?.filter(({ status }) => status === 'closed').length ?? 0;
  }) as never;
  return {
    heal,
    until: async (count: number) => {
      await eventually(() => expect(closed).toBe(count));
      client!.onMessageCallback = deliver;
    },
  };
}

/** The final open position has arrived, and everything before it. */
async function untilReceived(exchange: OpenPerpPro, contracts: number): Promise<void> {
  await eventually(() => expect(exchange.positions?.at(-1)).toMatchObject({ contracts }));
}

interface PositionRow {
  readonly id?: string | undefined;
  readonly contracts?: number | undefined;
}

const stateOf = (rows: readonly PositionRow[]) => rows.map(({ id, contracts }) => [id, contracts]);

/** The last closed positions, oldest first, and then the open ones. */
async function readBy(trader: OpenPerp, closed: number, symbol = SYMBOL) {
  const history = (await trader.fetchPositionsHistory([symbol])).toSorted((one, two) => Number(one.id) - Number(two.id));
  // REST has the maximum size of a closed position.
  return [...history.slice(-closed).map((row) => ({ ...row, contracts: 0 })), ...(await trader.fetchPositions([symbol]))];
}

test.each([
  ['that was closed and opened again', 1],
  ['that was closed and opened again and again', 4],
])('delivers a position %s without a waiting caller as closed, before the open one', async (_, times) => {
  const { exchange, trader, trade } = await withPosition();
  for (let time = 1; time <= times; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await untilReceived(exchange, times + 1);
  const watched = await exchange.watchPositions();
  const read = await readBy(trader, times);
  expect(stateOf(watched)).toEqual(stateOf(read));
  expect(watched.map(({ contracts }) => contracts)).toEqual([...Array.from({ length: times }, () => 0), times + 1]);
  expect(watched.map(pick)).toEqual(read.map(pick));
  // Each was delivered once, and is no longer buffered; the cache has one row per side, as everywhere in ccxt.
  expect(exchange.realtime.feeds['account.positions'].closed).toEqual([]);
  expect(stateOf(exchange.positions as never)).toEqual(stateOf(read.slice(-1)));
  await trade('buy', 1);
  expect((await exchange.watchPositions()).map(({ contracts }) => contracts)).toEqual([times + 2]);
});

const pick = (row?: Partial<Position>) => [row?.side, row?.entryPrice, row?.lastPrice, row?.realizedPnl];

test('delivers each closed position to each watcher: of one symbol, of all, and of all known positions', async () => {
  const { exchange, trader, trade } = await withPosition();
  await trade('buy', 1, other);
  await eventually(() => expect(exchange.positions).toHaveLength(2));
  expect(await exchange.watchPositions([SYMBOL])).toMatchObject([{ symbol: SYMBOL }]);
  expect(await exchange.watchPositions([other])).toMatchObject([{ symbol: other }]);
  for (const symbol of [SYMBOL, other]) {
    await trade('sell', 1, symbol);
    await trade('buy', 2, symbol);
  }
  await untilReceived(exchange, 2);
  const read = { [SYMBOL]: await readBy(trader, 1), [other]: await readBy(trader, 1, other) };
  for (const symbol of [SYMBOL, other])
    expect(stateOf(await exchange.watchPositions([symbol]))).toEqual(stateOf(read[symbol] as never));
  exchange.newUpdates = false;
  const all = await exchange.watchPositions();
  expect(stateOf(all).toSorted()).toEqual(stateOf(Object.values(read).flat()).toSorted());
});

test('delivers a position reopened during a disconnect, and during a gap', async () => {
  const { exchange, trader, trade } = await withPosition();
  const watched: (readonly [string | undefined, number | undefined])[] = [];
  const watch = async () => {
    try {
      for (const { id, contracts } of await exchange.watchPositions()) watched.push([id, contracts]);
    } catch (error) {
      if (!(error instanceof ccxt.NetworkError)) throw error;
    }
  };
  const cycle = async (from: number, to: number) => {
    await trade('sell', from);
    await trade('buy', to);
  };
  const untilPublished = (contracts: number) =>
    eventually(async () => {
      if (watched.at(-1)?.[1] !== contracts) await watch();
      expect(watched.at(-1)?.[1]).toBe(contracts);
    });
  // Cuts the connection: the missed updates are replayed.
  Object.values(exchange.clients)[0]?.connection.terminate();
  await eventually(() => expect(exchange.clients).toEqual({}));
  await cycle(1, 2);
  await cycle(2, 3);
  await untilPublished(3);
  // A gap: the missed updates are read over REST.
  await untilLive(exchange, 'account.pnl');
  const hole = makeHole(exchange);
  await cycle(3, 4);
  await cycle(4, 5);
  await hole.until(2);
  await trade('buy', 1);
  await untilPublished(6);
  expect(hole.heal).toHaveBeenCalled();
  const read = await readBy(trader, 4);
  expect(watched.filter(([, contracts]) => contracts === 0)).toEqual(stateOf(read).slice(0, 4));
  expect(watched.at(-1)).toEqual(stateOf(read).at(-1));
});

test('delivers a position in a new market that was opened, closed and opened again meanwhile', async () => {
  const { exchange, trader, trade } = await withPosition();
  const hole = makeHole(exchange);
  await trade('buy', 1, other);
  await trade('sell', 1, other);
  await trade('buy', 2, other);
  await hole.until(1);
  await trade('buy', 1, other);
  await untilReceived(exchange, 3);
  const watched = (await exchange.watchPositions()).filter(({ symbol }) => symbol === other);
  expect(stateOf(watched)).toEqual(stateOf(await readBy(trader, 1, other)));
});

test('delivers a position that closes while missed updates are read once', async () => {
  const { exchange, trader, trade } = await withPosition();
  const hole = makeHole(exchange);
  await trade('sell', 1);
  await trade('buy', 2);
  await hole.until(1);
  const fetch = exchange.fetch.bind(exchange);
  let isReopened = false;
  // Between the read of the positions and that of the closed ones.
  exchange.fetch = async (...request: Parameters<typeof fetch>) => {
    if (!isReopened && request[0].includes('/positions/history')) {
      isReopened = true;
      await trade('sell', 3);
      await trade('buy', 4);
    }
    return fetch(...request);
  };
  await trade('buy', 1);
  await untilReceived(exchange, 4);
  expect(isReopened).toBe(true);
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 2)));
});

test('throws once for closed positions beyond the buffer, then returns the buffered ones', async () => {
  const { exchange, trader, trade } = await withPosition({ positionsLimit: 2 });
  for (let time = 1; time <= 4; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await untilReceived(exchange, 5);
  const lost = exchange.watchPositions();
  await expect(lost).rejects.toBeInstanceOf(ccxt.ExchangeError);
  await expect(lost).rejects.toThrow('positionsLimit');
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 2)));
});

test('throws once for missed closed positions beyond the read limit', async () => {
  const { exchange, trader, trade } = await withPosition({ positionsLimit: 1 });
  const history = exchange.privateGetV1AccountsAccountIdPositionsHistory.bind(exchange);
  exchange.privateGetV1AccountsAccountIdPositionsHistory = (query: object) => history({ ...query, limit: 1 });
  const hole = makeHole(exchange);
  for (let time = 1; time <= 3; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await hole.until(3);
  await trade('buy', 1);
  await untilReceived(exchange, 5);
  await expect(exchange.watchPositions()).rejects.toThrow('positionsLimit');
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 1)));
});

test('loses nothing of one symbol when too many positions of another closed', async () => {
  const { exchange, trade } = await withPosition({ positionsLimit: 1 });
  await trade('buy', 1, other);
  await eventually(() => expect(exchange.positions).toHaveLength(2));
  const both = () => exchange.watchPositions([other, SYMBOL]);
  await both();
  for (let time = 1; time <= 3; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await trade('buy', 6, other);
  await untilReceived(exchange, 7);
  await expect(both()).rejects.toThrow('positionsLimit');
  expect((await both()).map(({ symbol, contracts }) => [symbol, contracts])).toEqual([
    [SYMBOL, 0],
    [SYMBOL, 4],
    [other, 7],
  ]);
});
