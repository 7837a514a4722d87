/**
 * Many clients in one thread, each on a socket of its own: each verifies that no frame is missing and notes its latency. Frames
 * are scanned, not parsed; otherwise the clients would dominate the measurement.
 */
import { randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';

export type ClientsOrder =
  /** One client per list of frames to send. After an auth frame it waits for auth_ok. Resolves once all are subscribed. */
  | { readonly type: 'connect'; readonly port: number; readonly clients: readonly (readonly string[])[] }
  /** Waits until every client has reached the sequence; returns what was received since the last time. */
  | { readonly type: 'reach'; readonly sequence: number }
  /** Returns what was received since the last time, at once. */
  | { readonly type: 'read' }
  | { readonly type: 'disconnect' };

export interface Delivery {
  /** When the last client received it. */
  readonly atMs: number;
  readonly frames: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const TEXT = 1;
const PING = 9;
/** An empty payload needs no masking. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const HEAD_BYTES = 320;
const UPDATE = /^\{"type":"update",(.+?),"sequence":(\d+),"previousSequence":(\d+),"epochMs":(\d+)/;
const SUBSCRIBED = /^\{"type":"subscribed",?(.*?),?(?:"sequence":(\d+))?\}/;
/** Channels that are conflated for a slow reader. */
const NEWEST = /^"channel":"market\.(?:book|ticker)"/;
/** Longer latencies count as this long. */
const MAX_MS = 60_000;

const latencies = new Uint32Array(MAX_MS + 1);
let clients: Client[] = [];
let awaited: { readonly sequence: number; readonly resolve: () => void } | undefined;

class Client {
  readonly #socket: Socket;
  readonly ready = Promise.withResolvers<void>();
  /** The newest sequence of all subscriptions. */
  newest = 0;
  newestAtMs = 0;
  readonly #lastSequences = new Map<string, number>();
  #pendingKeys: number;
  frames = 0;
  #rest: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #later: readonly string[] = [];

  constructor(port: number, frames: readonly string[]) {
    this.#pendingKeys = frames.filter((frame) => frame.includes('"subscribe"')).length;
    if (this.#pendingKeys === 0) this.ready.resolve();
    this.#socket = createConnection({ port, host: 'localhost' });
    const key = randomBytes(16).toString('base64');
    this.#socket.write(
      `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    this.#socket.on('data', (bytes) => this.#take(bytes, frames));
    this.#socket.on('close', () => {
      throw new Error('the server has closed a socket');
    });
    this.#socket.on('error', (error) => this.ready.reject(error));
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(bytes: Buffer, frames: readonly string[]): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#isUpgraded) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#rest = data;
        return;
      }
      if (!data.toString('latin1', 0, 12).endsWith('101')) throw new Error(data.toString('latin1', 0, end));
      this.#isUpgraded = true;
      const first = frames[0]?.includes('"auth"') === true ? 1 : frames.length;
      this.#later = frames.slice(first);
      this.#send(frames.slice(0, first));
      data = data.subarray(end + 4);
    }
    const arrivedAtMs = performance.timeOrigin + performance.now();
    let at = 0;
    for (;;) {
      if (data.length < at + 2) break;
      const short = data[at + 1]! & 127;
      const headBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (data.length < at + headBytes) break;
      const length = short === 126 ? data.readUInt16BE(at + 2) : short === 127 ? data.readUInt32BE(at + 6) : short;
      if (data.length < at + headBytes + length) break;
      const opcode = data[at]! & 15;
      if (opcode === TEXT)
        this.#onReport(data.toString('latin1', at + headBytes, at + headBytes + Math.min(length, HEAD_BYTES)), arrivedAtMs);
      if (opcode === PING) this.#socket.write(PONG);
      at += headBytes + length;
    }
    this.#rest = at === data.length ? Buffer.alloc(0) : Buffer.from(data.subarray(at));
  }

  #onReport(head: string, arrivedAtMs: number): void {
    const update = UPDATE.exec(head);
    if (update === null) {
      this.#receiveResponse(head);
      return;
    }
    const [, topic = '', ...places] = update;
    const [sequence, previous, epochMs] = places.map(Number) as [number, number, number];
    const last = this.#lastSequences.get(topic);
    const isLost = last !== undefined && previous > last && !NEWEST.test(topic);
    if (isLost || (last !== undefined && sequence < last))
      throw new Error(`${topic}: ${previous} and ${sequence} follow ${last}: updates were lost`);
    this.#lastSequences.set(topic, sequence);
    this.frames += 1;
    const latency = Math.min(MAX_MS, Math.max(0, Math.round(arrivedAtMs - epochMs)));
    latencies[latency]! += 1;
    if (sequence <= this.newest) return;
    this.newest = sequence;
    this.newestAtMs = arrivedAtMs;
    if (awaited !== undefined && sequence >= awaited.sequence) check();
  }

  #receiveResponse(head: string): void {
    if (head.startsWith('{"type":"error"')) throw new Error(head);
    if (head.startsWith('{"type":"auth_ok"')) this.#send(this.#later);
    const subscribed = SUBSCRIBED.exec(head);
    if (subscribed === null) return;
    const [, topic = '', sequence] = subscribed;
    if (sequence !== undefined) this.#lastSequences.set(topic, Number(sequence));
    this.#pendingKeys -= 1;
    if (this.#pendingKeys === 0) this.ready.resolve();
  }

  #send(frames: readonly string[]): void {
    for (const frame of frames) this.#socket.write(masked(frame));
  }
}

function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const length = payload.length;
  const head = length < 126 ? Buffer.from([0x81, 0x80 | length]) : Buffer.from([0x81, 0x80 | 126, length >> 8, length & 255]);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ mask[index & 3]!)]);
}

function check(): void {
  if (awaited === undefined || clients.some(({ newest }) => newest < awaited!.sequence)) return;
  awaited.resolve();
  awaited = undefined;
}

async function take(order: ClientsOrder): Promise<void> {
  if (order.type === 'connect') {
    const arrived = order.clients.map((frames) => new Client(order.port, frames));
    clients.push(...arrived);
    await Promise.all(arrived.map(({ ready }) => ready.promise));
    parentPort!.postMessage('connected');
  }
  if (order.type === 'disconnect') {
    for (const client of clients) client.close();
    clients = [];
    parentPort!.postMessage('disconnected');
  }
  if (order.type === 'read') parentPort!.postMessage(seen());
  if (order.type !== 'reach') return;
  const { sequence } = order;
  await new Promise<void>((resolve) => {
    awaited = { sequence, resolve };
    check();
  });
  parentPort!.postMessage(seen());
}

function seen(): Delivery {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  const quantile = (share: number) => {
    let passed = 0;
    return latencies.findIndex((count) => {
      passed += count;
      return passed >= total * share;
    });
  };
  const reached = {
    atMs: Math.max(...clients.map(({ newestAtMs }) => newestAtMs)),
    frames: clients.reduce((sum, { frames }) => sum + frames, 0),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
  latencies.fill(0);
  for (const client of clients) client.frames = 0;
  return reached;
}

parentPort!.on('message', (order: ClientsOrder) => void take(order));
