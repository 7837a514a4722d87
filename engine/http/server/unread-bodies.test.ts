/** Requests that are answered before their body is all there: their line ends, or goes on with the request behind it, and nothing else. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MAX_BYTES_READ_PAST } from '#contract/request-limits.ts';
import { answersIn } from '#http/testing/raw-http.ts';
import { bearer, json, placement, request, soundBody, useServer } from '#http/testing/unreached-venue.ts';
import { eventually } from '#time/testing/eventually.ts';

const server = useServer();
const submit = vi.fn(server.submit);
const lines: Socket[] = [];
afterEach(() => {
  for (const line of lines.splice(0)) line.destroy();
  expect(submit).not.toHaveBeenCalled();
  expect(server.defects).toEqual([]);
});

const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = '0\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const tooLong = 'x'.repeat(MAX_BYTES_READ_PAST + 1);
const order = placement(soundBody);
const reading = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** What is answered 501 whatever comes with it. */
const early = (...headers: string[]) => head('PUT /v2/not-implemented/set-leverage', ...headers);
function head(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', json, ...headers, '', ''].join('\r\n');
}

/** A line that is not given up by this side, whatever the server does. */
async function open() {
  server.submit = submit;
  submit.mockClear();
  server.defects.length = 0;
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  lines.push(socket);
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
  const answers = () => [...answersIn(Buffer.concat(received))];
  return {
    answers,
    send: (bytes: string) => socket.write(bytes),
    /** Resolves with the answers, as `status connection`, once there are so many. */
    heard: async (count: number) => {
      await eventually(() => expect(answers().length).toBeGreaterThanOrEqual(count));
      return answers().map(({ status, headers }) => `${status} ${headers.connection}`);
    },
    ended: () => eventually(() => expect(state.isEnded).toBe(true)),
    /** Sends on and on until the server has let go of the line altogether. */
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
  test('that never ends is cut off behind its answer', async () => {
    const line = await open();
    line.send(early(CHUNKED));
    await line.cutWhileSending(chunk('{}'));
    expect(await line.heard(1)).toEqual(['501 close']);
  });

  test('of which nothing comes has its answer, and its line ends', async () => {
    const line = await open();
    line.send(early(CHUNKED));
    await line.ended();
    await line.cutWhileSending('2');
    expect(await line.heard(1)).toEqual(['501 close']);
  });

  test('that is too long has its answer, and what follows it is not done', async () => {
    const line = await open();
    line.send(early(CHUNKED) + chunk(tooLong) + LAST + order);
    await line.ended();
    expect(await line.heard(1)).toEqual(['501 close']);
  });

  test('that came with its head has its answer, and what follows it is not done', async () => {
    const line = await open();
    line.send(early(CHUNKED) + chunk('{}') + LAST + order);
    await line.ended();
    expect(await line.heard(1)).toEqual(['501 close']);
  });

  test('at an address that is none ends its line, and what follows it is not done', async () => {
    const line = await open();
    line.send(head('POST /%zz', CHUNKED) + chunk('{}') + LAST + order);
    await line.ended();
    expect(await line.heard(1)).toEqual(['400 close']);
  });

  test('that is read keeps its line', async () => {
    const line = await open();
    line.send(head('POST /v1/orders', bearer, 'Idempotency-Key: k', CHUNKED) + chunk('{') + chunk('}') + LAST);
    expect(await line.heard(1)).toEqual(['400 keep-alive']);
    line.send(reading);
    expect(await line.heard(2)).toEqual(['400 keep-alive', '200 keep-alive']);
  });

  test('that waits to be told to come has one answer', async () => {
    const line = await open();
    line.send(early(CHUNKED, 'Expect: 100-continue'));
    await line.ended();
    expect(await line.heard(2)).toEqual(['100 undefined', '501 close']);
  });

  test.each([
    ['with its head', (line: Awaited<ReturnType<typeof open>>) => line.send(`${early(CHUNKED)}zz\r\n${order}`)],
    [
      'after its answer',
      async (line: Awaited<ReturnType<typeof open>>) => {
        line.send(early(CHUNKED));
        await line.heard(1);
        line.send(`zz\r\n${order}`);
      },
    ],
  ])('that is none, %s, has one answer', async (_, play) => {
    const line = await open();
    await play(line);
    await line.ended();
    await line.cutWhileSending('0');
    expect(line.answers()).toHaveLength(1);
  });

  test('comes after the answers to what came before it', async () => {
    const line = await open();
    line.send(reading + early(CHUNKED) + chunk('{}'));
    await line.ended();
    expect(await line.heard(2)).toEqual(['200 keep-alive', '501 close']);
  });
});

describe('a body of a length', () => {
  test('that comes late is read past, whatever it looks like, and the next request is answered', async () => {
    const line = await open();
    line.send(early(`Content-Length: ${order.length}`));
    expect(await line.heard(1)).toEqual(['501 keep-alive']);
    line.send(order.slice(0, 50));
    line.send(order.slice(50) + reading);
    expect(await line.heard(2)).toEqual(['501 keep-alive', '200 keep-alive']);
  });

  test('that is whole and no JSON keeps its line, and what follows it is answered', async () => {
    const line = await open();
    line.send(`${head('POST /v1/orders', bearer, 'Idempotency-Key: k', 'Content-Length: 2')}{x${reading}`);
    expect(await line.heard(2)).toEqual(['400 keep-alive', '200 keep-alive']);
  });

  test.each([
    ['HTTP/1.0', 'Host: localhost'],
    ['HTTP/1.1', 'Connection: close'],
  ])('that is no JSON ends the line of a client that wants that: %s, %s', async (version, header) => {
    const line = await open();
    const asked = head('POST /v1/orders', header, bearer, 'Idempotency-Key: k', 'Content-Length: 2').replace('HTTP/1.1', version);
    line.send(`${asked}{x`);
    await line.ended();
    expect(await line.heard(1)).toEqual(['400 close']);
  });

  test('that does not come to its end is cut off in time', async () => {
    const line = await open();
    line.send(early(`Content-Length: ${MAX_BYTES_READ_PAST}`));
    await line.cutWhileSending('x');
    expect(await line.heard(1)).toEqual(['501 keep-alive']);
  });

  test('that is too long has its answer, and what follows it is not done', async () => {
    const line = await open();
    line.send(early(`Content-Length: ${tooLong.length}`) + tooLong + order);
    await line.ended();
    expect(await line.heard(1)).toEqual(['501 close']);
  });
});

describe.each([
  ['of a stranger', 401, 'POST /v1/orders', []],
  ['of an operation', 413, 'POST /v1/orders', [bearer, 'Idempotency-Key: k']],
  ['of a read', 200, 'GET /health', []],
  ['of nothing that there is', 404, 'POST /v1/nothing', []],
])('a body that is too long, %s,', (_, status, line, headers) => {
  test('ends its line, and what follows it is not done', async () => {
    const socket = await open();
    socket.send(head(line, ...headers, `Content-Length: ${tooLong.length}`) + tooLong + order);
    await socket.ended();
    expect(await socket.heard(1)).toEqual([`${status} close`]);
  });
});

test('what follows an expectation that is not met is not done', async () => {
  const line = await open();
  line.send(request('GET /health', ['Expect: 200-maybe']).replace('Connection: close\r\n', '') + order);
  await line.ended();
  expect(await line.heard(1)).toEqual(['400 close']);
});
