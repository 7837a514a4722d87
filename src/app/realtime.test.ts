/**
 * The realtime service of a whole venue: its own thread, real tickets, and clients that take snapshots while the market makers
 * trade. `OPENPERP_RESYNC_SECONDS=60 npx vitest run src/app/realtime.test.ts` sets the duration.
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { ServedChannel } from '#contract/realtime-channels.ts';
import { AccountState } from '#realtime/testing/account-state.ts';
import { type Frame, SocketClient } from '#realtime/testing/socket-client.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { parseAccountId } from '#units/ids.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const SECONDS = Number(process.env.OPENPERP_RESYNC_SECONDS ?? 4);
const FOLLOWERS = 12;
const MARKET = { marketId: 'BTC-USD-PERP' };
const STREAMS: readonly ServedChannel[] = [
  'account.orders',
  'account.fills',
  'account.positions',
  'account.pnl',
  'account.margin',
];

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(withMarketMakers: boolean, directory = newDirectory()): Promise<TestVenue> {
  const venue = await startTestVenue(testConfig(directory, { withMarketMakers }));
  undo.push(() => venue.stop());
  return venue;
}

function newDirectory(): string {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  return path;
}

interface Bot {
  readonly accountId: string;
  call(method: string, path: string, body?: object): Promise<Frame>;
}

async function botOf(venue: TestVenue): Promise<Bot> {
  const { accountId, apiKey } = await venue.createAccount({ label: 'bot', credit: '100000' });
  let keys = 0;
  const call = async (method: string, path: string, body?: object): Promise<Frame> => {
    keys += 1;
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `${accountId}-${keys}`,
    };
    const response = await fetch(`${venue.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
  };
  return { accountId, call };
}

async function ticketOf(bot: Bot): Promise<string> {
  const { ticket, accountId } = await bot.call('POST', '/v1/realtime/ticket');
  expect(accountId).toBe(bot.accountId);
  return ticket;
}

async function connect(venue: TestVenue): Promise<SocketClient> {
  const client = await SocketClient.connect(venue.realtimeUrl);
  undo.push(() => client.socket.terminate());
  return client;
}

async function connectAs(venue: TestVenue, bot: Bot): Promise<SocketClient> {
  const client = await connect(venue);
  expect(await client.request({ op: 'auth', ticket: await ticketOf(bot) })).toMatchObject({
    type: 'auth_ok',
    accountId: bot.accountId,
  });
  return client;
}

/** All pages of a list, and the sequence of the first page: later changes are in the stream from there. */
async function listOf(
  bot: Bot,
  list: 'orders' | 'fills',
): Promise<{ readonly entries: readonly Frame[]; readonly sequence: number }> {
  const path = `/v1/accounts/${bot.accountId}/${list}?limit=500`;
  let page = await bot.call('GET', path);
  const { journalSequence: sequence } = page.freshness;
  const entries: Frame[] = [...page[list]];
  while (page.nextCursor !== null) {
    page = await bot.call('GET', `${path}&cursor=${page.nextCursor}`);
    entries.push(...page[list]);
  }
  return { entries, sequence };
}

/** The state of the account over REST: each resource is read separately, while everything moves. */
async function snapshotOf(bot: Bot) {
  const { accountId, call } = bot;
  const [orders, fills] = await Promise.all([listOf(bot, 'orders'), listOf(bot, 'fills')]);
  const [positions, account] = await Promise.all(['/positions', ''].map((it) => call('GET', `/v1/accounts/${accountId}${it}`)));
  return {
    orders: orders.entries,
    ordersSequence: orders.sequence,
    fills: fills.entries,
    fillsSequence: fills.sequence,
    positions: positions!,
    account: account!,
  };
}

type Snapshot = Awaited<ReturnType<typeof snapshotOf>>;

/** A client that took a snapshot and is subscribed from it. */
interface Follower {
  readonly client: SocketClient;
  readonly from: Snapshot;
}

async function follow(venue: TestVenue, bot: Bot): Promise<Follower> {
  const client = await connectAs(venue, bot);
  const from = await snapshotOf(bot);
  const { fromSequences } = new AccountState(from);
  for (const channel of STREAMS) await client.subscribed(channel, { accountId: bot.accountId }, fromSequences[channel]);
  await client.subscribed('market.price', MARKET);
  return { client, from };
}

