/** What is kept in files comes back as it was, or not at all: whatever the files were left like, and wherever a start begins. */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gathered, LiveModel, openProjection } from '#projection/projection.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { historyOf } from '#projection/testing/any-history.ts';
import type { History } from '#simulation/history.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { KeptChanges } from './kept-changes.ts';
import { ENTRY, entriesIn, recordEntry, textEntry } from './kept-entries.ts';
import { RecentChanges } from './recent-changes.ts';
import { ToldService } from './testing/told-service.ts';

const WINDOW = { replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 20, replayWindowRecords: 10_000 };

let directory: string;
let lines: string[];
let defects: unknown[];
let reached: number[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'openperp-kept-'));
  lines = [];
  defects = [];
  reached = [];
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
    previousDigest: `${number - 1}`,
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
  return new KeptChanges({
    timers: systemTime.timers,
    directory: folder,
    ...window,
    onKept: (sequence) => reached.push(sequence),
    log: (line) => lines.push(line),
    onInternalError: (it) => defects.push(it),
  });
}

/** What a start at a place finds there. */
function restored(from: number, chainDigest = groupOf(from).digest, window = WINDOW, folder = directory) {
  const kept = keptIn(window, folder);
  const recent = new RecentChanges(window, from);
  kept.restore({ sequence: from, chainDigest }, recent);
  return { kept, recent };
}

function addAll({ kept, recent }: ReturnType<typeof restored>, records: readonly RecordChanges[]): void {
  for (const changes of records) kept.add(changes.sequence, changes.group, recent.add(changes), recent.columns);
}

/** One process: begins at a place, takes in what was kept, adds what comes, and ends. */
async function lived(all: readonly RecordChanges[], from: number, to: number, window = WINDOW): Promise<RecentChanges> {
  const begun = restored(from, undefined, window);
  addAll(begun, all.slice(from, to));
  await begun.kept.close();
  return begun.recent;
}

/** All that is known, as JSON: of orders only what they became is kept. */
function known(recent: RecentChanges): readonly string[] {
  return Array.from({ length: recent.newest - recent.oldest }, (_, index) =>
    JSON.stringify(recent.read(recent.oldest + index + 1)),
  );
}

const headBytes = () => 9 + readFileSync(last()).readUInt32LE(0);

