import { beforeEach, expect, test } from 'vitest';
import { ScriptedSocket } from '#owner-page/testing/scripted-socket.ts';
import { RealtimeFeed, type Update } from './realtime-feed.ts';

const AGENTS = 'account.agents';
const SUBSCRIPTIONS = [
  { channel: AGENTS, accountId: 'acct-7', fromSequence: 40 },
  { channel: 'market.price', marketId: 'BTC-USD-PERP' },
];

let socket: ScriptedSocket;
let feed: RealtimeFeed;
let updates: Update[];
let live: number;
let mintTicket: () => Promise<string>;

beforeEach(() => {
  socket = new ScriptedSocket();
  updates = [];
  live = 0;
  mintTicket = async () => 'ticket-1';
  feed = new RealtimeFeed(socket, {
    mintTicket: () => mintTicket(),
    subscriptions: SUBSCRIPTIONS,
    onLive: () => {
      live += 1;
    },
    onUpdate: (update) => updates.push(update),
  });
});

const update = (sequence: number, previousSequence: number) =>
  socket.receive({ type: 'update', channel: AGENTS, sequence, previousSequence, epochMs: 1, data: sequence });

test('authenticates in a frame, then subscribes, and is live once all subscriptions have started', async () => {
  socket.receive({ type: 'hello' });
  await Promise.resolve();
  expect(socket.sent).toEqual([{ op: 'auth', ticket: 'ticket-1' }]);
  socket.receive({ type: 'auth_ok' });
  expect(socket.sent.slice(1)).toEqual(SUBSCRIPTIONS.map((it) => ({ op: 'subscribe', ...it })));
  socket.receive({ type: 'subscribed', channel: AGENTS, sequence: 40 });
  expect(live).toBe(0);
  socket.receive({ type: 'subscribed', channel: 'market.price', sequence: 41 });
  expect(live).toBe(1);
});

test('passes each update on once, and ends if one is missing', async () => {
  await socket.start({ [AGENTS]: 40, 'market.price': 40 });
  update(42, 40);
  update(42, 40);
  update(45, 42);
  expect(updates.map(({ data }) => data)).toEqual([42, 45]);
  update(50, 48);
  expect([updates.length, socket.isClosed]).toEqual([2, true]);
  await feed.ended;
});

test('ends if it gets no ticket', async () => {
  mintTicket = () => Promise.reject(new Error('no ticket'));
  socket.receive({ type: 'hello' });
  await feed.ended;
  expect([socket.isClosed, socket.sent]).toEqual([true, []]);
});

test('ends if the service refuses a frame', async () => {
  socket.receive({ type: 'error', code: 'resync_required' });
  await feed.ended;
  expect(socket.isClosed).toBe(true);
});

test('ends if the service does not respond to a ping', async () => {
  const waits: (() => void)[] = [];
  const watched = feed.watch(() => new Promise((resolve) => waits.push(resolve)), new AbortController().signal);
  const passTime = async () => {
    waits.shift()!();
    await Promise.resolve();
    await Promise.resolve();
  };
  await socket.start({ [AGENTS]: 40, 'market.price': 40 });
  await passTime();
  expect(socket.sent.at(-1)).toEqual({ op: 'ping' });
  socket.receive({ type: 'pong' });
  await passTime();
  expect(socket.isClosed).toBe(false);
  await passTime();
  await watched;
  expect(socket.isClosed).toBe(true);
});
