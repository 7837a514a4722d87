/** The replay log restores changes unchanged or not at all, wherever the journal ends at the start. */
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { History } from '#simulation/history.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import { ENTRY, entriesIn, recordEntry, textEntry } from './replay-log-entries.ts';
import { RecordedService } from './testing/recorded-service.ts';
import { addAll, changesOf, groupOf, known, useReplayLogDirectory, WINDOW } from './testing/replay-log-directory.ts';

const folder = useReplayLogDirectory();

const headBytes = () => 9 + readFileSync(folder.last()).readUInt32LE(0);

function rewriteHead(rewrite: (head: object) => object): void {
  const bytes = readFileSync(folder.last());
  const { payload } = entriesIn(bytes).next().value!;
  const head = textEntry(ENTRY.head, JSON.stringify(rewrite(JSON.parse(String(payload)))));
  writeFileSync(folder.last(), Buffer.concat([head, bytes.subarray(headBytes())]));
}

describe('the replay log', () => {
  const all = changesOf(300);

  test('restores all changes, start after start', async () => {
    await folder.lived(all, 0, 99);
    const second = await folder.lived(all, 99, 150);
    expect(second.oldest).toBe(0);
    // The next start is at an earlier record, as after a kill.
    const third = await folder.lived(all, 120, 300);
    const never = new ReplayBuffer(WINDOW, 0);
    for (const changes of all) never.add(changes);
    expect(third.oldest).toBe(0);
    expect(known(third)).toEqual(known(never));
    expect(folder.lines).toEqual([]);
    expect(statSync(folder.last()).mode & 0o077).toBe(0);
  });

  test('restores changes up to a torn entry, and no changes after damage', async () => {
    await folder.lived(all, 0, 120);
    truncateSync(folder.last(), statSync(folder.last()).size - 5);
    expect((await folder.lived(all, 117, 117)).oldest).toBe(0);
    const bytes = readFileSync(folder.last());
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(folder.last(), bytes);
    expect(folder.lines).toEqual([]);
    expect((await folder.lived(all, 117, 117)).oldest).toBe(117);
    expect(folder.lines).toEqual([
      'realtime: updates before record 118 cannot be replayed: the files do not lead up to record 117',
    ]);
    expect(folder.files()).toEqual([]);
  });

  test('restores changes from after a damaged file, and logs the loss once', async () => {
    await folder.lived(all, 0, 60);
    await folder.lived(all, 60, 120);
    await folder.lived(all, 120, 180);
    const second = join(folder.path, folder.files()[1]!);
    const bytes = readFileSync(second);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(second, bytes);
    expect((await folder.lived(all, 180, 210)).oldest).toBe(120);
    expect(folder.lines).toEqual([
      'realtime: updates before record 121 cannot be replayed: the files have a gap before record 121',
    ]);
    expect(folder.files()).toHaveLength(2);
    expect((await folder.lived(all, 210, 210)).oldest).toBe(120);
    writeFileSync(join(folder.path, folder.files()[0]!), '');
    expect((await folder.lived(all, 210, 240)).oldest).toBe(180);
    expect(folder.lines.slice(1)).toEqual([
      expect.stringMatching(/^realtime: updates before record 181 cannot be replayed: \d+\.changes is damaged/),
    ]);
    expect((await folder.lived(all, 240, 240)).oldest).toBe(180);
    expect(folder.lines).toHaveLength(2);
  });

  test('restores nothing if it ends before the start, or is of another journal or version', async () => {
    await folder.lived(all, 0, 120);
    expect((await folder.lived(all, 123, 123)).oldest).toBe(123);
    expect(folder.files()).toEqual([]);
    await folder.lived(all, 0, 120);
    const { replayLog, recent } = folder.restored(120, 'another');
    expect(recent.oldest).toBe(120);
    await replayLog.close();
    expect(folder.files()).toEqual([]);
    await folder.lived(all, 0, 120);
    // A file of another version, whose header may have another shape.
    rewriteHead((head) => ({ ...head, format: 'another', columns: 'no columns' }));
    expect((await folder.lived(all, 120, 120)).oldest).toBe(120);
    expect(folder.files()).toEqual([]);
    expect(folder.lines).toHaveLength(3);
    expect(folder.lines[2]).toMatch(
      /^realtime: updates before record 121 cannot be replayed: \d+\.changes is .+of another version$/,
    );
  });

  test('restores nothing from before a gap', async () => {
    await folder.lived(all, 0, 60);
    const { replayLog } = folder.restored(60);
    addAll({ replayLog, recent: new ReplayBuffer(WINDOW, 90) }, all.slice(90, 120));
    await replayLog.close();
    expect((await folder.lived(all, 120, 120)).oldest).toBe(90);
  });

  test('discards changes of other columns with the first row that shows the difference', async () => {
    await folder.lived(all, 0, 120);
    const { replayLog, recent } = folder.restored(120);
    expect(recent.oldest).toBe(0);
    const traded = all.slice(120).find(({ trades }) => trades.length > 0)!;
    const [trade] = traded.trades;
    const wider = { ...traded, sequence: 121, trades: [{ ...trade, newColumn: 7 }] } as unknown as RecordChanges;
    addAll({ replayLog, recent }, [wider]);
    expect(recent.oldest).toBe(120);
    expect(recent.read(121).trades).toEqual(wider.trades);
    await replayLog.close();
    expect(folder.restored(121, wider.group.digest).recent.oldest).toBe(120);
  });

  test('bounds its size and number of files, and still covers the window', async () => {
    const window = { ...WINDOW, replayWindowBytes: 40_000 };
    const recent = await folder.lived(all, 0, 300, window);
    const size = folder.files().reduce((sum, name) => sum + statSync(join(folder.path, name)).size, 0);
    expect(size).toBeLessThan(1.6 * window.replayWindowBytes);
    expect((await folder.lived(all, 300, 300, window)).oldest).toBeLessThanOrEqual(recent.oldest);
    for (let start = 0; start < 50; start += 1) await folder.lived(all, 297, 300, window);
    expect(folder.files().length).toBeLessThanOrEqual(33);
  });

  test('does not mix the changes of a restored journal with those of the journal before', async () => {
    await folder.lived(all, 0, 60);
    const other = all.map((changes) => {
      const { digest, previousDigest, ...group } = changes.group;
      const isOther = changes.sequence > 30;
      const before = group.firstSequence > 31 ? `other ${previousDigest}` : previousDigest;
      return isOther ? { ...changes, group: { ...group, digest: `other ${digest}`, previousDigest: before } } : changes;
    });
    const first = folder.restored(30);
    expect(first.recent.oldest).toBe(0);
    // Changes up to 45 did not reach the disk.
    addAll(first, other.slice(45, 90));
    await first.replayLog.close();
    expect(folder.restored(90, `other ${groupOf(90).digest}`).recent.oldest).toBe(45);
  });

  test.each<readonly [string, number, () => void]>([
    ['records before a header', 30, () => writeFileSync(folder.last(), readFileSync(folder.last()).subarray(headBytes()))],
    ['a header of another shape', 30, () => rewriteHead((head) => ({ ...head, columns: null }))],
    ['a malformed header', 30, () => appendFileSync(folder.last(), textEntry(ENTRY.head, '{'))],
    ['a malformed group', 30, () => appendFileSync(folder.last(), textEntry(ENTRY.group, '{'))],
    ['a malformed record', 31, () => appendFileSync(folder.last(), recordEntry(31, Buffer.alloc(3)))],
  ])('does not keep the service from starting, whatever it contains: %s', async (_, place, spoil) => {
    await folder.lived(all, 0, 30);
    spoil();
    const first = folder.restored(place, groupOf(30).digest);
    expect(first.recent.oldest).toBe(place);
    addAll(first, all.slice(place, 60));
    await eventually(() => expect(folder.reached).toContain(60));
    const again = folder.restored(60);
    expect(again.recent.oldest).toBe(place);
    expect(known(again.recent)).toEqual(known(first.recent));
    expect(folder.files()).toHaveLength(1);
  });
});

