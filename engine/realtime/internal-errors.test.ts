/**
 * An exception at each place of the realtime service closes only the sockets that it concerns. One in the fold ends the service.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PlantedException, type PlantedExceptions } from '#app/testing/planted-exceptions.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { LiveModel } from '#projection/live-model.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { Connection } from './connection.ts';
import { EarlySubscriptions } from './early-subscriptions.ts';
import { FanOut } from './fan-out.ts';
import { Networks } from './networks.ts';
import { PrivateBytes } from './private-bytes.ts';
import { ReplayQueue } from './replay-queue.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import { OF_INTERNAL_ERRORS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';
import { TicketFamilies } from './ticket-families.ts';

const { planted } = await vi.hoisted(async () => {
  const { PlantedExceptions } = await import('#app/testing/planted-exceptions.ts');
  return { planted: new PlantedExceptions() as PlantedExceptions };
});
vi.mock('#contract/exact-json.ts', async (load) => planted.in(await load()));
vi.mock('#contract/realtime-request.ts', async (load) => planted.in(await load()));
vi.mock('#http/server/remote-network.ts', async (load) => planted.in(await load()));
vi.mock('./account-updates.ts', async (load) => planted.in(await load()));
vi.mock('./frame-bytes.ts', async (load) => planted.in(await load()));
vi.mock('./position-updates.ts', async (load) => planted.in(await load()));
vi.mock('./market-updates.ts', async (load) => planted.in(await load()));

const MARKET = { marketId: MARKET_ID };
const ACCOUNT = { accountId: 'acct-1' };
const { closing, seen } = seenCodes();

let service: RecordedService;
afterEach(() => {
  planted.clear();
  vi.restoreAllMocks();
  service.internalErrors.length = 0;
});

async function begin(): Promise<RecordedService> {
  service = await RecordedService.start();
  return service;
}

/** Alice takes Bob's order: changes orders, fills, trades and the book. */
function trade(): void {
  service.history.limit(2, 'sell', 10_000, 100);
  service.history.market(1, 'buy', 100);
  service.publish();
}

async function expectEnded(client: SocketClient, errors = 1): Promise<void> {
  expect(await closing(client)).toBe('internal_error');
  expect(service.internalErrors).toHaveLength(errors);
  for (const error of service.internalErrors) expect(error).toBeInstanceOf(PlantedException);
}

test.each(['parseClientFrame', 'parseExactJson'])('an exception in a frame closes only its socket: in %s', async (name) => {
  await begin();
  const [client, other] = [await service.connect(), await service.connect()];
  planted.plant(name);
  client.send({ op: 'ping' });
  await expectEnded(client);
  await other.drained();
});

test('an exception in the first state of a subscription closes only its socket', async () => {
  await begin();
  const [client, other] = [await service.connect(), await service.connect()];
  planted.plant('stateData');
  client.send({ op: 'subscribe', channel: 'market.book', ...MARKET });
  await expectEnded(client);
  await other.subscribed('market.book', MARKET);
});

test('an exception in a subscription that waited for its sequence closes only its socket', async () => {
  await begin();
  const client = await service.connect();
  client.send({ op: 'subscribe', channel: 'market.book', ...MARKET, fromSequence: service.history.records.length + 1 });
  await client.drained();
  planted.plant('stateData');
  service.history.limit(2, 'sell', 10_000, 100);
  service.publish();
  await expectEnded(client);
});

