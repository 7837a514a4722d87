/**
 * Positions that are closed and opened again on the same side while a program does something else: it is told of each that was closed, with
 * what came of it, before the one that is open; and where more were closed than are kept, of that.
 */
import ccxt, { type Position } from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { SOON, untilLive } from '#compat/testing/on-a-line.ts';
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
async function holding(options: object = {}) {
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

/** Updates of positions do not come from now on, until so many were closed; what comes next shows the hole. */
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

/** What is open in the end has come, and all that came before it. */
async function untilHeard(exchange: OpenPerpPro, contracts: number): Promise<void> {
  await eventually(() => expect(exchange.positions?.at(-1)).toMatchObject({ contracts }));
}

interface Told {
  readonly id?: string | undefined;
  readonly contracts?: number | undefined;
}

const stateOf = (rows: readonly Told[]) => rows.map(({ id, contracts }) => [id, contracts]);

/** Those that were closed last, the oldest first, and then those that are open. */
async function readBy(trader: OpenPerp, closed: number, symbol = SYMBOL) {
  const history = (await trader.fetchPositionsHistory([symbol])).toSorted((one, two) => Number(one.id) - Number(two.id));
  // REST tells of a closed one how much it was at most.
  return [...history.slice(-closed).map((row) => ({ ...row, contracts: 0 })), ...(await trader.fetchPositions([symbol]))];
}

test.each([
  ['that was closed and opened again', 1],
  ['that was closed and opened again and again', 4],
])('a position %s while nobody waited is told as closed, before the one that is open', async (_, times) => {
  const { exchange, trader, trade } = await holding();
  for (let time = 1; time <= times; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await untilHeard(exchange, times + 1);
  const told = await exchange.watchPositions();
  const read = await readBy(trader, times);
  expect(stateOf(told)).toEqual(stateOf(read));
  expect(told.map(({ contracts }) => contracts)).toEqual([...Array.from({ length: times }, () => 0), times + 1]);
  expect(told.map(pick)).toEqual(read.map(pick));
  // Each was told once, and is not kept any longer; the cache has one row of a side, as in all of ccxt.
  expect(exchange.realtime.feeds['account.positions'].closed).toEqual([]);
  expect(stateOf(exchange.positions as never)).toEqual(stateOf(read.slice(-1)));
  await trade('buy', 1);
  expect((await exchange.watchPositions()).map(({ contracts }) => contracts)).toEqual([times + 2]);
});

const pick = (row?: Partial<Position>) => [row?.side, row?.entryPrice, row?.lastPrice, row?.realizedPnl];

test('each who watches is told of each, of one symbol, of all, and where all that is known is told', async () => {
  const { exchange, trader, trade } = await holding();
  await trade('buy', 1, other);
  await eventually(() => expect(exchange.positions).toHaveLength(2));
  expect(await exchange.watchPositions([SYMBOL])).toMatchObject([{ symbol: SYMBOL }]);
  expect(await exchange.watchPositions([other])).toMatchObject([{ symbol: other }]);
  for (const symbol of [SYMBOL, other]) {
    await trade('sell', 1, symbol);
    await trade('buy', 2, symbol);
  }
  await untilHeard(exchange, 2);
  const read = { [SYMBOL]: await readBy(trader, 1), [other]: await readBy(trader, 1, other) };
  for (const symbol of [SYMBOL, other])
    expect(stateOf(await exchange.watchPositions([symbol]))).toEqual(stateOf(read[symbol] as never));
  exchange.newUpdates = false;
  const all = await exchange.watchPositions();
  expect(stateOf(all).toSorted()).toEqual(stateOf(Object.values(read).flat()).toSorted());
});

test('one that was closed and opened again while its line was broken, and while its updates did not come, is told likewise', async () => {
  const { exchange, trader, trade } = await holding();
  const told: (readonly [string | undefined, number | undefined])[] = [];
  const watch = async () => {
    try {
      for (const { id, contracts } of await exchange.watchPositions()) told.push([id, contracts]);
    } catch (error) {
      if (!(error instanceof ccxt.NetworkError)) throw error;
    }
  };
  const cycle = async (from: number, to: number) => {
    await trade('sell', from);
    await trade('buy', to);
  };
  const untilTold = (contracts: number) =>
    eventually(async () => {
      if (told.at(-1)?.[1] !== contracts) await watch();
      expect(told.at(-1)?.[1]).toBe(contracts);
    });
  // Its line is broken: what came meanwhile is replayed.
  Object.values(exchange.clients)[0]?.connection.terminate();
  await eventually(() => expect(exchange.clients).toEqual({}));
  await cycle(1, 2);
  await cycle(2, 3);
  await untilTold(3);
  // A hole: what came meanwhile is read.
  await untilLive(exchange, 'account.pnl');
  const hole = makeHole(exchange);
  await cycle(3, 4);
  await cycle(4, 5);
  await hole.until(2);
  await trade('buy', 1);
  await untilTold(6);
  expect(hole.heal).toHaveBeenCalled();
  const read = await readBy(trader, 4);
  expect(told.filter(([, contracts]) => contracts === 0)).toEqual(stateOf(read).slice(0, 4));
  expect(told.at(-1)).toEqual(stateOf(read).at(-1));
});

test('one of a market that nobody held anything of, and that was opened, closed and opened again meanwhile, is told likewise', async () => {
  const { exchange, trader, trade } = await holding();
  const hole = makeHole(exchange);
  await trade('buy', 1, other);
  await trade('sell', 1, other);
  await trade('buy', 2, other);
  await hole.until(1);
  await trade('buy', 1, other);
  await untilHeard(exchange, 3);
  const told = (await exchange.watchPositions()).filter(({ symbol }) => symbol === other);
  expect(stateOf(told)).toEqual(stateOf(await readBy(trader, 1, other)));
});

test('one that is closed while what was missed is read is told as closed once', async () => {
  const { exchange, trader, trade } = await holding();
  const hole = makeHole(exchange);
  await trade('sell', 1);
  await trade('buy', 2);
  await hole.until(1);
  const fetch = exchange.fetch.bind(exchange);
  let isReopened = false;
  // Between the positions and those that were closed.
  exchange.fetch = async (...request: Parameters<typeof fetch>) => {
    if (!isReopened && request[0].includes('/positions/history')) {
      isReopened = true;
      await trade('sell', 3);
      await trade('buy', 4);
    }
    return fetch(...request);
  };
  await trade('buy', 1);
  await untilHeard(exchange, 4);
  expect(isReopened).toBe(true);
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 2)));
});

