/** Bodies in many chunks are refused, and a network that sends too many is paused. Clients of other networks do not wait. */
import { describe, expect, test } from 'vitest';
import { pausingServer } from '#http/testing/pausing-server.ts';
import { bearer, json, useServer } from '#http/testing/unreached-venue.ts';
import { eventually } from '#time/testing/eventually.ts';
import { DEFAULT_HTTP_LIMITS } from './ports.ts';

const server = useServer();
const proxied = useServer({
  trustedProxies: ['127.0.0.1'],
  // No tokens refill, and no request times out.
  steadyClock: { elapsedMs: () => 0 },
  limits: { ...DEFAULT_HTTP_LIMITS, requestTimeoutMs: 600_000 },
});

/** The body in chunks of one byte, without the last chunk. */
function unended(body: string, ...headers: string[]): string {
  const head = ['POST /v1/orders HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', ...headers, '', ''];
  return `${head.join('\r\n')}${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}`;
}

function chunked(body: string, ...headers: string[]): string {
  return `${unended(body, 'Connection: close', ...headers)}0\r\n\r\n`;
}

/** A body with all chunks that a body and its network may have; one with those of one more step; and one with both. */
const ALL = 'x'.repeat(64 + 8_192);
const ONE_STEP = 'x'.repeat(64 + 256);
const TOO_MANY = 'x'.repeat(64 + 8_192 + 256);

describe('a body in chunks', () => {
  const answerTo = async (body: string) =>
    JSON.parse(String((await server.only(chunked(body, bearer, json, 'Idempotency-Key: k'))).body));

  test('is read up to the maximum of chunks', async () => {
    expect(await answerTo(`{}${' '.repeat(62)}`)).toMatchObject({ code: 'invalid_request' });
  });

  test('is refused beyond it, however short it is and however it starts', async () => {
    const refusal = { code: 'payload_too_large', safeMessage: expect.stringMatching(/more than 64 chunks.*Content-Length/) };
    for (const length of [63, 3_000]) expect(await answerTo(`{}${' '.repeat(length)}`)).toMatchObject(refusal);
  });

  test('through a trusted proxy is refused before its end if its network sent too many, and its connection closes', async () => {
    const { status, headers, body } = await proxied.only(
      unended(TOO_MANY, bearer, json, 'Idempotency-Key: k', 'X-Forwarded-For: 203.0.113.9'),
    );
    expect([status, headers.connection, JSON.parse(body).code]).toEqual([413, 'close', 'payload_too_large']);
  });
});

const READ = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('pauses a network that sends too many chunks until its tokens refill, closes no connection, and delays no other network', async () => {
  const { time, open, arePaused } = await pausingServer();
  const [hostile, neighbor, other] = [await open(), await open(), await open('127.0.0.2')];
  hostile.send(chunked('x'.repeat(12_000)));
  await eventually(() => expect(arePaused()).toEqual([true, true, false]));
  neighbor.send(READ);
  const late = await open();
  late.send(READ);
  for (const connection of [other, await open('127.0.0.2')]) {
    connection.send(READ);
    await connection.responded();
  }
  expect([neighbor.isAnswered(), late.isAnswered()]).toEqual([false, false]);
  await eventually(async () => {
    await time.advance(1_000);
    expect([hostile, neighbor, late].map((connection) => connection.isAnswered())).toEqual([true, true, true]);
  });
  await time.advance(2_000);
  expect(time.timerCount).toBe(0);
});

test('keeps a connection paused when the body with too many chunks ends', async () => {
  const { time, open, arePaused } = await pausingServer();
  const [hostile] = [await open(), await open()];
  hostile.send(`${unended(ALL)}0\r\n\r\n`);
  await hostile.responded();
  expect(arePaused()).toEqual([false, false]);
  // Arrives in one read.
  hostile.send(`${unended(ONE_STEP)}0\r\n\r\n`);
  await hostile.responded(2);
  expect(arePaused()).toEqual([true, true]);
  hostile.send(READ);
  await time.advance(4_000);
  await hostile.responded(3);
  expect([arePaused(), time.timerCount]).toEqual([[false, false], 0]);
});

test('counts chunks of a body that is refused unread', async () => {
  const { open, arePaused } = await pausingServer([], (_, response) => response.writeHead(401).end('x'));
  const [hostile] = [await open(), await open()];
  hostile.send(unended(TOO_MANY));
  await eventually(() => expect(arePaused()).toEqual([true, true]));
});

test('counts chunks of a body whose expectation is refused', async () => {
  const { open, arePaused } = await pausingServer([], (_, response) => response.writeHead(400).end('x'));
  const [hostile] = [await open(), await open()];
  hostile.send(unended(TOO_MANY, 'Expect: y'));
  await eventually(() => expect(arePaused()).toEqual([true, true]));
});

test('ends only the body with too many chunks through a trusted proxy, and pauses no other connection of the proxy', async () => {
  const { time, open, arePaused } = await pausingServer(['127.0.0.1']);
  const [hostile, neighbor] = [await open(), await open()];
  hostile.send(unended(TOO_MANY, 'X-Forwarded-For: 203.0.113.9'));
  await hostile.responded();
  const late = await open();
  for (const connection of [neighbor, late]) {
    connection.send(READ);
    await connection.responded();
  }
  expect(arePaused().slice(1)).toEqual([false, false]);
  neighbor.send(chunked('x'.repeat(3_000), 'X-Forwarded-For: 203.0.113.10'));
  await neighbor.responded(2);
  const same = await open();
  same.send(unended(ONE_STEP, 'X-Forwarded-For: 203.0.113.9'));
  await same.responded();
  await time.advance(4_000);
  expect(time.timerCount).toBe(0);
});

test('reads a new connection of a trusted proxy, although it names no client', async () => {
  const { open, arePaused } = await pausingServer(['127.0.0.1']);
  const hostile = await open();
  hostile.send(unended(TOO_MANY));
  await hostile.responded();
  const late = await open();
  late.send(READ);
  await late.responded();
  expect(arePaused().at(-1)).toBe(false);
});