test.each([
  ['an update of trades', 'recordUpdate', 'market.trades', MARKET],
  ['a book', 'stateData', 'market.book', MARKET],
  ['a ticker', 'stateData', 'market.ticker', MARKET],
  ['candles', 'stateData', 'market.candles', { ...MARKET, series: 'index', timeframe: '1m' }],
  ['an update of an account', 'accountUpdate', 'account.orders', ACCOUNT],
])('an exception in %s closes only the sockets that are subscribed to it', async (_, name, channel, subject) => {
  await begin();
  const [first, second, other] = [await service.connectAs(1), await service.connectAs(1), await service.connectAs(1)];
  for (const client of [first, second]) await client.subscribed(channel, subject);
  const elsewhere = name === 'recordUpdate' ? (['account.fills', ACCOUNT] as const) : (['market.trades', MARKET] as const);
  const { sequence } = await other.subscribed(elsewhere[0], elsewhere[1]);
  planted.plant(name);
  service.history.price(10_001);
  trade();
  service.service.flush();
  await expectEnded(first);
  await expectEnded(second);
  await other.until((frame) => frame.type === 'update' && frame.channel === elsewhere[0] && frame.sequence > sequence);
  // A client that reconnects gets what it missed.
  const again = await service.connectAs(1);
  await again.subscribed(channel, subject);
  await again.drained();
});

test.each([
  ['markets', 'affectedMarkets', ['market.trades', MARKET], ['account.fills', ACCOUNT]],
  ['accounts', 'touchedMarks', ['account.fills', ACCOUNT], ['market.trades', MARKET]],
] as const)(
  'an exception in finding the %s that a record concerns closes only the sockets of those channels',
  async (_, name, its, others) => {
    await begin();
    const [client, other] = [await service.connectAs(1), await service.connectAs(1)];
    await client.subscribed(its[0], its[1]);
    await other.subscribed(others[0], others[1]);
    planted.plant(name);
    trade();
    await expectEnded(client);
    await other.until((frame) => frame.type === 'update' && frame.channel === others[0]);
  },
);

test('an exception in a replay closes only its socket, and the next replays continue', async () => {
  await begin();
  const fromSequence = service.history.records.length;
  trade();
  const [client, other] = [await service.connect(), await service.connect()];
  planted.plant('recordUpdate');
  client.send({ op: 'subscribe', channel: 'market.trades', ...MARKET, fromSequence });
  await expectEnded(client);
  await other.subscribed('market.trades', MARKET, fromSequence);
  await other.next('update');
});

test.each([
  ['while a connection is counted', 0],
  ['while a connection of a paused network is found', 1],
  ['in the upgrade of a connection', 2],
])('an exception %s closes it, and the next is accepted', async (_, passes) => {
  await begin();
  planted.plant('remoteNetwork', 1, passes);
  await expect(service.connect()).rejects.toThrow();
  expect(service.internalErrors).toHaveLength(1);
  const next = await service.connect();
  await next.drained();
});

test('an exception in the hello frame closes only its socket', async () => {
  await begin();
  planted.plant('textFrame');
  const client = await service.connect().catch(() => undefined);
  await eventually(() => expect(client === undefined || client.closed !== undefined).toBe(true));
  expect(service.internalErrors).toHaveLength(1);
  await (await service.connect()).drained();
});

test.each([
  ['its send queue', Connection, 'onClosed'],
  ['its subscriptions', FanOut, 'drop'],
  ['its early subscriptions', EarlySubscriptions, 'dropAll'],
  ['its replays', ReplayQueue, 'dropAll'],
  ['its ticket family', TicketFamilies, 'drop'],
] as const)('an exception in dropping %s leaves nothing of a closed socket behind', async (_, owner, method) => {
  service = await RecordedService.start(undefined, { maxConnectionsPerNetwork: 1 });
  const client = await service.connectAs(1);
  await client.subscribed('account.fills', ACCOUNT);
  vi.spyOn(owner.prototype as unknown as Record<string, () => void>, method).mockImplementationOnce(() => {
    throw new PlantedException(method);
  });
  client.socket.close();
  await eventually(() => expect(service.internalErrors).toEqual([expect.any(PlantedException)]));
  await eventually(() => expect(service.service.counts().sockets).toBe(0));
  trade();
  await (await service.connect()).drained();
});

test('an exception after a connection drained closes only its socket', async () => {
  await begin();
  const fromSequence = service.history.records.length;
  trade();
  const [client, other] = [await service.connect(), await service.connect()];
  const { wake } = ReplayQueue.prototype;
  vi.spyOn(ReplayQueue.prototype, 'wake').mockImplementation(function (this: ReplayQueue) {
    if (new Error('where').stack?.includes('send-queue')) throw new PlantedException('wake');
    wake.call(this);
  });
  client.send({ op: 'subscribe', channel: 'market.trades', ...MARKET, fromSequence });
  await expectEnded(client);
  vi.restoreAllMocks();
  await other.subscribed('market.trades', MARKET, fromSequence);
  await other.next('update');
});

