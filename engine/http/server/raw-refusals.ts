/**
 * Refusals of input that never becomes a request: malformed HTTP, headers beyond the limit, a timeout, an unsupported expectation
 * or tunnel. They have the same envelope, written without the framework.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refused } from '#contract/refused.ts';
import type { Clock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { closeAfterResponse } from './connection-close.ts';
import { guarded, type OnInternalError } from './guarded-events.ts';
import type { ObserveResponse } from './observation.ts';
import { refusalBody } from './refusal-body.ts';
import { requestIdOf } from './request-id.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The state of a connection: the response to its newest request, and the number of pending responses, including that one. */
interface Exchanges {
  newest: ServerResponse;
  unanswered: number;
  /** Called after each response while a refusal waits for its turn. */
  onResponded: (() => void) | undefined;
}

/** How long a refused client may take to close its side. */
const LINGER_TIMEOUT_MS = 1_000;

type ClientError = Error & { readonly code?: string };

/** Dependencies of the refusals. */
export interface RawRefusalParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observeResponse: ObserveResponse;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

/**
 * Handles what Node would refuse without an envelope, or ignore: `refuse` receives a connection on which the parser or a timeout
 * found no request, and why. A refusal after valid requests waits for all of their responses, so that the client does not match
 * it to one of them.
 */
export function rawRefusals(parts: RawRefusalParts) {
  const lines = new WeakMap<Duplex, Exchanges>();
  const { onInternalError } = parts;
  return {
    watch(server: Server): void {
      for (const event of ['request', 'checkExpectation'] as const) {
        const note = (request: IncomingMessage, response: ServerResponse) => begin(lines, parts, request.socket, response);
        server.on(event, guarded(onInternalError, note));
      }
      const refuseConnect = (request: IncomingMessage, socket: Duplex) => {
        // Node has detached its handlers from this connection: without this one an error would be uncaught.
        socket.on('error', () => socket.destroy());
        inTurn(lines.get(socket), socket, parts.timers, () => refuseTunnel(request, socket, parts));
      };
      server.on('connect', guarded(onInternalError, refuseConnect));
      const refuseExpected = (request: IncomingMessage, response: ServerResponse) => refuseExpectation(request, response, parts);
      server.on('checkExpectation', guarded(onInternalError, refuseExpected));
    },
    refuse: guarded(onInternalError, (socket: Duplex, error: ClientError) =>
      inTurn(lines.get(socket), socket, parts.timers, () => refuseClientError(error, socket, parts)),
    ),
  };
}

function begin(
  lines: WeakMap<Duplex, Exchanges>,
  { onInternalError }: RawRefusalParts,
  line: Duplex,
  response: ServerResponse,
): void {
  const exchanges = lines.get(line) ?? { newest: response, unanswered: 0, onResponded: undefined };
  lines.set(line, exchanges);
  exchanges.newest = response;
  exchanges.unanswered += 1;
  const responded = guarded(onInternalError, () => {
    exchanges.unanswered -= 1;
    exchanges.onResponded?.();
  });
  response.once('close', () => responded(line));
}

function inTurn(exchanges: Exchanges | undefined, socket: Duplex, timers: Timers, refuse: () => void): void {
  if (exchanges === undefined) {
    refuse();
    return;
  }
  const refuseInTurn = () => {
    const { newest, unanswered } = exchanges;
    // If the newest request is incomplete, the error ends that request, which may have its response already.
    const isOwn = !newest.req.complete;
    const isAnswered = isOwn && newest.headersSent;
    if (unanswered > (isOwn && !isAnswered ? 1 : 0)) return;
    exchanges.onResponded = undefined;
    if (isAnswered) closeConnection(socket, timers);
    else refuse();
  };
  exchanges.onResponded = refuseInTurn;
  refuseInTurn();
}

function refuseClientError(error: ClientError, socket: Duplex, parts: RawRefusalParts): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') writeRefusal(new Refused('headers_too_large'), socket, parts);
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRefusal(new Refused('request_timeout'), socket, parts);
  else writeRefusal(new Refused('malformed_request'), socket, parts);
}

function refuseTunnel(request: IncomingMessage, socket: Duplex, parts: RawRefusalParts): void {
  // The previous response may have closed the connection.
  if (!socket.writable) return;
  const allow = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
  const refused = new Refused('method_not_allowed', 'CONNECT is not offered.', { headers: { allow } });
  writeRefusal(refused, socket, parts, request);
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse, parts: RawRefusalParts): void {
  const refused = new Refused('malformed_request', 'What the Expect header expects is not offered.');
  const { status, headers, body } = rawResponse(refused, request.socket, parts, request);
  closeAfterResponse(request);
  response.writeHead(status, headers).end(body);
}

function writeRefusal(refused: Refused, socket: Duplex, parts: RawRefusalParts, request?: IncomingMessage): void {
  const { status, headers, body } = rawResponse(refused, socket, parts, request);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  closeConnection(socket, parts.timers, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/** Closes the connection after a delay: closing it at once could lose the response if more input is in transit. */
function closeConnection(socket: Duplex, timers: Timers, responded = ''): void {
  socket.once('finish', () => timers.setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS, { ref: false }));
  socket.end(responded);
}

interface RawResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A request whose head arrived has its own id. */
function rawResponse(refused: Refused, socket: Duplex, parts: RawRefusalParts, request?: IncomingMessage): RawResponse {
  const requestId = requestIdOf(request ?? { headers: {} });
  const body = JSON.stringify(refusalBody(refused, requestId, parts.clock.now(), request?.url ?? ''));
  const headers = {
    ...COMMON_HEADERS,
    ...refused.details.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const { status } = refused;
  const clientAddress =
    request === undefined ? ((socket as Partial<Socket>).remoteAddress ?? '') : parts.proxies.clientOf(request);
  parts.observeResponse(status, 0, refused.code, { id: requestId, method: request?.method ?? '', clientAddress });
  return { status, headers, body };
}
