/**
 * A venue whose REST and socket services are at different sequences: the class makes few requests, pauses between them, and gives
 * up eventually. Waiting callers see the error, no update is lost, and the next call continues.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenPerp, type OpenPerpPro } from '#adapter/dist/openperp.js';
import { liveChannels, overProxy, SOON, untilLive, untilLost } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

/** For a test that waits for the timeout: one or two refusals longer than one pause. */
const IMPATIENT = { ...SOON, catchUpTimeout: 1_500 };
const PAUSE_MS = 1_000;

let venue: OwnMarket;
let other: string;

beforeAll(async () => {
  venue = await startOwnMarket();
  other = await venue.list('OTH');
  const { apiKey } = await venue.openAccount('10000000');
  const maker = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
  for (const symbol of [SYMBOL, other]) await maker.createOrder(symbol, 'limit', 'sell', 1_000, 1_001);
});

afterAll(() => venue.stop());

async function trading(options: object, hasKey = true) {
  const it = await overProxy(venue, { options, hasKey });
  return { ...it, trade: () => it.trader.createOrder(SYMBOL, 'market', 'buy', 0.1) };
}

/** Refuses each subscription of these channels while the test says so; returns how often each was refused. */
function refuse(exchange: OpenPerpPro, code: string, isRefused: (channel: string, refusals: number) => boolean) {
  const refusals = new Map<string, number>();
  const deliver = exchange.handleMessage.bind(exchange);
  exchange.handleMessage = (client, frame) => {
    const { type, channel, marketId } = frame as Record<string, string>;
    const key = `${channel} ${marketId}`;
    const before = refusals.get(key) ?? 0;
    if (type !== 'subscribed' || !isRefused(channel as string, before)) return deliver(client, frame);
    refusals.set(key, before + 1);
    return deliver(client, { ...frame, type: 'error', code });
  };
  for (const client of Object.values(exchange.clients)) client.onMessageCallback = exchange.handleMessage;
  return refusals;
}

/** The requests with a limit of one row, which read the venue's current sequence. */
function questionsOf(exchange: OpenPerpPro): readonly string[] {
  const questions: string[] = [];
  const fetch = exchange.fetch.bind(exchange);
  exchange.fetch = (...request: Parameters<typeof fetch>) => {
    const { pathname, searchParams } = new URL(request[0]);
    if (searchParams.get('limit') === '1' && !pathname.endsWith('/orders')) questions.push(pathname);
    return fetch(...request);
  };
  return questions;
}

const ids = (rows: readonly { readonly id?: string | undefined }[]) => rows.map(({ id }) => id);

test.each([
  ['with a key', true],
  ['without', false],
])('reads the venue’s sequence once for all waiting feeds, %s', async (_, hasKey) => {
  const { exchange, trade } = await trading(SOON, hasKey);
  const questions = questionsOf(exchange);
  const rounds = 3;
  const refusals = refuse(exchange, 'sequence_ahead', (_channel, before) => before < rounds);
  const feeds = hasKey ? 4 : 3;
  // The request waits until all feeds need it: at the start, and again after each refusal.
  const loadSequence = vi.spyOn(exchange, 'loadSequence');
  const send = exchange.fetchSequence.bind(exchange);
  vi.spyOn(exchange, 'fetchSequence').mockImplementation(async () => {
    await eventually(() => expect(loadSequence).toHaveBeenCalledTimes(feeds * (1 + questions.length)));
    return send(0);
  });
  const watches: Promise<unknown>[] = [SYMBOL, other].map((symbol) => exchange.watchTrades(symbol));
  watches.push(exchange.watchOHLCV(SYMBOL));
  if (hasKey) watches.push(exchange.watchMyTrades());
  for (const watch of watches) watch.catch(() => undefined);
  await eventually(() => expect(liveChannels(exchange)).toHaveLength(feeds));
  expect([...refusals.values()]).toEqual(watches.map(() => rounds));
  expect(questions).toHaveLength(1 + rounds);
  for (const question of questions) expect(question).toMatch(/^\/v1\/markets\/[^/]+\/trades$/);
  await trade();
  expect(await watches[0]).toHaveLength(1);
});

