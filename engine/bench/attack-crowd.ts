/**
 * A thread with a crowd of clients of one network, connected from a loopback address of their own. It sends one kind of traffic
 * at a steady rate until stopped. It receives {@link AttackOrder}s; it posts `sending`, and a {@link AttackResult} at the end.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { WebSocket } from 'ws';
import type { Attack, HttpRequest, Traffic } from './attack-rows.ts';
import { HttpClient } from './http-client.ts';

export type AttackOrder =
  | ({ readonly type: 'send'; readonly target: AttackTarget; readonly traffic: Traffic } & Pick<
      Attack,
      'clients' | 'perSecond' | 'burst'
    >)
  | { readonly type: 'stop' };

export interface AttackTarget {
  readonly url: string;
  readonly realtimeUrl: string;
  /** The loopback address that the crowd connects from. */
  readonly address: string;
}

export interface AttackResult {
  readonly sentPerSecond: number;
  /** Responses by status; of sockets, close frames by code. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** The interval at which due clients are looked up. */
const TICK_MS = 5;

/** Sends when due. `isFree` is false while the last request has no response, and after the connection was cut. */
interface Client {
  readonly isFree: boolean;
  send(): void;
  close(): void;
}

const outcomes: Record<string, number> = {};

async function crowdOf({ target, traffic, clients }: Extract<AttackOrder, { type: 'send' }>): Promise<readonly Client[]> {
  const make = (_: unknown, index: number) =>
    'frames' in traffic
      ? socketClient(target, traffic.frames, index)
      : 'pipelined' in traffic
        ? pipeliningClient(target, traffic.pipelined)
        : httpClient(target, traffic.requests, index);
  return Promise.all(Array.from({ length: clients }, make));
}

async function socketClient({ realtimeUrl, address }: AttackTarget, frames: readonly string[], first: number): Promise<Client> {
  const socket = new WebSocket(realtimeUrl, { localAddress: address });
  socket.on('error', () => {});
  socket.on('close', (code) => count(code));
  await new Promise((resolve) => {
    socket.once('open', resolve);
    socket.once('close', resolve);
  });
  let turn = first;
  return {
    get isFree() {
      return socket.readyState === WebSocket.OPEN;
    },
    send() {
      socket.send(frames[turn % frames.length]!);
      turn += 1;
    },
    close() {
      socket.removeAllListeners('close');
      socket.terminate();
    },
  };
}

async function httpClient({ url, address }: AttackTarget, requests: readonly HttpRequest[], first: number): Promise<Client> {
  const { hostname, port } = new URL(url);
  const open = () => HttpClient.connect(hostname, Number(port), address);
  let connection = await open();
  let isFree = true;
  let turn = first;
  const exchange = async () => {
    try {
      count(await connection.send(textOf(requests[turn % requests.length]!, hostname)));
    } catch {
      count('cut');
      connection = await open();
    }
  };
  return {
    get isFree() {
      return isFree;
    },
    send() {
      isFree = false;
      void exchange().then(() => {
        isFree = true;
        turn += 1;
      });
    },
    close: () => connection.close(),
  };
}

/** Sends again once the server has read everything sent before. */
async function pipeliningClient({ url, address }: AttackTarget, requests: string): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: address });
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.on('close', () => count('cut'));
  socket.on('data', () => {});
  return {
    get isFree() {
      return socket.writable && socket.writableLength === 0;
    },
    send: () => void socket.write(requests),
    close() {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}

let requestCount = 0;

/** Each request has an idempotency key of its own. */
function textOf({ method, path, apiKey, body = '', isChunked = false }: HttpRequest, host: string): string {
  requestCount += 1;
  const headers = [
    `host: ${host}`,
    `idempotency-key: crowd-${requestCount}`,
    ...(apiKey === undefined ? [] : [`authorization: Bearer ${apiKey}`]),
    ...(body === '' ? [] : ['content-type: application/json']),
    ...(isChunked ? ['transfer-encoding: chunked'] : body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  const sent = isChunked ? body.replaceAll(/./g, '1\r\n$&\r\n').concat('0\r\n\r\n') : body;
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${sent}`;
}

function count(outcome: string | number): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

let stop: () => AttackResult = () => ({ sentPerSecond: 0, outcomes: {} });

async function begin(order: Extract<AttackOrder, { type: 'send' }>): Promise<void> {
  for (const outcome of Object.keys(outcomes)) delete outcomes[outcome];
  const clients = await crowdOf(order);
  const startedAtMs = performance.now();
  const sentBy = clients.map(() => 0);
  const sendDue = () => {
    const due = (order.burst ?? 0) + ((performance.now() - startedAtMs) / 1_000) * order.perSecond;
    clients.forEach((client, index) => {
      while (client.isFree && sentBy[index]! < due) {
        client.send();
        sentBy[index]! += 1;
      }
    });
  };
  const timer = setInterval(sendDue, TICK_MS);
  stop = () => {
    clearInterval(timer);
    for (const client of clients) client.close();
    const sent = sentBy.reduce((sum, each) => sum + each, 0);
    return { sentPerSecond: (sent * 1_000) / (performance.now() - startedAtMs), outcomes };
  };
  parentPort!.postMessage('sending');
}

parentPort!.on('message', (order: AttackOrder) => {
  if (order.type === 'send') void begin(order);
  else parentPort!.postMessage(stop());
});
