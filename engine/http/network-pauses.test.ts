/** Paused networks: what is paused stays so until its network may send again, and nothing else is paused or resumed. */
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import { CHUNKS_OF_A_REQUEST, FREE_OF_A_READ } from './pipelined-requests.ts';
import { pausingServer } from './testing/pausing-server.ts';

const READ = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const UNENDED = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n';
/** Just more than a network may send at once. */
const TOO_MANY = FREE_OF_A_READ + 8_192 / CHUNKS_OF_A_REQUEST + 1;

test('pauses a connection whose last request of a read has not ended', async () => {
  const answersOthers: RequestListener = (request, response) => {
    if (request.socket.remoteAddress === '127.0.0.2') response.end('x');
  };
  const { time, open, received, arePaused } = await pausingServer([], answersOthers);
  const [hostile, other] = [await open(), await open('127.0.0.2')];
  hostile.send(READ.repeat(TOO_MANY) + UNENDED);
  await eventually(() => expect(arePaused()[0]).toBe(true));
  const [before = 0] = received();
  hostile.send(`x${READ}`);
  for (let sent = 1; sent <= 3; sent += 1) {
    other.send(READ);
    await other.answered(sent);
  }
  expect(received()[0]).toBe(before);
  await time.advance(2_000);
  await eventually(() => expect(received()[0]).toBe(before + 1 + READ.length));
});

test('does not read more of a body that is not taken when its network may send again', async () => {
  const takesNoBody: RequestListener = (request, response) => {
    if (request.method === 'GET') response.end('x');
  };
  const { time, open, received, arePaused } = await pausingServer([], takesNoBody);
  const [waiting, other] = [await open(), await open()];
  waiting.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16000000\r\n\r\n${'x'.repeat(16_000_000)}`);
  await eventually(() => expect(arePaused()[0]).toBe(true));
  const [before] = received();
  for (const [round, count] of [TOO_MANY - 1, TOO_MANY].entries()) {
    other.send(READ.repeat(count));
    await other.answered(round === 0 ? count : TOO_MANY - 1 + count);
    await time.advance(3_000);
    expect([received()[0], arePaused()]).toEqual([before, [true, false]]);
  }
});