/** Compares the follower's state as of a later snapshot with that snapshot, channel by channel. */
function expectSameState({ client, from }: Follower, to: Snapshot): void {
  const upTo = new AccountState(to).fromSequences;
  const state = new AccountState(from);
  for (const frame of client.frames) {
    if (frame.type === 'update' && frame.sequence <= (upTo[frame.channel] ?? -1)) state.apply(frame);
  }
  const { margin, digest, ...rest } = new AccountState(to).known() as Frame;
  const known = state.known() as Frame;
  expect(known).toEqual({ ...rest, ...(state.isMarginKnown && { margin, digest }) });
}

/** Quotes and takes until `isOver` returns true for the number of placed orders; a few orders a second. */
async function trade(bot: Bot, isOver: (placed: number) => boolean): Promise<void> {
  let placed = 0;
  while (!isOver(placed)) {
    const { markPrice } = await bot.call('GET', `/v1/markets/${MARKET.marketId}/stats`);
    const price = (Number(markPrice) * (placed % 2 === 0 ? 0.9995 : 0.97)).toFixed(1);
    const terms = placed % 3 === 0 ? { orderType: 'market' } : { orderType: 'limit', price };
    const side = placed % 3 === 0 && placed % 2 === 0 ? 'sell' : 'buy';
    const order = { accountId: bot.accountId, ...MARKET, clientOrderId: `order-${placed}`, side, quantity: '0.01', ...terms };
    const { orderId, status } = await bot.call('POST', '/v1/orders', order);
    if (orderId !== undefined && status === 'open' && placed % 2 === 1) await bot.call('POST', `/v1/orders/${orderId}/cancel`);
    placed += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Places orders far from the market until the venue no longer responds. */
async function placeUntilRefused(bot: Bot, taken: string[]): Promise<void> {
  const { markPrice } = await bot.call('GET', `/v1/markets/${MARKET.marketId}/stats`);
  const terms = { ...MARKET, side: 'buy', orderType: 'limit', price: (0.96 * Number(markPrice)).toFixed(1), quantity: '0.001' };
  for (let count = 0; ; count += 1) {
    const order = { accountId: bot.accountId, clientOrderId: `order-${count}`, ...terms };
    const response = await bot.call('POST', '/v1/orders', order).catch(() => undefined);
    if (response === undefined) return;
    if (response.orderId !== undefined) taken.push(response.orderId);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the realtime service of a venue', () => {
  test(
    'gives the state of the account to a client that takes a snapshot at any time and replays from it',
    async () => {
      const venue = await started(true);
      const bot = await botOf(venue);
      let isOver = false;
      const trading = trade(bot, (placed) => isOver && placed > 10);
      const followers: Follower[] = [];
      for (let count = 0; count < FOLLOWERS; count += 1) {
        followers.push(await follow(venue, bot));
        await new Promise((resolve) => setTimeout(resolve, (SECONDS * 1_000) / FOLLOWERS));
      }
      isOver = true;
      await trading;
      // The market makers go on, and prices move.
      const last = await snapshotOf(bot);
      const newest = Math.max(...Object.values(new AccountState(last).fromSequences));
      for (const follower of followers) {
        await follower.client.until(
          ({ type, channel, sequence }) => type === 'update' && channel === 'market.price' && sequence > newest,
        );
        follower.client.demandValid();
        expectSameState(follower, last);
      }
      expect(last.fills.length).toBeGreaterThan(3);
      expect(venue.internalErrors).toEqual([]);
    },
    600_000 + SECONDS * 3_000,
  );

  test('accepts tickets of REST, continues with rotated ones, and closes connections of revoked ones', async () => {
    const venue = await started(false);
    const bot = await botOf(venue);
    const ticket = await ticketOf(bot);
    const client = await connect(venue);
    await client.request({ op: 'auth', ticket });
    await client.subscribed('account.balance', { accountId: bot.accountId });
    const account = parseAccountId(bot.accountId) as AccountOrdinal;
    await venue.submit({ command: { type: 'CreditCash', account, amountAtoms: 7 as never, reference: 'more' } });
    expect((await client.next('update')).data.changes[0]).toMatchObject({ kind: 'deposit', amountAtoms: '7' });
    // These requests carry only the ticket, no API key.
    const send = (method: string, body: object) =>
      fetch(`${venue.url}/v1/realtime/ticket`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const rotated = (await (await send('PUT', { ticket })).json()) as Frame;
    expect(rotated).toMatchObject({ accountId: bot.accountId, expiresAt: expect.any(Number) });
    const second = await connect(venue);
    expect(await second.request({ op: 'auth', ticket: rotated.ticket })).toMatchObject({ type: 'auth_ok' });
    for (let count = 0; count < 2; count += 1) {
      const response = await send('DELETE', { ticket });
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
    for (const socket of [client, second]) expect(await socket.closes()).toEqual({ code: 4005, reason: 'ticket_revoked' });
    const refused = await send('PUT', { ticket: rotated.ticket });
    expect([refused.status, await refused.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'realtime_ticket_rejected', realtimeTicketFailure: 'revoked' }),
    ]);
    // A ticket is not an API key.
    const asBearer = await fetch(`${venue.url}/v1/accounts/${bot.accountId}`, {
      headers: { authorization: `Bearer ${rotated.ticket}` },
    });
    expect([asBearer.status, ((await asBearer.json()) as Frame).apiKeyRejection]).toEqual([401, 'malformed']);
  });

  test('closes the connections of a revoked API key once the revocation is durable', async () => {
    const venue = await started(false);
    const { accountId, apiKey } = await venue.createAccount({ label: 'bot' });
    const minted = await fetch(`${venue.url}/v1/realtime/ticket`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const client = await connect(venue);
    await client.request({ op: 'auth', ticket: ((await minted.json()) as Frame).ticket });
    const [, keyId = ''] = apiKey.split('_');
    const account = parseAccountId(accountId) as AccountOrdinal;
    await venue.submit({ command: { type: 'RevokeApiKey', account, keyId } });
    expect(await client.closes()).toEqual({ code: 4005, reason: 'ticket_revoked' });
  });

  test('publishes all accepted commands before it announces the stop', async () => {
    const venue = await startTestVenue(testConfig(newDirectory()));
    const bot = await botOf(venue);
    const client = await connectAs(venue, bot);
    await client.subscribed('account.orders', { accountId: bot.accountId });
    // This client takes no close frame: the server waits for it for a while.
    const silent = await connect(venue);
    silent.socket.pause();
    const taken: string[] = [];
    const placing = placeUntilRefused(bot, taken);
    await eventually(() => expect(taken.length).toBeGreaterThan(3));
    await venue.stop();
    await placing;
    expect(await client.closes()).toEqual({ code: 1001, reason: 'venue_stops' });
    const publishedIds = client.updates('account.orders').flatMap(({ data }) => data.orders.map(({ orderId }: Frame) => orderId));
    expect(publishedIds).toEqual(expect.arrayContaining(taken));
    expect(venue.internalErrors).toEqual([]);
  });

  test('has its URL, or the public URL that the operator set, in the served document', async () => {
    const serverOf = async (venue: TestVenue) => {
      const { servers } = (await (await fetch(`${venue.url}/asyncapi.json`)).json()) as Frame;
      return servers.venue as Frame;
    };
    const venue = await started(false);
    const { host, protocol } = await serverOf(venue);
    expect(`${protocol}://${host}`).toBe(venue.realtimeUrl);
    const behind = await startTestVenue(testConfig(newDirectory(), { realtimeUrl: 'wss://venue.example' }));
    undo.push(() => behind.stop());
    expect(await serverOf(behind)).toMatchObject({ host: 'venue.example', protocol: 'wss' });
    expect(behind.realtimeUrl).toMatch(/^ws:\/\/localhost:/);
  });

  test('announces the stop, and clients resume after a restart', async () => {
    const directory = newDirectory();
    const venue = await startTestVenue(testConfig(directory));
    const bot = await botOf(venue);
    const ticket = await ticketOf(bot);
    const client = await connectAs(venue, bot);
    await client.subscribed('account.margin', { accountId: bot.accountId });
    await client.subscribed('market.price', MARKET);
    await client.next('update', 2);
    await venue.stop();
    expect(await client.closes()).toEqual({ code: 1001, reason: 'venue_stops' });
    client.demandValid();

    const again = await started(false, directory);
    const back = await connect(again);
    // Tickets were in the memory of the stopped venue.
    expect(await back.request({ op: 'auth', ticket })).toMatchObject({
      code: 'ticket_rejected',
      realtimeTicketFailure: 'invalid',
    });
    const [first] = client.updates('market.price');
    await back.subscribed('market.price', MARKET, first!.previousSequence);
    expect(await back.next('update')).toEqual(first);
    back.demandValid();
    expect(again.internalErrors).toEqual([]);
  });
});