test('an exception in counting sent bytes closes only its socket', async () => {
  await begin();
  const [client, other] = [await service.connect(), await service.connect()];
  const { add } = PrivateBytes.prototype;
  let throws = 1;
  vi.spyOn(PrivateBytes.prototype, 'add').mockImplementation(function (this: PrivateBytes, network, bytes) {
    if (bytes < 0 && throws-- > 0) throw new PlantedException('add');
    add.call(this, network, bytes);
  });
  client.send({ op: 'ping' });
  await expectEnded(client);
  await other.drained();
});

test('an exception at the turn of waiting frames closes only their socket', async () => {
  service = await RecordedService.start(undefined, { sharedFrameBurst: 2, sharedFramesPerSecond: 100 });
  const [client, other] = [await service.connect(), await service.connect()];
  vi.spyOn(WebSocket.prototype, 'resume').mockImplementationOnce(() => {
    throw new PlantedException('resume');
  });
  for (let sent = 0; sent < 4; sent += 1) client.send({ op: 'ping' });
  await expectEnded(client);
  await other.drained();
});

test('an exception between replays is reported, and they continue', async () => {
  await begin();
  const fromSequence = service.history.records.length;
  trade();
  const client = await service.connect();
  const isDrained = vi.spyOn(Connection.prototype, 'isDrained', 'get');
  let throws = 1;
  isDrained.mockImplementation(() => {
    if (new Error('where').stack?.includes('replay-queue') && throws-- > 0) throw new PlantedException('isDrained');
    return true;
  });
  await client.subscribed('market.trades', MARKET, fromSequence);
  await client.next('update');
  expect(service.internalErrors).toEqual([expect.any(PlantedException)]);
});

test('an exception in disconnecting a socket does not keep it open', async () => {
  service = await RecordedService.start();
  const client = await service.connect();
  await client.subscribed('market.trades', MARKET);
  vi.spyOn(FanOut.prototype, 'drop').mockImplementationOnce(() => {
    throw new PlantedException('drop');
  });
  planted.plant('parseClientFrame');
  client.send({ op: 'ping' });
  await expectEnded(client, 2);
});

test('an exception in a periodic check is reported, and the check runs again', async () => {
  const time = new ManualTime();
  service = await RecordedService.start(undefined, {}, [], [], undefined, time);
  const client = await service.connect();
  const [quiet, families] = [vi.spyOn(Networks.prototype, 'evictIdle'), vi.spyOn(TicketFamilies.prototype, 'check')];
  quiet.mockImplementationOnce(() => {
    throw new PlantedException('evictIdle');
  });
  families.mockRejectedValueOnce(new PlantedException('check'));
  await time.advance(REALTIME_LIMITS.idleMs / 4);
  expect(service.internalErrors).toEqual([expect.any(PlantedException), expect.any(PlantedException)]);
  const calls = [quiet.mock.calls.length, families.mock.calls.length];
  await time.advance(REALTIME_LIMITS.idleMs / 4);
  expect([quiet.mock.calls.length > calls[0]!, families.mock.calls.length > calls[1]!]).toEqual([true, true]);
  expect(service.internalErrors).toHaveLength(2);
  await client.drained();
});

test('an exception in the fold is thrown to the caller of follow: the service cannot continue', async () => {
  await begin();
  const error = new PlantedException('fold');
  vi.spyOn(LiveModel.prototype, 'fold').mockImplementationOnce(() => {
    throw error;
  });
  const { history } = service;
  history.limit(2, 'sell', 10_000, 100);
  expect(() => service.publish()).toThrow(error);
  expect(service.internalErrors).toEqual([]);
});

test('the close reasons seen here are internal_error alone', () => {
  expect(seen()).toEqual(OF_INTERNAL_ERRORS);
});
