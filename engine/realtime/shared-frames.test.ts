/**
 * Frames that one client sends on many sockets: they share a budget, other clients are not delayed, and no socket is closed for
 * it.
 */
import { describe, expect, test, vi } from 'vitest';
import { maxJsonBytes } from '#contract/json-extent.ts';
import { authFrame, pingFrame, subscribeFrame, unsubscribeFrame } from '#contract/realtime.ts';
import { CHANNELS } from '#contract/realtime-channels.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { eventually } from '#time/testing/eventually.ts';
import { RecordedService, storedGroup } from './testing/recorded-service.ts';
import type { SocketClient } from './testing/socket-client.ts';

const ELSEWHERE = '127.0.0.2';
/** Seven at once, and no more before the test moves the clock. */
const FEW = { sharedFrameBurst: 7, sharedFramesPerSecond: 10 };

async function withStoppedClock(limits: Partial<typeof REALTIME_LIMITS> | object) {
  const service = await RecordedService.start(undefined, limits);
  service.steadyStoppedAtMs = 0;
  return service;
}

const pongsOf = (clients: readonly SocketClient[]) =>
  clients.reduce((sum, { frames }) => sum + frames.filter(({ type }) => type === 'pong').length, 0);

function pingAll(clients: readonly SocketClient[], times: number): void {
  for (let count = 0; count < times; count += 1) for (const client of clients) client.send({ op: 'ping' });
}

describe('frames of sockets', () => {
  test('share a budget if they are unauthenticated and of one network', async () => {
    const service = await withStoppedClock(FEW);
    const crowd = [await service.connect(), await service.connect(), await service.connect()];
    const other = await service.connect(ELSEWHERE);
    pingAll(crowd, 5);
    await eventually(() => expect(pongsOf(crowd)).toBe(7));
    await other.drained();
    service.steadyAheadMs += 600;
    await eventually(() => expect(pongsOf(crowd)).toBe(13));
    await other.drained();
    expect(pongsOf(crowd)).toBe(13);
    service.steadyAheadMs += 600;
    await eventually(() => expect(pongsOf(crowd)).toBe(15));
    for (const client of [...crowd, other]) expect(client.closed).toBeUndefined();
  });

  test('share a budget if they are of one account, on any network', async () => {
    const service = await withStoppedClock(FEW);
    const crowd = [await service.connectAs(1), await service.connectAs(1, 'key', ELSEWHERE)];
    const other = await service.connectAs(2, 'key', ELSEWHERE);
    pingAll(crowd, 5);
    await eventually(() => expect(pongsOf(crowd)).toBe(7));
    await other.drained();
    await (await service.connect()).drained();
    expect(pongsOf(crowd)).toBe(7);
    service.steadyAheadMs += 600;
    await eventually(() => expect(pongsOf(crowd)).toBe(10));
  });

  test('count when they were sent if they wait: a socket within its own limit is not closed', async () => {
    const service = await withStoppedClock({ ...FEW, frameBurst: 10, framesPerSecond: 10 });
    const [waiting, other] = [await service.connect(), await service.connect(ELSEWHERE)];
    pingAll([waiting], 10);
    await eventually(() => expect(pongsOf([waiting])).toBe(7));
    await other.drained();
    // The server no longer reads it. What it sends in two seconds arrives all at once.
    pingAll([waiting], 20);
    service.steadyAheadMs += 2_000;
    await eventually(() => {
      service.steadyAheadMs += 100;
      expect(pongsOf([waiting])).toBe(30);
    });
    expect(waiting.closed).toBeUndefined();
  });

  test('do not count as silence while they wait', async () => {
    const service = await withStoppedClock({ sharedFrameBurst: 7, sharedFramesPerSecond: 0.001, idleMs: 400 });
    const [waiting, silent] = [await service.connect(), await service.connect(ELSEWHERE)];
    for (const { socket } of [waiting, silent]) socket.pong = () => {};
    pingAll([waiting], 9);
    // A WebSocket pong may have used one of the seven tokens.
    await eventually(() => expect(pongsOf([waiting])).toBeGreaterThanOrEqual(6));
    await silent.drained();
    service.steadyAheadMs += 1_000;
    expect((await silent.closes()).reason).toBe('idle');
    expect(pongsOf([waiting])).toBeLessThan(8);
    expect(waiting.closed).toBeUndefined();
  });

  test('count by their bytes', async () => {
    const service = await withStoppedClock({ frameBurst: 8, framesPerSecond: 0.01 });
    const [short, long] = [await service.connect(), await service.connect()];
    pingAll([short], 8);
    await eventually(() => expect(pongsOf([short])).toBe(8));
    for (let count = 0; count < 3; count += 1) long.send(`{"op":"ping"${' '.repeat(700)}}`);
    expect((await long.closes()).reason).toBe('too_many_frames');
    expect(pongsOf([long])).toBe(2);
    expect(short.closed).toBeUndefined();
  });

  test('may be as long as the longest declared one, and no longer', async () => {
    const declared = Object.values(CHANNELS).flatMap((channel) => [subscribeFrame(channel), unsubscribeFrame(channel)]);
    const longest = Math.max(...[authFrame, pingFrame, ...declared].map(maxJsonBytes));
    expect(REALTIME_LIMITS.maxFrameBytes).toBe(Math.ceil(longest / 1_024) * 1_024);
    const service = await RecordedService.start();
    const client = await service.connect();
    client.send(`{"op":"ping"${' '.repeat(1_024 - 13)}}`);
    await eventually(() => expect(pongsOf([client])).toBe(1));
    client.send(`{"op":"ping"${' '.repeat(1_024 - 12)}}`);
    expect((await client.closes()).code).toBe(1009);
  });
});

