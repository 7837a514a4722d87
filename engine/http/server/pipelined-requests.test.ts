/** Pipelined requests: a network that sends too many is paused. Clients of other networks do not wait. */
import { expect, test } from 'vitest';
import { pausingServer } from '#http/testing/pausing-server.ts';
import { eventually } from '#time/testing/eventually.ts';
import { FREE_REQUESTS_PER_READ, MAX_CHUNKS_PER_REQUEST } from './pipelined-requests.ts';

const READ = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** The requests that a network may send at once in addition to the free ones. */
const BURST = 8_192 / MAX_CHUNKS_PER_REQUEST;
const SOME = FREE_REQUESTS_PER_READ + BURST;

test('pauses a network that pipelines too many requests, responds to them all, and resumes it', async () => {
  const { time, open, arePaused } = await pausingServer();
  const [hostile, neighbor, other] = [await open(), await open(), await open('127.0.0.2')];
  hostile.send(READ.repeat(2 * SOME));
  await hostile.responded(2 * SOME);
  expect(arePaused()).toEqual([true, true, false]);
  neighbor.send(READ);
  for (const connection of [other, await open('127.0.0.2')]) {
    connection.send(READ);
    await connection.responded();
  }
  expect(neighbor.isAnswered()).toBe(false);
  await eventually(async () => {
    await time.advance(250);
    expect(neighbor.isAnswered()).toBe(true);
  });
  await time.advance(2_000);
  expect([arePaused().slice(0, 3), time.timerCount]).toEqual([[false, false, false], 0]);
});

test.each([
  ['with an unsupported expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n'],
  ['with Expect: 100-continue', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n'],
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
])('counts requests %s', async (_, request) => {
  const { open, arePaused } = await pausingServer();
  const connection = await open();
  connection.send(request.repeat(2 * SOME));
  await connection.responded(2 * SOME);
  expect(arePaused()).toEqual([true]);
});

test('does not pause a network that pipelines a few at a time', async () => {
  const { open, arePaused } = await pausingServer();
  const connection = await open();
  for (let round = 1; round <= BURST; round += 1) {
    connection.send(READ.repeat(FREE_REQUESTS_PER_READ));
    await connection.responded(round * FREE_REQUESTS_PER_READ);
  }
  connection.send(READ.repeat(SOME));
  await connection.responded(BURST * FREE_REQUESTS_PER_READ + SOME);
  expect(arePaused()).toEqual([false]);
});

test('does not count sequential requests as pipelined', async () => {
  const { open, arePaused } = await pausingServer();
  const connection = await open();
  for (let sent = 1; sent <= SOME + 1; sent += 1) {
    connection.send(READ);
    await connection.responded(sent);
  }
  expect(arePaused()).toEqual([false]);
});

test('exempts trusted proxies, which send the requests of many clients', async () => {
  const { open, arePaused } = await pausingServer(['127.0.0.1']);
  const proxy = await open();
  proxy.send(READ.repeat(2 * SOME));
  await proxy.responded(2 * SOME);
  expect(arePaused()).toEqual([false]);
});
