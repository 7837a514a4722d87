/**
 * Refusals for what never becomes a request: bytes that are not HTTP, headers beyond the limit, a client too slow, an
 * expectation or a tunnel that is not offered. They are the same envelope, written past the framework.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS } from '#contract/errors.ts';
import type { EpochMs } from '#units/money.ts';
import type { Clock } from '#writer/clock.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { Refused, renderEnvelope } from './refused.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** How long the other side of a line that was refused may take to hang up. */
const LINGER_MS = 1_000;

type ClientError = Error & { readonly code?: string };

/**
 * A handler for the server's `clientError`: what the parser, or its timers, could not make a request of. Bytes that
 * follow a sound request on its connection wait for its answer: theirs must not be taken for it.
 */
export function clientErrorRefusals(clock: Clock) {
  const exchanges = new WeakMap<Duplex, Exchange>();
  return {
    watch(server: Server): void {
      server.on('request', (request, response) => {
        exchanges.set(request.socket, { request, response });
        response.once('close', () => exchanges.delete(request.socket));
      });
    },
    refuse(error: ClientError, socket: Duplex): void {
      const earlier = exchanges.get(socket);
      if (earlier?.request.complete) earlier.response.once('close', () => refuseClientError(error, socket, clock.now()));
      else refuseClientError(error, socket, clock.now());
    },
  };
}

function refuseClientError(error: ClientError, socket: Duplex, now: EpochMs): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') writeRefusal(new Refused('headers_too_large'), socket, now);
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRefusal(new Refused('request_timeout'), socket, now);
  else writeRefusal(new Refused('malformed_request'), socket, now);
}

/** Answers what Node would answer without an envelope, or not at all. */
export function refuseTunnelsAndExpectations(server: Server, clock: Clock): void {
  server.on('connect', (_request, socket) => {
    // The server has let go of this line: if it breaks, nobody else hears of it.
    socket.on('error', () => socket.destroy());
    const allow = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
    writeRefusal(new Refused('method_not_allowed', 'CONNECT is not offered.', { headers: { allow } }), socket, clock.now());
  });
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = answer(
      new Refused('malformed_request', 'What the Expect header expects is not offered.'),
      clock.now(),
    );
    response.writeHead(status, headers).end(body);
  });
}

function writeRefusal(refused: Refused, socket: Duplex, now: EpochMs): void {
  const { status, headers, body } = answer(refused, now);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Whoever does not hang up in turn is cut off: at once, the answer could be lost with what is still on its way here.
  socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

function answer(
  refused: Refused,
  now: EpochMs,
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } {
  const requestId = randomUUID();
  const body = JSON.stringify(renderEnvelope(refused, requestId, now));
  const headers = {
    ...ANSWER_HEADERS,
    ...refused.details.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { status: ERRORS[refused.code].status, headers, body };
}
