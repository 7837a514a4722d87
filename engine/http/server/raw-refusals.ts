/**
 * Refusals for what never becomes a request: bytes that are not HTTP, headers beyond the limit, a client too slow, an
 * expectation or a tunnel that is not offered. They are the same envelope, written past the framework.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refused } from '#contract/refused.ts';
import type { Clock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { endLineOf } from './ended-lines.ts';
import { guarded, type OnInternalError } from './guarded-events.ts';
import type { ObserveAnswer } from './observation.ts';
import { refusalBody } from './refusal-body.ts';
import { requestIdOf } from './request-id.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** What is under way on a line: the answer to its newest request, and how many are yet to be given, that one among them. */
interface Exchanges {
  newest: ServerResponse;
  unanswered: number;
  /** Called after each answer, once something waits for the last of them. */
  onAnswered: (() => void) | undefined;
}

/** How long the other side of a line that was refused may take to hang up. */
const LINGER_MS = 1_000;

type ClientError = Error & { readonly code?: string };

/** Tells the time of a refusal, and hears of it. */
export interface RawRefusalParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observeAnswer: ObserveAnswer;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

/**
 * Answers what Node would answer without an envelope, or not at all: `refuse` takes a connection on which the parser, or its timers,
 * could make no request of what came, and why. What follows sound requests on their connection waits for all of their answers: its own must
 * not be taken for one of them.
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
        // The server has let go of this line: if it breaks, nobody else hears of it.
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
  const exchanges = lines.get(line) ?? { newest: response, unanswered: 0, onAnswered: undefined };
  lines.set(line, exchanges);
  exchanges.newest = response;
  exchanges.unanswered += 1;
  const answered = guarded(onInternalError, () => {
    exchanges.unanswered -= 1;
    exchanges.onAnswered?.();
  });
  response.once('close', () => answered(line));
}

function inTurn(exchanges: Exchanges | undefined, socket: Duplex, timers: Timers, refuse: () => void): void {
  if (exchanges === undefined) {
    refuse();
    return;
  }
  const refuseInTurn = () => {
    const { newest, unanswered } = exchanges;
    // What breaks off in the middle of the newest request is the end of that one, which may have its answer already.
    const isOwn = !newest.req.complete;
    const isAnswered = isOwn && newest.headersSent;
    if (unanswered > (isOwn && !isAnswered ? 1 : 0)) return;
    exchanges.onAnswered = undefined;
    if (isAnswered) hangUp(socket, timers);
    else refuse();
  };
  exchanges.onAnswered = refuseInTurn;
  refuseInTurn();
}

function refuseClientError(error: ClientError, socket: Duplex, parts: RawRefusalParts): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') writeRefusal(new Refused('headers_too_large'), socket, parts);
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRefusal(new Refused('request_timeout'), socket, parts);
  else writeRefusal(new Refused('malformed_request'), socket, parts);
}

function refuseTunnel(request: IncomingMessage, socket: Duplex, parts: RawRefusalParts): void {
  // The answer before may have ended the line.
  if (!socket.writable) return;
  const allow = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
  const refused = new Refused('method_not_allowed', 'CONNECT is not offered.', { headers: { allow } });
  writeRefusal(refused, socket, parts, request);
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse, parts: RawRefusalParts): void {
  const refused = new Refused('malformed_request', 'What the Expect header expects is not offered.');
  const { status, headers, body } = answer(refused, request.socket, parts, request);
  endLineOf(request);
  response.writeHead(status, headers).end(body);
}

function writeRefusal(refused: Refused, socket: Duplex, parts: RawRefusalParts, request?: IncomingMessage): void {
  const { status, headers, body } = answer(refused, socket, parts, request);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  hangUp(socket, parts.timers, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/** Whoever does not hang up in turn is cut off: at once, the answer could be lost with what is still on its way here. */
function hangUp(socket: Duplex, timers: Timers, answered = ''): void {
  socket.once('finish', () => timers.setTimeout(() => socket.destroy(), LINGER_MS, { ref: false }));
  socket.end(answered);
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Of a request whose head arrived, the id is its own. */
function answer(refused: Refused, socket: Duplex, parts: RawRefusalParts, request?: IncomingMessage): RawAnswer {
  const requestId = requestIdOf(request ?? { headers: {} });
  const body = JSON.stringify(refusalBody(refused, requestId, parts.clock.now(), request?.url ?? ''));
  const headers = {
    ...ANSWER_HEADERS,
    ...refused.details.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const { status } = refused;
  const clientAddress =
    request === undefined ? ((socket as Partial<Socket>).remoteAddress ?? '') : parts.proxies.clientOf(request);
  parts.observeAnswer(status, 0, refused.code, { id: requestId, method: request?.method ?? '', clientAddress });
  return { status, headers, body };
}