describe('a service that is too far behind', () => {
  const LATE_MS = 6_000;

  async function busy() {
    const service = await withStoppedClock({});
    const [expensive, accomplice, other] = [await service.connect(), await service.connect(), await service.connect(ELSEWHERE)];
    // Each auth frame takes longer than one event loop of an idle thread.
    vi.spyOn(service.tickets, 'authenticate').mockImplementation(async () => {
      service.steadyAheadMs += 600;
      return { failure: 'invalid' };
    });
    const publishLate = () => {
      service.history.price(10_001);
      service.service.follow(
        storedGroup(service.history, service.history.records.length - 1),
        service.steadyClock.elapsedMs() - LATE_MS,
      );
    };
    return { service, expensive, accomplice, other, publishLate };
  }

  test('closes only the sockets whose frames took the time', async () => {
    const { service, expensive, accomplice, other, publishLate } = await busy();
    for (let count = 0; count < 3; count += 1) await expensive.request({ op: 'auth', ticket: 'A'.repeat(43) });
    publishLate();
    expect((await expensive.closes()).reason).toBe('overloaded');
    expect((await accomplice.closes()).reason).toBe('overloaded');
    // Later groups are late as well.
    publishLate();
    await other.drained();
    expect(service.service.counts().closed.overloaded).toBe(2);
    service.steadyAheadMs += 5_000;
    publishLate();
    expect((await other.closes()).reason).toBe('overloaded');
  });

  test('closes unauthenticated sockets before accounts, those of the most expensive network first', async () => {
    const { service, expensive, other, publishLate } = await busy();
    vi.spyOn(service.tickets, 'authenticate').mockRestore();
    const own = await service.connectAs(1);
    vi.spyOn(service.tickets, 'authenticate').mockImplementation(async () => {
      service.steadyAheadMs += 100;
      return { failure: 'invalid' };
    });
    const late = async (...closed: readonly SocketClient[]) => {
      publishLate();
      for (const client of closed) expect((await client.closes()).reason).toBe('overloaded');
      service.steadyAheadMs += 5_000;
    };
    await expensive.request({ op: 'auth', ticket: 'A'.repeat(43) });
    await late(expensive);
    await other.drained();
    await late(other);
    await own.drained();
    await late(own);
  });
});
