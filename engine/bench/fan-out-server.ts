/**
 * A server of book updates in a process of its own, fed by another thread: the venue's realtime service, or a bare `ws` server
 * that calls `send` for each client with a rendered frame: every frame, or the newest within the service's window.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { WebSocketServer } from 'ws';
import { DEFAULT_ENVIRONMENT } from '#contract/environments.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import { RealtimeService } from '#realtime/service.ts';
import { systemTime } from '#time/system-time.ts';
import { readGroupHeader, sealedDigestOf } from '#writer/journal/group.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';
import { answer, requestOf } from './bench-process.ts';
import { EMPTY, type Feed, type FeederMessage, type FeedKind } from './fan-out-feeder.ts';

const { kind } = requestOf<{ readonly kind: FeedKind }>();
const tickets: SocketTickets = { authenticate: async () => ({ failure: 'invalid' }), validUntil: async () => 'unknown' };
const fail = (error: unknown) => {
  throw error;
};

async function venueServer(): Promise<{ readonly port: number; take(fed: FeederMessage): void }> {
  const service = await RealtimeService.start({
    environment: DEFAULT_ENVIRONMENT,
    host: 'localhost',
    port: 0,
    origins: [],
    trustedProxies: [],
    rows: EMPTY,
    tickets,
    ...systemTime,
    limits: REALTIME_LIMITS,
    provider: 'generated',
    onReplayLogOpened: () => {},
    onSockets: () => {},
    log: () => {},
    onInternalError: fail,
  });
  const take = (fed: FeederMessage) => {
    if (fed.type !== 'group') return;
    const { bytes, epochMs } = fed;
    service.follow(new DurableGroup({ header: readGroupHeader(bytes, 0)!, bytes, digest: sealedDigestOf(bytes) }), epochMs);
  };
  return { port: service.port, take };
}

async function naiveServer({
  isWindowed,
}: {
  readonly isWindowed: boolean;
}): Promise<{ readonly port: number; take(fed: FeederMessage): void }> {
  const server = new WebSocketServer({ host: 'localhost', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  server.on('connection', (client) => {
    client.on('message', () => client.send('{"type":"subscribed"}'));
  });
  const send = (text: string) => {
    for (const client of server.clients) client.send(text);
  };
  const sendFrame = isWindowed ? newestOfWindow(send) : send;
  const take = (fed: FeederMessage) => {
    if (fed.type === 'frame') sendFrame(fed.text);
  };
  return { port: (server.address() as AddressInfo).port, take };
}

/** Like the service: sends the first at once, and the newest of the following ones when the window has passed. */
function newestOfWindow(send: (text: string) => void): (text: string) => void {
  let newest = '';
  let sentAtMs = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const flush = () => {
    isDue = false;
    sentAtMs = performance.now();
    send(newest);
  };
  return (text) => {
    newest = text;
    if (isDue) return;
    isDue = true;
    const inMs = sentAtMs + REALTIME_LIMITS.coalesceMs - performance.now();
    if (inMs <= 0) setImmediate(flush);
    else setTimeout(flush, inMs);
  };
}

const server = await (kind === 'venue' ? venueServer() : naiveServer({ isWindowed: kind === 'windowed' }));
const feeder = new Worker(new URL('./fan-out-feeder.ts', import.meta.url), { workerData: { kind } });
feeder.on('message', (fed: FeederMessage) => {
  if (fed.type === 'started') answer({ port: server.port });
  else if (fed.type === 'done') answer(fed);
  else server.take(fed);
});
feeder.on('error', fail);
process.on('message', (feed: Feed) => feeder.postMessage(feed));
