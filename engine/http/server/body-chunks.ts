/**
 * Limits the chunks of bodies. Node takes half a microsecond or more per chunk, however small, and parses all chunks of a read
 * before the server can object. A body may have few, and a network that sends too many is paused. Connections of trusted proxies
 * are not paused, as other clients share them: such a body is refused, and its connection closes.
 */
import type { IncomingMessage, Server } from 'node:http';
import { Refused } from '#contract/refused.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import { guarded, type OnInternalError } from './guarded-events.ts';
import type { NetworkPauses } from './network-pauses.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Excess chunks are counted in steps of this size. */
const STEP = 256;

const oversplit = new WeakSet<IncomingMessage>();

/**
 * The refusal of a body with too many chunks. `Transfer-Encoding` alone is no reason to refuse: streaming programs and proxies
 * send it.
 */
export function chunksRefusal(request: IncomingMessage): Refused | undefined {
  if (!oversplit.has(request)) return undefined;
  const message = `The body comes in more than ${REQUEST_LIMITS.bodyChunks} chunks: send it whole, with Content-Length.`;
  return new Refused('payload_too_large', message);
}

export function limitBodyChunks(
  server: Server,
  pauses: NetworkPauses,
  proxies: TrustedProxies,
  onInternalError: OnInternalError,
): void {
  const bound = (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) return;
    const network = remoteNetwork(proxies.clientOf(request));
    const isProxied = proxies.has(request.socket.remoteAddress ?? '');
    // Each such connection of a proxy still costs a read or two, of some 5 ms. nginx and HAProxy do not forward small chunks:
    // through them, bodies in chunks of one byte cost the venue less than plain requests (measured). Any other proxy must limit
    // chunks itself.
    boundChunks(request, () => (pauses.charge(network, STEP) && isProxied ? 'end' : 'continue'));
  };
  for (const event of ['request', 'checkExpectation'] as const) server.on(event, guarded(onInternalError, bound));
}

/** Parses and drops further chunks. Calls `onExcess` for each {@link STEP} of them, which decides whether the body ends there. */
function boundChunks(request: IncomingMessage, onExcess: () => 'continue' | 'end'): void {
  const push = request.push.bind(request);
  let chunks = 0;
  let isEnded = false;
  request.push = (bytes, encoding) => {
    // Stops reading: the response to an incomplete request closes its connection.
    if (isEnded) return false;
    if (bytes === null) return push(bytes);
    chunks += 1;
    const beyond = chunks - REQUEST_LIMITS.bodyChunks;
    if (beyond <= 0) return push(bytes, encoding);
    oversplit.add(request);
    if (beyond % STEP !== 0 || onExcess() === 'continue') return true;
    isEnded = true;
    return push(null);
  };
  // Otherwise Node drops the chunks of a request that is answered before its body was read, uncounted.
  request.read(0);
}
