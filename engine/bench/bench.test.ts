import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { ATTACKS } from './attack-rows.ts';
import { inSmall, PROFILES } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import { renderTable } from './part.ts';
import { PeerContender } from './peer-contender.ts';
import { ratioOf, spreadOf } from './race.ts';
import { VenueContender } from './venue-contender.ts';

interface FanOutSample {
  readonly updatesPerSecond: number;
  readonly frames: number;
}

/** Like `npm run bench`, in small: tests whether it works, not how fast. */
function bench(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['engine/bench/main.ts', '--quick', ...options], { encoding: 'utf8' });
}

/** The default parts run once; each test checks its own. */
let figures: ReturnType<typeof JSON.parse>;

beforeAll(() => {
  const { status, stdout, stderr } = bench('--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  figures = JSON.parse(stdout);
});

test('compares every profile with every peer, and prints one object for programs', () => {
  for (const peer of ['nodejs-order-book', 'hft-limit-order-book']) {
    expect(Object.keys(figures.ratio[peer])).toEqual(PROFILES.map(({ name }) => name));
    for (const ratio of Object.values(figures.ratio[peer])) expect(ratio).toBeGreaterThan(0);
  }
  for (const { name } of PROFILES) expect(figures.book[name].outcome.trades).toBeGreaterThan(0);
  expect(figures.wholeTurns.turnsPerSecond).toBeGreaterThan(0);
  expect(figures.durableCommits.paces).toHaveLength(2);
  for (const { perSecond, p99Ms, refused, refusedBefore } of figures.durableCommits.paces) {
    expect(perSecond).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThan(0);
    expect(refused + refusedBefore).toBe(0);
  }
  expect(figures.wholeTurns.outcome).toMatchObject({
    OrderAccepted: expect.any(Number),
    'refused: insufficient_margin': expect.any(Number),
  });
});

test('measures journal, replay, snapshots and recovery', () => {
  const { journal, snapshot, replay, recovery } = figures;
  for (const row of [journal.journal, journal.bareDisk, journal.withoutDisk]) {
    expect(row.commandsPerSecond.median).toBeGreaterThan(0);
    expect(row.bytesPerSecond.median / row.commandsPerSecond.median).toBeCloseTo(journal.bytes / journal.commands, -2);
  }
  expect(journal.bareDisk.ofDisk).toEqual({ median: 1, lowest: 1, highest: 1 });
  expect(snapshot).toMatchObject({ accounts: 100, make: { median: expect.any(Number) }, read: { median: expect.any(Number) } });
  expect(snapshot.made).toBeGreaterThan(0);
  expect(snapshot.whileMade.count).toBeGreaterThan(0);
  expect(snapshot.bytes).toBeGreaterThan(snapshot.openOrders * 50);
  expect(replay.perSecond.median).toBeGreaterThan(0);
  // The records after the snapshot are replayed, a tenth of the journal, and no others.
  expect(recovery.snapshotSequence / recovery.commands).toBeCloseTo(0.9, 1);
  expect(recovery.rerunCount).toBe(recovery.commands - recovery.snapshotSequence);
  expect(recovery.rerunCount).toBeGreaterThan(0);
});

test('reads full first and last pages of a long history', () => {
  const { history } = figures;
  const full = history.lists.filter(({ list }: { list: string }) => !/reference|an order|open|up to/.test(list));
  expect(full.length).toBeGreaterThan(8);
  for (const { list, first, last, bytes } of full) {
    expect(last.median / first.median, list).toBeGreaterThan(0);
    // A page at the end is as long as the first.
    expect(bytes[1] / bytes[0], list).toBeCloseTo(1, 0);
  }
  const byReference = history.lists.find(({ list }: { list: string }) => list === 'orders of a reference');
  expect(byReference.bytes[0]).toBeGreaterThan(byReference.bytes[1]);
});

test('places orders over HTTP on a venue and on a bare route', () => {
  const { ordersOverHttp } = figures;
  expect(ordersOverHttp.rounds).toHaveLength(2);
  for (const { venue, bare } of ordersOverHttp.rounds) {
    expect(Object.keys(bare.statuses)).toEqual(['202']);
    for (const { perSecond, p50Ms, p99Ms } of [venue, bare]) {
      expect(perSecond).toBeGreaterThan(0);
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    }
  }
  // New keys, new ids, accounts with money: almost no order is refused.
  const { 202: taken, ...refused } = ordersOverHttp.statuses;
  expect(taken).toBeGreaterThan(20 * Object.values(refused as Record<string, number>).reduce((sum, count) => sum + count, 0));
  expect(ordersOverHttp.ratio.median).toBeGreaterThan(0);
});

test('places orders through the ccxt class, and as a bare POST through the same exchange', () => {
  const { manners } = figures.ccxtOrders;
  expect(manners.map(({ atOnce }: { atOnce: number }) => atOnce)).toEqual([1, 16]);
  for (const { throughClass, bare, ratio } of manners)
    for (const { median } of [throughClass, bare, ratio]) expect(median).toBeGreaterThan(0);
});

test('sends book updates to many sockets, and every client verifies that no update is missing', () => {
  const { fanOut } = figures;
  expect(fanOut).toMatchObject({
    sockets: 50,
    ratio: { naive: { median: expect.any(Number) }, windowed: { median: expect.any(Number) } },
    p99Ratio: { naive: { median: expect.any(Number) }, windowed: { median: expect.any(Number) } },
  });
  for (const { flood, steady } of fanOut.rounds) {
    for (const { updatesPerSecond, frames } of [...Object.values(flood), ...Object.values(steady)] as FanOutSample[]) {
      expect(updatesPerSecond).toBeGreaterThan(0);
      expect(frames).toBeGreaterThan(0);
    }
    // The naive server sends each update as a frame of its own. The others may batch updates.
    for (const { naive, windowed, venue } of [flood, steady]) {
      expect(naive.framesPerUpdate).toBe(1);
      for (const { framesPerUpdate } of [windowed, venue]) {
        expect(framesPerUpdate).toBeGreaterThan(0);
        expect(framesPerUpdate).toBeLessThanOrEqual(1);
      }
    }
  }
});

test('measures refusals of bodies and frames compared with JSON.parse of the same bytes', () => {
  const { rows, accepted } = figures.refusals;
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['placeOrders', 'frame ping', 'all']));
  const { count, worst } = rows.at(-1);
  // Almost no hostile text is a valid request.
  expect(accepted).toBeLessThan(count / 20);
  for (const { refusalMicroseconds, parseMicroseconds } of [worst, ...rows.map((row: { worst: object }) => row.worst)])
    for (const duration of [refusalMicroseconds, parseMicroseconds]) expect(duration).toBeGreaterThan(0);
});

