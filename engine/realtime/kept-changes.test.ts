/** What is kept in files comes back as it was, or not at all: whatever the files were left like, and wherever a start begins. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gathered, LiveModel, openProjection } from '#projection/projection.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { historyOf } from '#projection/testing/any-history.ts';
import type { History } from '#simulation/history.ts';
import { KeptChanges } from './kept-changes.ts';
import { RecentChanges } from './recent-changes.ts';
import { ToldService } from './testing/told-service.ts';

const WINDOW = { replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 20, replayWindowRecords: 10_000 };

let directory: string;
let lines: string[];
let defects: unknown[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'openperp-kept-'));
  lines = [];
  defects = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  expect(defects).toEqual([]);
});

/** Groups of three records each. */
function groupOf(sequence: number): CoveringGroup {
  const number = Math.floor((sequence - 1) / 3);
  return {
    number,
    firstSequence: 3 * number + 1,
    lastSequence: 3 * number + 3,
    digest: `${number}`,
    previousDigest: '',
  } as CoveringGroup;
}

function changesOf(count: number): readonly RecordChanges[] {
  const history = historyOf([]);
  while (history.records.length < count) {
    history.limit(1, 'buy', 9_990, 10);
    history.limit(2, 'sell', 9_990, 10);
    history.price(10_000 + (history.records.length % 5));
  }
  const projection = openProjection(':memory:');
  const model = new LiveModel(gathered(projection.livePieces()));
  projection.close();
  return history.records.map((record) => model.fold(record, groupOf(record.sequence))).slice(0, count);
}

function keptIn(window = WINDOW, folder = directory): KeptChanges {
  return new KeptChanges({ directory: folder, ...window, log: (line) => lines.push(line), onDefect: (it) => defects.push(it) });
}

/** One process: begins at a place, takes in what was kept, adds what comes, and ends. */
async function lived(all: readonly RecordChanges[], from: number, to: number, window = WINDOW): Promise<RecentChanges> {
  const kept = keptIn(window);
  const recent = new RecentChanges(window, from);
  const before = kept.restore({ sequence: from, chainDigest: groupOf(from).digest });
  if (before !== undefined) recent.restore(before);
  for (const changes of all.slice(from, to)) kept.add(changes.sequence, changes.group, recent.add(changes), recent.columns);
  await kept.close();
  return recent;
}

/** All that is known, as JSON: of orders only what they became is kept. */
function known(recent: RecentChanges): readonly string[] {
  return Array.from({ length: recent.newest - recent.oldest }, (_, index) =>
    JSON.stringify(recent.read(recent.oldest + index + 1)),
  );
}

const files = () => readdirSync(directory).sort();
const last = () => join(directory, files().at(-1)!);