function rewriteHead(rewrite: (head: object) => object): void {
  const bytes = readFileSync(last());
  const { payload } = entriesIn(bytes).next().value!;
  const head = textEntry(ENTRY.head, JSON.stringify(rewrite(JSON.parse(String(payload)))));
  writeFileSync(last(), Buffer.concat([head, bytes.subarray(headBytes())]));
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
    expect(lines).toEqual([]);
    expect((await lived(all, 117, 117)).oldest).toBe(117);
    expect(lines).toEqual(['realtime: what was before record 118 cannot be replayed: the files do not lead up to record 117']);
    expect(files()).toEqual([]);
  });

  test('of which a file in the middle is damaged count from there on, which one start says, and the next has no need to', async () => {
    await lived(all, 0, 60);
    await lived(all, 60, 120);
    await lived(all, 120, 180);
    const second = join(directory, files()[1]!);
    const bytes = readFileSync(second);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(second, bytes);
    expect((await lived(all, 180, 210)).oldest).toBe(120);
    expect(lines).toEqual([
      'realtime: what was before record 121 cannot be replayed: the files lack what leads up to record 121',
    ]);
    expect(files()).toHaveLength(2);
    expect((await lived(all, 210, 210)).oldest).toBe(120);
    writeFileSync(join(directory, files()[0]!), '');
    expect((await lived(all, 210, 240)).oldest).toBe(180);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^realtime: what was before record 181 cannot be replayed: \d+\.changes is damaged/),
    ]);
    expect((await lived(all, 240, 240)).oldest).toBe(180);
    expect(lines).toHaveLength(2);
  });

  test('are kept again where a file lay in the place of their folder', async () => {
    const place = join(directory, 'replay');
    writeFileSync(place, 'own');
    const begun = restored(30, '', WINDOW, place);
    addAll(begun, all.slice(30, 60));
    await begun.kept.close();
    expect(lines).toEqual([expect.stringMatching(/^realtime: .+replay was no folder and is one again/)]);
    expect(restored(60, undefined, WINDOW, place).recent.oldest).toBe(30);
    expect(readFileSync(`${place}.aside-1`, 'utf8')).toBe('own');
  });

  test('are kept where a link leads nowhere in the place of their folder, which is set aside', async () => {
    const place = join(directory, 'replay');
    symlinkSync(join(directory, 'nowhere'), place);
    const begun = restored(30, '', WINDOW, place);
    addAll(begun, all.slice(30, 60));
    await begun.kept.close();
    expect(lines).toEqual([expect.stringContaining('replay.aside-1')]);
    expect(restored(60, undefined, WINDOW, place).recent.oldest).toBe(30);
  });

  test('are read without a directory in the place of a file, which is set aside at a start and while the venue runs', async () => {
    const own = (name: string) => mkdirSync(join(directory, name, 'own'), { recursive: true });
    const small = { ...WINDOW, replayWindowBytes: 40_000 };
    await lived(all, 0, 60, small);
    const [first] = files();
    own('999999999999.changes');
    const begun = restored(60, undefined, small);
    expect(begun.recent.oldest).toBeLessThan(30);
    expect(lines).toEqual([
      `realtime: 999999999999.changes was a directory, where a file belongs, and is now 999999999999.changes.aside-1`,
    ]);
    rmSync(join(directory, first!));
    own(first!);
    addAll(begun, all.slice(60, 240));
    await eventually(() => expect(lines[1]).toMatch(`realtime: ${first} was a directory, where a file belongs, and is now `));
    await begun.kept.close();
    expect(lines).toHaveLength(2);
    for (const name of [first, '999999999999.changes']) expect(readdirSync(join(directory, `${name}.aside-1`))).toEqual(['own']);
  });

  test('count for nothing where they end before the place of a start, are of another journal, or of another version', async () => {
    await lived(all, 0, 120);
    expect((await lived(all, 123, 123)).oldest).toBe(123);
    expect(files()).toEqual([]);
    await lived(all, 0, 120);
    const { kept, recent } = restored(120, 'another');
    expect(recent.oldest).toBe(120);
    await kept.close();
    expect(files()).toEqual([]);
    await lived(all, 0, 120);
    // One that may have other columns of another kind.
    rewriteHead((head) => ({ ...head, format: 'another', columns: 'no columns' }));
    expect((await lived(all, 120, 120)).oldest).toBe(120);
    expect(files()).toEqual([]);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^realtime: what was before record 121 cannot be replayed: \d+\.changes is .+of another version$/);
  });

  test('before a gap count for nothing', async () => {
    await lived(all, 0, 60);
    const { kept } = restored(60);
    addAll({ kept, recent: new RecentChanges(WINDOW, 90) }, all.slice(90, 120));
    await kept.close();
    expect((await lived(all, 120, 120)).oldest).toBe(90);
  });

  test('in other columns than those of now are forgotten with the first row that shows it', async () => {
    await lived(all, 0, 120);
    const { kept, recent } = restored(120);
    expect(recent.oldest).toBe(0);
    const traded = all.slice(120).find(({ trades }) => trades.length > 0)!;
    const [trade] = traded.trades;
    const wider = { ...traded, sequence: 121, trades: [{ ...trade, newColumn: 7 }] } as unknown as RecordChanges;
    addAll({ kept, recent }, [wider]);
    expect(recent.oldest).toBe(120);
    expect(recent.read(121).trades).toEqual(wider.trades);
    await kept.close();
    expect(restored(121, wider.group.digest).recent.oldest).toBe(120);
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
    const noFolder = join(directory, 'not-a-folder');
    const place = join(noFolder, 'replay');
    appendFileSync(noFolder, 'x');
    const begun = restored(0, '', WINDOW, place);
    addAll(begun, all.slice(0, 30));
    // Tried, and given up: nobody is to wait for those.
    await eventually(() => expect(reached).toContain(30));
    expect(lines).toEqual([expect.stringMatching(/^realtime: a start will not replay what was before now: .*(EEXIST|ENOTDIR)/)]);
    rmSync(noFolder);
    addAll(begun, all.slice(30, 90));
    await eventually(() => expect(readdirSync(place)).not.toEqual([]));
    await begun.kept.close();
    const { recent } = restored(90, undefined, WINDOW, place);
    expect(recent.oldest).toBe(30);
    expect(known(recent)).toEqual(known(begun.recent).slice(30));
    expect(lines).toHaveLength(1);
  });

  test('of which a batch was lost are followed by others that can be read without them', async () => {
    const begun = restored(0, '');
    addAll(begun, all.slice(0, 30));
    await eventually(() => expect(reached).toContain(30));
    // What waits then cannot go where the rest is; nor may it be written half.
    rmSync(last());
    addAll(begun, all.slice(30, 50));
    await eventually(() => expect(lines).toHaveLength(1));
    addAll(begun, all.slice(50, 99));
    await eventually(() => expect(files()).toHaveLength(1));
    await begun.kept.close();
    expect(restored(99).recent.oldest).toBe(50);
  });

  test('are kept on where somebody has taken their folder away', async () => {
    const begun = restored(0, '');
    addAll(begun, all.slice(0, 30));
    await eventually(() => expect(reached).toContain(30));
    rmSync(directory, { recursive: true });
    for (let from = 30; from < 60; from += 3) {
      addAll(begun, all.slice(from, from + 3));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await eventually(() => expect(reached.at(-1)).toBe(60));
    addAll(begun, all.slice(60, 120));
    await eventually(() => expect(reached.at(-1)).toBe(120));
    await begun.kept.close();
    expect(lines).toEqual([expect.stringContaining('ENOENT')]);
    expect(files()).toHaveLength(1);
    expect(restored(120).recent.oldest).toBeLessThan(60);
  });

  test('of a journal that was put back are not mixed with those of the one that went on', async () => {
    await lived(all, 0, 60);
    const other = all.map((changes) => {
      const { digest, previousDigest, ...group } = changes.group;
      const isOther = changes.sequence > 30;
      const before = group.firstSequence > 31 ? `other ${previousDigest}` : previousDigest;
      return isOther ? { ...changes, group: { ...group, digest: `other ${digest}`, previousDigest: before } } : changes;
    });
    const begun = restored(30);
    expect(begun.recent.oldest).toBe(0);
    // Those up to 45 were lost on the way to the disk.
    addAll(begun, other.slice(45, 90));
    await begun.kept.close();
    expect(restored(90, `other ${groupOf(90).digest}`).recent.oldest).toBe(45);
  });

  test.each<readonly [string, number, () => void]>([
    ['records before a head', 30, () => writeFileSync(last(), readFileSync(last()).subarray(headBytes()))],
    ['a head of another kind', 30, () => rewriteHead((head) => ({ ...head, columns: null }))],
    ['a head that is none', 30, () => appendFileSync(last(), textEntry(ENTRY.head, '{'))],
    ['a group that is none', 30, () => appendFileSync(last(), textEntry(ENTRY.group, '{'))],
    ['a record that is none', 31, () => appendFileSync(last(), recordEntry(31, Buffer.alloc(3)))],
  ])('keep no service away, whatever they are: %s', async (_, place, spoil) => {
    await lived(all, 0, 30);
    spoil();
    const begun = restored(place, groupOf(30).digest);
    expect(begun.recent.oldest).toBe(place);
    addAll(begun, all.slice(place, 60));
    await eventually(() => expect(reached).toContain(60));
    const again = restored(60);
    expect(again.recent.oldest).toBe(place);
    expect(known(again.recent)).toEqual(known(begun.recent));
    expect(files()).toHaveLength(1);
  });

  test('are not waited for when the service ends, where the disk hangs', async () => {
    const begun = restored(0, '');
    addAll(begun, all.slice(0, 30));
    await eventually(() => expect(reached).toContain(30));
    const path = last();
    rmSync(path);
    execFileSync('mkfifo', [path]);
    addAll(begun, all.slice(30, 60));
    // Whoever opens a pipe to write waits for one who reads.
    await begun.kept.close();
    expect(reached).not.toContain(60);
    const reader = openSync(path, 'r');
    await eventually(() => expect(reached).toContain(60));
    closeSync(reader);
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