test('starts venues with and without history, and reads pages of it', () => {
  const { status, stdout, stderr } = bench('--json', '--only', 'start');
  expect(status, stderr).toBe(0);
  const { start } = JSON.parse(stdout);
  expect(Object.keys(start)).toEqual(['with --history 30d', 'with --history 0']);
  for (const { first, again, firstPage4h } of Object.values(start) as Record<string, { median: number }>[])
    for (const spread of [first, again, firstPage4h]) expect(spread!.median).toBeGreaterThan(0);
});

test('keeps idle and busy sockets on a trading venue without lost updates', () => {
  const { status, stdout, stderr } = bench('--json', '--only', 'sockets');
  expect(status, stderr).toBe(0);
  const { sockets } = JSON.parse(stdout);
  expect(sockets).toMatchObject({ lost: 0, mibPerMinute: expect.any(Number) });
  expect(sockets.frames).toBeGreaterThan(100);
});

test('measures attacks by orders, reads and pings of a polite client', () => {
  const { status, stdout, stderr } = bench('--json', '--only', 'attacks');
  expect(status, stderr).toBe(0);
  const { rows, rounds } = JSON.parse(stdout).attacks;
  expect(rows).toHaveLength(3 * ATTACKS.length);
  for (const { p50Ratio, p99Ratio } of rows) for (const { median } of [p50Ratio, p99Ratio]) expect(median).toBeGreaterThan(0);
  for (const { name } of ATTACKS)
    for (const { baseline, hostile } of rounds[name])
      for (const { crowd, polite } of [baseline, hostile]) {
        expect(crowd.sentPerSecond, name).toBeGreaterThan(0);
        expect(polite.orders.count, name).toBeGreaterThan(0);
      }
});

