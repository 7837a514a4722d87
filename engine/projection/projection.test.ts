/** Folding a journal: repeated groups, restarts, gaps, and unusable files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { allReads } from '#simulation/all-reads.ts';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { OrderFilled } from '#venue/event.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import type { Projection } from './projection.ts';
import { discardProjection, openProjection, ProjectionForked, ProjectionGap, VenueDirectory } from './projection.ts';

const ALICE = 1 as AccountOrdinal;
let path: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'projection-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'projection.sqlite');
});

function open(): Projection {
  const projection = openProjection(path);
  onTestFinished(() => {
    try {
      projection.close();
    } catch {
      // The test has closed it.
    }
  });
  return projection;
}

function trading(): History {
  const history = History.begin(2);
  history.run({
    type: 'IssueApiKey',
    account: ALICE,
    keyId: 'k1',
    digest: 'ab'.repeat(32),
    scopes: ['read', 'trade'],
    label: 'bot',
    expiresAtEpochMs: 0 as EpochMs,
  });
  for (let round = 0; round < 4; round += 1) {
    history.limit(1, 'buy', 9_990 - round, 100);
    history.limit(1, 'sell', 10_010 + round, 100, { leverageX: 10 });
    history.market(2, round % 2 === 0 ? 'sell' : 'buy', 130);
    history.wait(40_000);
    history.price(10_000 + round * 10);
  }
  return history;
}

const all = (projection: Projection) => allReads(projection, 2, 1, ['k1']);

describe('a group', () => {
  test('changes nothing when it, or a part of it, was folded before', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 10));
    projection.follow(history.group(10));
    const before = all(projection);
    projection.follow(history.group(0, 10));
    projection.follow(history.group(10));
    projection.follow(history.group(0));
    expect(all(projection)).toEqual(before);
  });

  test('adds its new records when it overlaps the folded ones', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 10));
    projection.follow(history.group(4));
    const whole = openProjection(':memory:');
    onTestFinished(() => whole.close());
    whole.follow(history.group(0));
    expect(all(projection)).toEqual(all(whole));
  });

  test('is refused as a whole when records are missing before or within it', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 10));
    const before = all(projection);
    expect(() => projection.follow(history.group(11))).toThrow(ProjectionGap);
    const { records, chainDigest } = history.group(10);
    expect(() => projection.follow({ records: records.toSpliced(3, 1), chainDigest })).toThrow(ProjectionGap);
    expect(all(projection)).toEqual(before);
  });

  test('is of another journal when it ends at the checkpoint with another digest', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 10));
    expect(() => projection.follow({ ...history.group(5, 10), chainDigest: 'another' })).toThrow(ProjectionForked);
  });

  test('is rolled back in rows and memory when an event does not fit, and reads continue', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 12));
    const before = all(projection);
    const { records, chainDigest } = history.group(12);
    const fills = records.flatMap(({ events }) => events).filter(isMakerFill);
    // Its order stays open.
    const impossible = { ...fills.find(({ isComplete }) => !isComplete)!, quantityAtoms: 1_000_000 } as OrderFilled;
    const broken: CommittedGroup = { records: [...records.slice(0, 5), { ...records[5]!, events: [impossible] }], chainDigest };
    expect(() => projection.follow(broken)).toThrow(/would have the quantity -/);
    const unknownOrder = { ...impossible, order: 999 as OrderOrdinal };
    expect(() => projection.follow({ records: [{ ...records[0]!, events: [unknownOrder] }], chainDigest })).toThrow(/order 999/);
    expect(all(projection)).toEqual(before);
    projection.follow(history.group(12));
    const whole = openProjection(':memory:');
    onTestFinished(() => whole.close());
    whole.follow(history.group(0));
    expect(all(projection)).toEqual(all(whole));
  });
});

function isMakerFill(event: { readonly type: string; readonly liquidity?: string }): event is OrderFilled {
  return event.type === 'OrderFilled' && event.liquidity === 'maker';
}

describe('after a restart', () => {
  test('has the same state, and folds the next group', () => {
    const history = trading();
    let projection = open();
    projection.follow(history.group(0, 14));
    const before = all(projection);
    projection.close();
    projection = open();
    expect(projection).toMatchObject({ sequence: 14, chainDigest: history.group(0, 14).chainDigest });
    expect(all(projection)).toEqual(before);
    projection.follow(history.group(14));
    const whole = openProjection(':memory:');
    onTestFinished(() => whole.close());
    whole.follow(history.group(0));
    expect(all(projection)).toEqual(all(whole));
  });

  test('has everything committed by a process that did not close, and folds the rest again', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 14));
    projection.save();
    const saved = all(projection);
    projection.follow(history.group(14));
    for (const suffix of ['', '-wal', '-sums']) writeFileSync(`${path}.copy${suffix}`, readFileSync(`${path}${suffix}`));
    const copy = openProjection(`${path}.copy`);
    onTestFinished(() => copy.close());
    expect(copy).toMatchObject({ sequence: 14, chainDigest: history.group(0, 14).chainDigest });
    expect(all(copy)).toEqual(saved);
    copy.follow(history.group(0));
    expect(all(copy)).toEqual(all(projection));
  });
});

describe('a file', () => {
  test('has the same reads and digests when it is discarded and folded again', () => {
    const history = trading();
    let projection = open();
    projection.follow(history.group(0, 9));
    projection.follow(history.group(9));
    const before = all(projection);
    projection.close();
    discardProjection(path);
    expect(existsSync(path)).toBe(false);
    projection = open();
    expect(projection.sequence).toBe(0);
    projection.follow(history.group(0));
    expect(all(projection)).toEqual(before);
  });

  test.each([
    ['of another schema', () => altered("UPDATE checkpoint SET schemaDigest = 'older'")],
    ['without a checkpoint', () => altered('DROP TABLE checkpoint')],
    ['with an emptied checkpoint', () => altered('DELETE FROM checkpoint')],
    ['that is not a database', () => writeFileSync(path, 'not a database'.repeat(1_000))],
    ['with a damaged page that is not read at first', damagePageOfTrades],
    ['cut short', () => writeFileSync(path, readFileSync(path).subarray(0, 20_000))],
  ])('%s is replaced by an empty one', (_name, spoil) => {
    const history = trading();
    let projection = open();
    projection.follow(history.group(0));
    const before = all(projection);
    projection.close();
    spoil();
    projection = open();
    expect(projection).toMatchObject({ sequence: 0, chainDigest: '' });
    projection.follow(history.group(0));
    expect(all(projection)).toEqual(before);
  });

  function altered(sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  function damagePageOfTrades(): void {
    const database = new DatabaseSync(path);
    const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'trades'").get()?.rootpage);
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, (page - 1) * 4_096, page * 4_096);
    writeFileSync(path, bytes);
  }
});

describe('freshness', () => {
  test('gives the checkpoint and the current lag', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0, 10));
    expect(projection.reads.freshness()).toMatchObject({ status: 'stale', backfillStatus: 'catching_up', journalSequence: 10 });
    let lagMs = 30;
    projection.live({ now: () => history.now }, () => lagMs);
    projection.follow(history.group(10));
    const fresh = { status: 'fresh', degradedState: 'none', projectorLagMs: 30, dbReplicaLagMs: 0, backfillStatus: 'live' };
    expect(projection.reads.freshness()).toEqual({ ...fresh, journalSequence: history.sequence, asOfEpochMs: history.now });
    history.price(10_000);
    projection.follow(history.group(history.sequence - 1));
    lagMs = 5_001;
    expect(projection.reads.freshness()).toMatchObject({ status: 'stale', projectorLagMs: 5_001 });
    lagMs = 0.4;
    expect(projection.reads.freshness()).toMatchObject({ status: 'fresh', projectorLagMs: 0 });
    projection.halted();
    expect(projection.reads.freshness()).toMatchObject({ degradedState: 'venue_halted' });
  });

  test('is stale once the venue has halted', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0));
    projection.live({ now: () => history.now });
    expect(projection.reads.freshness()).toMatchObject({ status: 'fresh', degradedState: 'none' });
    projection.halted();
    expect(projection.reads.freshness()).toMatchObject({ status: 'stale', degradedState: 'venue_halted', projectorLagMs: 0 });
  });
});

describe('api keys', () => {
  test('are found by id, also when revoked', () => {
    const history = History.begin(1);
    const key = { keyId: 'k1', digest: 'ab'.repeat(32), label: 'bot', account: ALICE, expiresAtEpochMs: 0 as EpochMs } as const;
    history.run({ type: 'IssueApiKey', ...key, scopes: ['read', 'trade'] });
    const issuedAtEpochMs = history.now;
    const projection = open();
    projection.follow(history.group(0));
    const found = (keyId: string) => new VenueDirectory(projection.directory()).apiKey(keyId);
    expect(found('k1')).toEqual({ ...key, scopes: ['read', 'trade'], isRevoked: false, issuedAtEpochMs });
    history.run({ type: 'RevokeApiKey', account: ALICE, keyId: 'k1' });
    projection.follow(history.group(projection.sequence));
    expect(found('k1')).toMatchObject({ isRevoked: true });
    expect(found('k2')).toBeUndefined();
  });
});

describe('digests', () => {
  test('of positions and accounts change with their rows, not with the mark', () => {
    const history = trading();
    const projection = open();
    projection.follow(history.group(0));
    const digests = () =>
      [projection.reads.positions(ALICE), projection.reads.accountSnapshot(ALICE)].map(({ readModelDigest }) => readModelDigest);
    const equity = projection.reads.accountSnapshot(ALICE).equityAtoms;
    const before = digests();
    history.price(10_100);
    projection.follow(history.group(projection.sequence));
    expect(projection.reads.accountSnapshot(ALICE).equityAtoms).not.toBe(equity);
    expect(digests()).toEqual(before);
    history.limit(1, 'buy', 9_900, 1);
    projection.follow(history.group(projection.sequence));
    expect(digests()[0]).toBe(before[0]);
    expect(digests()[1]).not.toBe(before[1]);
    history.market(2, 'buy', 1);
    projection.follow(history.group(projection.sequence));
    expect(digests()[0]).not.toBe(before[0]);
    expect(projection.sequence).toBe(history.records.length as Sequence);
    expect(new VenueDirectory(projection.directory()).listedMarket('BTC-USD-PERP')?.market).toBe(BTC);
  });
});