/** Makes the feed miss updates, and refuses its subscription from then on. */
async function refusedFor(code: string) {
  const it = await trading(IMPATIENT);
  const { exchange, trade, proxy } = it;
  const watched: (string | undefined)[] = [];
  const first = [exchange.watchMyTrades(), exchange.watchMyTrades(SYMBOL)];
  await untilLive(exchange, 'account.fills');
  await trade();
  watched.push(...ids((await Promise.all(first))[0] as never));
  await trade();
  await eventually(() => expect(exchange.realtime.unread).toHaveProperty('myTrades'));
  await untilLost(exchange, proxy.cut);
  await trade();
  let isRefused = true;
  const refusals = refuse(exchange, code, (channel) => isRefused && channel === 'account.fills');
  const watch = async () => watched.push(...ids(await exchange.watchMyTrades()));
  return { ...it, watched, refusals, watch, end: () => (isRefused = false) };
}

test.each([
  ['sequence_ahead', 'behind REST'],
  ['no_room_for_replay', 'cannot buffer a replay'],
  ['resync_required', 'REST is behind'],
])('throws ExchangeNotAvailable for endless %s; loses nothing, and the next call continues', async (code, description) => {
  const { exchange, trader, watched, refusals, watch, end } = await refusedFor(code);
  if (code === 'resync_required') vi.spyOn(exchange, 'readMissed').mockResolvedValue();
  // Earlier unread updates are still there.
  await watch();
  expect(watched).toHaveLength(2);
  const sequences = () => ({ ...exchange.realtime.feeds['account.fills'].sequences });
  const before = sequences();
  const counted: number[] = [];
  for (let time = 0; time < 2; time += 1) {
    const waiting = exchange.watchMyTrades();
    await expect(waiting).rejects.toBeInstanceOf(ccxt.ExchangeNotAvailable);
    await expect(waiting).rejects.toThrow(description);
    counted.push([...refusals.values()][0] as number);
  }
  // Each call retried again.
  const [first = 0, second = 0] = counted;
  expect(first).toBeGreaterThanOrEqual(2);
  expect(second - first).toBeGreaterThanOrEqual(2);
  expect(sequences()).toEqual(before);
  expect(exchange.realtime.unread).toHaveProperty([`myTrades::${SYMBOL}`]);
  end();
  vi.restoreAllMocks();
  await watch();
  expect(watched).toEqual(ids(await trader.fetchMyTrades(SYMBOL)));
  // Its own watcher gets the error too, once, and then all buffered updates.
  await expect(exchange.watchMyTrades(SYMBOL)).rejects.toBeInstanceOf(ccxt.ExchangeNotAvailable);
  expect(ids(await exchange.watchMyTrades(SYMBOL))).toEqual(watched.slice(1));
});

test.each([
  ['returns nothing, pauses before it subscribes again', 0],
  ['returns something, continues at once', 1],
])('when the read after resync_required %s', async (_, further) => {
  const { exchange, trade } = await trading(SOON);
  const rounds = 4;
  refuse(exchange, 'resync_required', (channel, before) => channel === 'account.fills' && before < rounds);
  const read = vi.spyOn(exchange, 'readMissed').mockImplementation(async (_client, feed) => {
    feed.sequences['account.fills'] += further;
  });
  const sleep = vi.spyOn(exchange, 'sleep');
  const first = exchange.watchMyTrades();
  await untilLive(exchange, 'account.fills');
  expect(read).toHaveBeenCalledTimes(rounds);
  expect(sleep.mock.calls.filter(([ms]) => ms === PAUSE_MS)).toHaveLength(further === 0 ? rounds - 1 : 0);
  await trade();
  expect(await first).toHaveLength(1);
});

test('throws once for a feed with two refused channels, and does not retry by itself', async () => {
  const { exchange, trade } = await trading(IMPATIENT);
  let isRefused = true;
  const refusals = refuse(
    exchange,
    'sequence_ahead',
    (channel) => isRefused && ['account.positions', 'account.pnl'].includes(channel),
  );
  expect(await exchange.watchPositions()).toEqual([]);
  await expect(exchange.watchPositions()).rejects.toBeInstanceOf(ccxt.ExchangeNotAvailable);
  // The refusal of the other channel has arrived too.
  await eventually(() => {
    const [first, second] = refusals.values();
    expect(second).toBe(first);
  });
  expect(exchange.realtime.question).toBeUndefined();
  isRefused = false;
  const next = exchange.watchPositions();
  await untilLive(exchange, 'account.pnl');
  await trade();
  expect(await next).toMatchObject([{ contracts: 0.1 }]);
});
