/**
 * Bodies in chunks. However few bytes a chunk has, Node takes half a microsecond or more for it, and all chunks of a read before the server
 * can object. So a body has few of them, and a network whose bodies have had too many is not read from for a while.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Refused } from '#contract/refused.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import type { Time } from '#time/time.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Chunks of a network beyond those that bodies may have: so many cost some 5 ms. */
const EXCESS = { burst: 8_192, perSecond: 8_192 };
/** Excess is counted in steps: less often than it comes. */
const STEP = 256;
const LOOK_MS = 250;

export interface BodyChunkParts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly linesOf: (network: string) => Iterable<Socket>;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

const oversplit = new WeakSet<IncomingMessage>();

/** Of a body that is read to its end. `Transfer-Encoding` alone is no reason to refuse it: programs that stream, and proxies, send it. */
export function chunksRefusal(request: IncomingMessage): Refused | undefined {
  if (!oversplit.has(request)) return undefined;
  const message = `The body comes in more than ${REQUEST_LIMITS.bodyChunks} chunks: send it whole, with Content-Length.`;
  return new Refused('payload_too_large', message);
}

export function limitBodyChunks(server: Server, parts: BodyChunkParts): void {
  const { linesOf, proxies, steadyClock, timers, onInternalError } = parts;
  const excess = new Map<string, TokenBucket>();
  const look = (network: string) => {
    const bucket = excess.get(network)!;
    if (bucket.isFull) excess.delete(network);
    else lookLater(network);
    if (!bucket.isOverdrawn) for (const line of linesOf(network)) line.resume();
  };
  const lookLater = (network: string) => {
    const task = contained(onInternalError, 'the chunks of a network', () => look(network));
    timers.setTimeout(task, LOOK_MS, { ref: false });
  };
  const owe = (request: IncomingMessage) => {
    const network = remoteNetwork(proxies.clientOf(request));
    let bucket = excess.get(network);
    if (bucket === undefined) {
      bucket = new TokenBucket(EXCESS, steadyClock);
      excess.set(network, bucket);
      lookLater(network);
    }
    bucket.owe(STEP);
    if (bucket.isOverdrawn) for (const line of linesOf(network)) line.pause();
  };
  const bound = (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] !== undefined) boundChunks(request, () => owe(request));
  };
  const take = (line: Socket) => {
    const address = line.remoteAddress ?? '';
    // `linesOf` leaves its connections out: nothing would resume them.
    if (proxies.has(address)) return;
    // The server begins to read a new line behind this event.
    if (excess.get(remoteNetwork(address))?.isOverdrawn) process.nextTick(() => line.pause());
  };
  server.on('request', guarded(onInternalError, bound));
  server.on('connection', guarded(onInternalError, take));
}

/** What is beyond is parsed and dropped; `onExcess` runs once for each {@link STEP} of it. */
function boundChunks(request: IncomingMessage, onExcess: () => void): void {
  const push = request.push.bind(request);
  let chunks = 0;
  request.push = (bytes, encoding) => {
    if (bytes === null) return push(bytes);
    chunks += 1;
    const beyond = chunks - REQUEST_LIMITS.bodyChunks;
    if (beyond <= 0) return push(bytes, encoding);
    oversplit.add(request);
    if (beyond % STEP === 0) onExcess();
    return true;
  };
}