test('more closed positions than are kept until they are read are an error that says so, once; what is kept follows', async () => {
  const { exchange, trader, trade } = await holding({ positionsLimit: 2 });
  for (let time = 1; time <= 4; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await untilHeard(exchange, 5);
  const lost = exchange.watchPositions();
  await expect(lost).rejects.toBeInstanceOf(ccxt.ExchangeError);
  await expect(lost).rejects.toThrow('positionsLimit');
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 2)));
});

test('so are more than are read of those that were missed', async () => {
  const { exchange, trader, trade } = await holding({ positionsLimit: 1 });
  const history = exchange.privateGetV1AccountsAccountIdPositionsHistory.bind(exchange);
  exchange.privateGetV1AccountsAccountIdPositionsHistory = (asked: object) => history({ ...asked, limit: 1 });
  const hole = makeHole(exchange);
  for (let time = 1; time <= 3; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await hole.until(3);
  await trade('buy', 1);
  await untilHeard(exchange, 5);
  await expect(exchange.watchPositions()).rejects.toThrow('positionsLimit');
  expect(stateOf(await exchange.watchPositions())).toEqual(stateOf(await readBy(trader, 1)));
});

test('of several symbols nothing is lost of one where of the other too much was closed', async () => {
  const { exchange, trade } = await holding({ positionsLimit: 1 });
  await trade('buy', 1, other);
  await eventually(() => expect(exchange.positions).toHaveLength(2));
  const both = () => exchange.watchPositions([other, SYMBOL]);
  await both();
  for (let time = 1; time <= 3; time += 1) {
    await trade('sell', time);
    await trade('buy', time + 1);
  }
  await trade('buy', 6, other);
  await untilHeard(exchange, 7);
  await expect(both()).rejects.toThrow('positionsLimit');
  expect((await both()).map(({ symbol, contracts }) => [symbol, contracts])).toEqual([
    [SYMBOL, 0],
    [SYMBOL, 4],
    [other, 7],
  ]);
});