test('soaks a venue with commands, reads and a socket, and reports growth', () => {
  const { status, stdout, stderr } = bench('--json', '--only', 'soak');
  expect(status, stderr).toBe(0);
  const { soak } = JSON.parse(stdout);
  expect(soak.samples.length).toBeGreaterThan(5);
  for (const { residentBytes, p50Ms, p99Ms } of soak.samples) {
    expect(residentBytes).toBeGreaterThan(10 << 20);
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
  }
  expect(soak.outcomes['202']).toBeGreaterThan(0);
  expect(soak.outcomes['200']).toBeGreaterThan(0);
  expect(soak.reads).toBeGreaterThan(0);
  expect(soak.frames).toBeGreaterThan(0);
  expect(soak.trend).toMatchObject({ residentMibPerMinute: expect.any(Number), isMemoryFlat: expect.any(Boolean) });
});

test('triggers all due orders in bounded turns', () => {
  const { count, turns, p99Ms, disk } = figures.triggers;
  expect([turns, disk.turns]).toEqual([count / 50, count / 50]);
  expect(p99Ms).toBeGreaterThan(0);
  expect(disk.placements).toBeGreaterThan(0);
});

test('prints tables of the selected parts', () => {
  const { status, stdout } = bench('--only', 'whole-turns');
  expect(status).toBe(0);
  expect(stdout).toContain('Whole turns: ');
  expect(stdout).not.toContain('Book: ');
});

test('lists every part in the help, and measures nothing', () => {
  const { status, stdout } = bench('--help');
  expect(status).toBe(0);
  for (const name of ['book', 'whole-turns', 'durable-commits', 'journal', 'snapshot', 'replay', 'recovery', 'soak']) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  }
  expect(stdout).not.toContain('Node v');
});

test.each([
  [
    ['--only', 'book,latency'],
    /^bench: there is no part “latency”: book, whole-turns, durable-commits, journal, snapshot, replay, recovery, history, orders-over-http, ccxt-orders, fan-out, refusals, agents, triggers, attacks, soak, sockets, start, beside\n$/,
  ],
  [['--onyl', 'book'], /^bench: Unknown option '--onyl'.*; see npm run bench -- --help\n$/],
])('refuses %j in one line before it measures anything', (options, line) => {
  const { status, stdout, stderr } = bench(...options);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(line);
});

test.each(PROFILES)('generates the flow of $name with its shares, the same for the same seed only', (profile) => {
  const flow = orderFlow(inSmall(profile), 3);
  expect(flow.shares.cross + flow.shares.sweep).toBeGreaterThan(0.2);
  expect(flow.shares.cancel).toBeGreaterThan(0.2);
  const outcome = new VenueContender(flow).outcome();
  expect(new VenueContender(orderFlow(inSmall(profile), 3)).outcome()).toEqual(outcome);
  expect(new VenueContender(orderFlow(inSmall(profile), 4)).outcome()).not.toEqual(outcome);
});

test('refuses a book with different results', () => {
  const profile = inSmall(PROFILES[0]!);
  const [flow, other] = [orderFlow(profile, 3), orderFlow(profile, 3)];
  expect(new PeerContender('nodejs-order-book', 'digits', flow).outcome()).toEqual(new VenueContender(flow).outcome());
  other.commands.dropLast();
  expect(new PeerContender('nodejs-order-book', 'digits', other).outcome()).not.toEqual(new VenueContender(flow).outcome());
});

test('computes the median of the ratios of each round', () => {
  const result = (laps: number[]) => ({
    name: '',
    laps,
    introduction: { version: '', manner: '', work: '', outcome: {}, firstSample: 0 },
  });
  expect(ratioOf(result([10, 60, 20]), result([1, 2, 1]))).toEqual({ median: 20, lowest: 10, highest: 30 });
  expect(spreadOf([4, 1])).toEqual({ median: 2.5, lowest: 1, highest: 4 });
});

test('aligns tables', () => {
  const rows = [
    ['one', '1'],
    ['eleven', '11'],
  ];
  expect(renderTable({ title: 'T', notes: ['n'], columns: ['', 'count'], rows })).toBe(
    'T\n  n\n        count\n──────  ─────\none         1\neleven     11',
  );
});

test('compares a checkout with another by CPU time when selected', () => {
  const { status, stdout } = bench('--json', '--only', 'beside');
  expect(status).toBe(0);
  const { beside } = JSON.parse(stdout);
  expect(Object.keys(beside)).toEqual(['book', 'whole-turns', 'orders-over-http']);
  for (const part of Object.values<{ pairs: number; ratio: { median: number } }>(beside)) {
    expect(part.pairs).toBe(1);
    expect(part.ratio.median).toBeGreaterThan(0);
  }
});