describe('a service that starts where another one ended', () => {
  test('replays earlier updates to the byte', async () => {
    const limits = { replayWindowMs: 10 ** 12 };
    const first = await RecordedService.start(undefined, limits, [], [], folder.path);
    const { history } = first;
    const from = history.records.length;
    const trade = (on: History) => {
      on.limit(1, 'buy', 10_000, 2);
      on.limit(2, 'sell', 10_000, 1);
      on.price(10_010);
    };
    const channels = ['account.orders', 'account.positions', 'account.pnl', 'account.margin', 'account.durability'];
    const follow = async (service: RecordedService, fromSequence?: number) => {
      const client = await service.connectAs(1);
      for (const channel of channels) await client.subscribed(channel, { accountId: 'acct-1' }, fromSequence);
      return client;
    };
    const before = await follow(first);
    for (let count = 0; count < 20; count += 1) trade(history);
    first.publish();
    first.service.flush();
    await before.drained();
    await first.stop();
    const second = await RecordedService.start(history, limits, [], [], folder.path);
    const after = await follow(second, from);
    for (const channel of channels) {
      expect(before.updates(channel).length).toBeGreaterThan(0);
      expect(after.updates(channel)).toEqual(before.updates(channel));
    }
    const receivedCount = after.updates('account.orders').length;
    trade(history);
    second.publish();
    second.service.flush();
    await after.drained();
    expect(after.updates('account.orders').length).toBeGreaterThan(receivedCount);
    // A service without a replay log requires a resync.
    const third = await RecordedService.start(history, limits);
    const client = await third.connectAs(1);
    const response = await client.request({
      op: 'subscribe',
      channel: 'account.orders',
      accountId: 'acct-1',
      fromSequence: from,
    });
    expect(response).toMatchObject({ code: 'resync_required', resyncCause: 'not_kept', oldestSequence: history.records.length });
  });
});
