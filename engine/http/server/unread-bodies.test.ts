/** Requests that get their response before their body arrived: the connection closes, or continues with the next request. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MAX_BYTES_READ_PAST } from '#contract/request-limits.ts';
import { responsesIn } from '#http/testing/raw-http.ts';
import { bearer, json, placement, request, useServer, validBody } from '#http/testing/unreached-venue.ts';
import { eventually } from '#time/testing/eventually.ts';

const server = useServer();
const submit = vi.fn(server.submit);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(submit).not.toHaveBeenCalled();
  expect(server.internalErrors).toEqual([]);
});

const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = '0\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const tooLong = 'x'.repeat(MAX_BYTES_READ_PAST + 1);
const order = placement(validBody);
const reading = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** A request whose response is 501 whatever it contains. */
const early = (...headers: string[]) => head('PUT /v2/not-implemented/set-leverage', ...headers);
function head(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', json, ...headers, '', ''].join('\r\n');
}

/** A connection that the client never closes. */
async function open() {
  server.submit = submit;
  submit.mockClear();
  server.internalErrors.length = 0;
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const received: Buffer[] = [];
  const state = { isEnded: false, isCut: false };
  socket.on('data', (bytes) => received.push(bytes));
  socket.on('end', () => {
    state.isEnded = true;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    state.isCut = true;
  });
  await once(socket, 'connect');
  const responses = () => [...responsesIn(Buffer.concat(received))];
  return {
    responses,
    send: (bytes: string) => socket.write(bytes),
    /** Resolves with the responses, as `status connection`, once there are `count` of them. */
    received: async (count: number) => {
      await eventually(() => expect(responses().length).toBeGreaterThanOrEqual(count));
      return responses().map(({ status, headers }) => `${status} ${headers.connection}`);
    },
    ended: () => eventually(() => expect(state.isEnded).toBe(true)),
    /** Keeps sending until the server has closed the connection. */
    cutWhileSending: async (bytes: string) => {
      await eventually(
        () => {
          if (!state.isCut) socket.write(bytes);
          expect(state.isCut).toBe(true);
        },
        { intervalMs: 20 },
      );
    },
  };
}

describe('a body in chunks', () => {
  test('that never ends is cut off after its response', async () => {
    const connection = await open();
    connection.send(early(CHUNKED));
    await connection.cutWhileSending(chunk('{}'));
    expect(await connection.received(1)).toEqual(['501 close']);
  });

  test('that does not arrive gets its response, and its connection closes', async () => {
    const connection = await open();
    connection.send(early(CHUNKED));
    await connection.ended();
    await connection.cutWhileSending('2');
    expect(await connection.received(1)).toEqual(['501 close']);
  });

  test('that is too long gets its response, and later requests are not processed', async () => {
    const connection = await open();
    connection.send(early(CHUNKED) + chunk(tooLong) + LAST + order);
    await connection.ended();
    expect(await connection.received(1)).toEqual(['501 close']);
  });

  test('that arrived with its head gets its response, and later requests are not processed', async () => {
    const connection = await open();
    connection.send(early(CHUNKED) + chunk('{}') + LAST + order);
    await connection.ended();
    expect(await connection.received(1)).toEqual(['501 close']);
  });

  test('at a malformed URL closes its connection, and later requests are not processed', async () => {
    const connection = await open();
    connection.send(head('POST /%zz', CHUNKED) + chunk('{}') + LAST + order);
    await connection.ended();
    expect(await connection.received(1)).toEqual(['400 close']);
  });

  test('that is read keeps its connection open', async () => {
    const connection = await open();
    connection.send(head('POST /v1/orders', bearer, 'Idempotency-Key: k', CHUNKED) + chunk('{') + chunk('}') + LAST);
    expect(await connection.received(1)).toEqual(['400 keep-alive']);
    connection.send(reading);
    expect(await connection.received(2)).toEqual(['400 keep-alive', '200 keep-alive']);
  });

  test('that waits for 100 Continue gets one response', async () => {
    const connection = await open();
    connection.send(early(CHUNKED, 'Expect: 100-continue'));
    await connection.ended();
    expect(await connection.received(2)).toEqual(['100 undefined', '501 close']);
  });

  test.each([
    ['with its head', (connection: Awaited<ReturnType<typeof open>>) => connection.send(`${early(CHUNKED)}zz\r\n${order}`)],
    [
      'after its response',
      async (connection: Awaited<ReturnType<typeof open>>) => {
        connection.send(early(CHUNKED));
        await connection.received(1);
        connection.send(`zz\r\n${order}`);
      },
    ],
  ])('that is malformed, %s, gets one response', async (_, play) => {
    const connection = await open();
    await play(connection);
    await connection.ended();
    await connection.cutWhileSending('0');
    expect(connection.responses()).toHaveLength(1);
  });

  test('gets its response after those of earlier requests', async () => {
    const connection = await open();
    connection.send(reading + early(CHUNKED) + chunk('{}'));
    await connection.ended();
    expect(await connection.received(2)).toEqual(['200 keep-alive', '501 close']);
  });
});