describe('changes that are kept in files', () => {
  const all = changesOf(300);

  test('are known after a start, start after start, as if there had been none', async () => {
    await lived(all, 0, 99);
    const second = await lived(all, 99, 150);
    expect(second.oldest).toBe(0);
    // The next one begins before where the last one ended, as after a kill.
    const third = await lived(all, 120, 300);
    const never = new RecentChanges(WINDOW, 0);
    for (const changes of all) never.add(changes);
    expect(third.oldest).toBe(0);
    expect(known(third)).toEqual(known(never));
    expect(lines).toEqual([]);
    expect(statSync(last()).mode & 0o077).toBe(0);
  });

  test('count up to where they are whole', async () => {
    await lived(all, 0, 120);
    truncateSync(last(), statSync(last()).size - 5);
    expect((await lived(all, 117, 117)).oldest).toBe(0);
    const bytes = readFileSync(last());
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(last(), bytes);
    expect((await lived(all, 117, 117)).oldest).toBe(117);
    expect(files()).toEqual([]);
  });

  test('count for nothing where they end before the place of a start, are of another journal, or of another version', async () => {
    await lived(all, 0, 120);
    expect((await lived(all, 123, 123)).oldest).toBe(123);
    expect(files()).toEqual([]);
    await lived(all, 0, 120);
    expect(keptIn().restore({ sequence: 120, chainDigest: 'another' })).toBeUndefined();
    expect(files()).toEqual([]);
    await lived(all, 0, 120);
    const text = readFileSync(last(), 'latin1');
    writeFileSync(last(), text.replace('"format":"1 ', '"format":"0 '), 'latin1');
    expect((await lived(all, 120, 120)).oldest).toBe(120);
  });

  test('before a gap count for nothing', async () => {
    await lived(all, 0, 60);
    const kept = keptIn();
    kept.restore({ sequence: 60, chainDigest: groupOf(60).digest });
    const recent = new RecentChanges(WINDOW, 90);
    for (const changes of all.slice(90, 120)) kept.add(changes.sequence, changes.group, recent.add(changes), recent.columns);
    await kept.close();
    expect((await lived(all, 120, 120)).oldest).toBe(90);
  });

  test('in other columns than those of now are forgotten with the first row that shows it', async () => {
    await lived(all, 0, 120);
    const kept = keptIn();
    const recent = new RecentChanges(WINDOW, 120);
    recent.restore(kept.restore({ sequence: 120, chainDigest: groupOf(120).digest })!);
    const traded = all.slice(120).find(({ trades }) => trades.length > 0)!;
    const [trade] = traded.trades;
    const wider = { ...traded, sequence: 121, trades: [{ ...trade, newColumn: 7 }] } as unknown as RecordChanges;
    kept.add(121, wider.group, recent.add(wider), recent.columns);
    expect(recent.oldest).toBe(120);
    expect(recent.read(121).trades).toEqual(wider.trades);
    await kept.close();
    const group = wider.group;
    expect(keptIn().restore({ sequence: 121, chainDigest: group.digest })?.records).toHaveLength(1);
  });

  test('take up so much and no more, and the window is whole all the same', async () => {
    const window = { ...WINDOW, replayWindowBytes: 40_000 };
    const recent = await lived(all, 0, 300, window);
    const size = files().reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(size).toBeLessThan(1.6 * window.replayWindowBytes);
    expect((await lived(all, 300, 300, window)).oldest).toBeLessThanOrEqual(recent.oldest);
    for (let start = 0; start < 50; start += 1) await lived(all, 297, 300, window);
    expect(files().length).toBeLessThanOrEqual(33);
  });

  test('that the disk does not take are done without, which is said once; the next ones are kept again', async () => {
    const place = join(directory, 'not-a-folder');
    appendFileSync(place, 'x');
    const kept = keptIn(WINDOW, place);
    expect(kept.restore({ sequence: 0, chainDigest: '' })).toBeUndefined();
    const recent = new RecentChanges(WINDOW, 0);
    for (const changes of all.slice(0, 30)) kept.add(changes.sequence, changes.group, recent.add(changes), recent.columns);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    rmSync(place);
    await kept.close();
    expect(lines).toEqual([expect.stringMatching(/^realtime: a start will not replay what was before now: .*(EEXIST|ENOTDIR)/)]);
  });
});

describe('a service that begins where another one ended', () => {
  test('replays what was told before, to the byte', async () => {
    const limits = { replayWindowMs: 10 ** 12 };
    const first = await ToldService.start(undefined, limits, [], [], directory);
    const { history } = first;
    const from = history.records.length;
    const trade = (on: History) => {
      on.limit(1, 'buy', 10_000, 2);
      on.limit(2, 'sell', 10_000, 1);
      on.price(10_010);
    };
    const channels = ['account.orders', 'account.positions', 'account.pnl', 'account.margin', 'account.durability'];
    const follow = async (service: ToldService, fromSequence?: number) => {
      const client = await service.connectAs(1);
      for (const channel of channels) await client.subscribed(channel, { accountId: 'acct-1' }, fromSequence);
      return client;
    };
    const before = await follow(first);
    for (let count = 0; count < 20; count += 1) trade(history);
    first.tell();
    first.service.flush();
    await before.drained();
    await first.stop();
    const second = await ToldService.start(history, limits, [], [], directory);
    const after = await follow(second, from);
    for (const channel of channels) {
      expect(before.updates(channel).length).toBeGreaterThan(0);
      expect(after.updates(channel)).toEqual(before.updates(channel));
    }
    const told = after.updates('account.orders').length;
    trade(history);
    second.tell();
    second.service.flush();
    await after.drained();
    expect(after.updates('account.orders').length).toBeGreaterThan(told);
    // One that keeps nothing says so.
    const third = await ToldService.start(history, limits);
    const client = await third.connectAs(1);
    const answer = await client.ask({ op: 'subscribe', channel: 'account.orders', accountId: 'acct-1', fromSequence: from });
    expect(answer).toMatchObject({ code: 'resync_required', resyncCause: 'not_kept', oldestSequence: history.records.length });
  });
});
