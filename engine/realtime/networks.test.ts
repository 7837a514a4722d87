/** What networks of one site share, and when networks and sites are evicted. */
import { expect, test } from 'vitest';
import { REALTIME_LIMITS, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { FrameTurns } from './frame-turns.ts';
import { Networks } from './networks.ts';

function networksWith(limits: Partial<RealtimeLimits>) {
  const time = new ManualTime();
  const turns = new FrameTurns({ burst: 1_000, perSecond: 1_000 }, time, time);
  return { time, networks: new Networks({ ...REALTIME_LIMITS, ...limits }, time, turns) };
}

test('limits a site to the tokens of some of its networks, and each IPv4 address on its own', () => {
  const { time, networks } = networksWith({ handshakeBurst: 4, handshakesPerSecond: 1, siteShare: 2 });
  const takenBy = (name: string) => {
    let taken = 0;
    while (networks.named(name).handshakes.take(1)) taken += 1;
    return taken;
  };
  expect(['2001:db8:1:1', '2001:db8:1:2', '2001:db8:1:3', '2001:db8:2:1'].map(takenBy)).toEqual([4, 4, 0, 4]);
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(takenBy)).toEqual([4, 4, 4]);
  time.pass(1_000);
  expect(['2001:db8:1:3', '2001:db8:1:4'].map(takenBy)).toEqual([2, 0]);
});

test('counts a site as expensive by the frames of all its networks', () => {
  const { time, networks } = networksWith({});
  for (let network = 1; network <= 3; network += 1) {
    const source = { waiting: [], authsWaiting: 0, pause: () => {}, resume: () => {}, fail: () => {} };
    networks.named(`2001:db8:1:${network}`).frames.admit(source, { tokens: 1, take: () => time.pass(400), isAuth: false });
  }
  expect(['2001:db8:1:9', '2001:db8:2:1'].map((name) => networks.named(name).frames.isExpensive)).toEqual([true, false]);
});

test('keeps a site while one of its counters is in use', () => {
  const { time, networks } = networksWith({ maxConnectionsPerSite: 1 });
  const network = networks.named('2001:db8:1:1');
  network.joined();
  networks.evictIdle();
  expect(networks.hasCapacity('2001:db8:1:2')).toBe(false);
  network.left();
  time.pass(100_000);
  networks.evictIdle();
  expect([networks.hasCapacity('2001:db8:1:2'), networks.named('2001:db8:1:1') === network]).toEqual([true, false]);
});