describe('a body with Content-Length', () => {
  test('that arrives late is skipped, whatever it contains, and the next request gets its response', async () => {
    const connection = await open();
    connection.send(early(`Content-Length: ${order.length}`));
    expect(await connection.received(1)).toEqual(['501 keep-alive']);
    connection.send(order.slice(0, 50));
    connection.send(order.slice(50) + reading);
    expect(await connection.received(2)).toEqual(['501 keep-alive', '200 keep-alive']);
  });

  test('that is complete and not JSON keeps its connection open for later requests', async () => {
    const connection = await open();
    connection.send(`${head('POST /v1/orders', bearer, 'Idempotency-Key: k', 'Content-Length: 2')}{x${reading}`);
    expect(await connection.received(2)).toEqual(['400 keep-alive', '200 keep-alive']);
  });

  test.each([
    ['HTTP/1.0', 'Host: localhost'],
    ['HTTP/1.1', 'Connection: close'],
  ])('that is not JSON closes the connection if the client wants that: %s, %s', async (version, header) => {
    const connection = await open();
    const requestHead = head('POST /v1/orders', header, bearer, 'Idempotency-Key: k', 'Content-Length: 2').replace(
      'HTTP/1.1',
      version,
    );
    connection.send(`${requestHead}{x`);
    await connection.ended();
    expect(await connection.received(1)).toEqual(['400 close']);
  });

  test('that does not end is cut off in time', async () => {
    const connection = await open();
    connection.send(early(`Content-Length: ${MAX_BYTES_READ_PAST}`));
    await connection.cutWhileSending('x');
    expect(await connection.received(1)).toEqual(['501 keep-alive']);
  });

  test('that is too long gets its response, and later requests are not processed', async () => {
    const connection = await open();
    connection.send(early(`Content-Length: ${tooLong.length}`) + tooLong + order);
    await connection.ended();
    expect(await connection.received(1)).toEqual(['501 close']);
  });
});

describe.each([
  ['without a bearer', 401, 'POST /v1/orders', []],
  ['of an operation', 413, 'POST /v1/orders', [bearer, 'Idempotency-Key: k']],
  ['of a read', 200, 'GET /health', []],
  ['at an unknown path', 404, 'POST /v1/nothing', []],
])('a body that is too long, %s,', (_, status, line, headers) => {
  test('closes its connection, and later requests are not processed', async () => {
    const socket = await open();
    socket.send(head(line, ...headers, `Content-Length: ${tooLong.length}`) + tooLong + order);
    await socket.ended();
    expect(await socket.received(1)).toEqual([`${status} close`]);
  });
});

test('requests after an unmet expectation are not processed', async () => {
  const connection = await open();
  connection.send(request('GET /health', ['Expect: 200-maybe']).replace('Connection: close\r\n', '') + order);
  await connection.ended();
  expect(await connection.received(1)).toEqual(['400 close']);
});
