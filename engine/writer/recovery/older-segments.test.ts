/**
 * The part of a journal that is not rerun: verified and searched for keys by another thread with the same result as in this one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { open as openFile, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { Sequence } from '#units/ids.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { type Files, readWhole } from '#writer/journal/files.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { listSegments } from '#writer/journal/segment.ts';
import type { ReadOlder } from './older-segments.ts';
import { readOlderSegments } from './older-segments.ts';
import { readOlderInThread } from './older-segments-in-thread.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A journal on disk of some segments, with a snapshot at two thirds; and the subscribers' place at its end. */
async function journalOnDisk() {
  const path = mkdtempSync(join(tmpdir(), 'openperp-older-'));
  undo.push(() => rmSync(path, { recursive: true }));
  const lock = lockDirectory(path);
  undo.push(() => lock.release());
  const files = await nodeFiles(lock, 'journal');
  const first = await openToyWriter(files);
  await first.submit(open('alice'));
  for (let number = 0; number < 60; number += 1) await first.submit(credit(1, number, `key ${number}`));
  await first.close();
  const second = await openToyWriter(files);
  for (let number = 60; number < 90; number += 1) await second.submit(credit(1, number, `key ${number}`));
  const { sequence, chainDigest } = second.status();
  await second.close();
  for (const name of await files.list()) {
    if (name === `snapshot-${String(sequence).padStart(16, '0')}.state`) await files.remove(name);
  }
  return { path, files, followFrom: { sequence, chainDigest }, inThread: readOlderInThread(path, 'journal') };
}

/** Counts the segments that it is requested to read. */
function counted(readOlder: ReadOlder): { readonly readOlder: ReadOlder; segments: () => number } {
  let segments = 0;
  const counting: ReadOlder = (request, onSegment) => {
    segments += request.segments.length;
    return readOlder(request, onSegment);
  };
  return { readOlder: counting, segments: () => segments };
}

async function flip(path: string, segment: string, at: number): Promise<void> {
  const file = await openFile(join(path, 'journal', segment), 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0]! ^= 0x20;
  await file.write(byte, 0, 1, at);
  await file.close();
}

describe('other thread', () => {
  it('finds the same journal and the same keys as this one', async () => {
    const { files, followFrom, inThread } = await journalOnDisk();
    const here = counted((request) => readOlderSegments(files, request));
    const there = counted(inThread);
    const first = await openToyWriter(files, { followFrom, readOlder: here.readOlder });
    const second = await openToyWriter(files, { followFrom, readOlder: there.readOlder });
    undo.push(() => Promise.all([first.close(), second.close()]));
    expect(here.segments()).toBeGreaterThan(3);
    expect(there.segments()).toBe(here.segments());
    expect(second.recovered).toEqual(first.recovered);
    expect(second.recovered).toMatchObject({ sequence: 91, snapshotSequence: 61, rerunCount: 30, republishedCount: 0 });
    for (const number of [0, 20, 59, 60, 89]) {
      const again = await second.submit(credit(1, number, `key ${number}`));
      expect(again).toMatchObject({ sequence: number + 2, replayed: true });
      expect(await first.submit(credit(1, number, `key ${number}`))).toEqual(again);
    }
    expect((await second.submit(credit(1, 1, 'new'))).sequence).toBe(92);
  });

  it.each(['another thread', 'this one'])('reports what %s has read together with the end, up to the total', async (where) => {
    const { files, followFrom, inThread } = await journalOnDisk();
    const sizes = await Promise.all((await listSegments(files)).map(async ({ name }) => (await readWhole(files, name)).length));
    const older = counted(where === 'this one' ? (...args) => readOlderSegments(files, ...args) : inThread);
    const reports: [read: number, total: number][] = [];
    const onRead = (read: number, total: number) => reports.push([read, total]);
    const writer = await openToyWriter(files, { followFrom, readOlder: older.readOlder, onRead });
    undo.push(() => writer.close());
    expect(older.segments()).toBeGreaterThan(3);
    expect(reports.length).toBeGreaterThan(older.segments());
    for (const [index, [read, total]] of reports.entries()) {
      expect(read).toBeGreaterThan(reports[index - 1]?.[0] ?? 0);
      expect(total).toBeGreaterThanOrEqual(read);
      expect(total).toBeLessThanOrEqual(sizes.reduce((sum, bytes) => sum + bytes));
    }
    expect(reports.at(-1)![0]).toBe(reports.at(-1)![1]);
  });

  it('names damage like this one, and changes nothing', async () => {
    const { path, files, followFrom, inThread } = await journalOnDisk();
    await flip(path, 'segment-00000002.journal', 1_100);
    const refusal = (readOlder: ReadOlder) => openToyWriter(files, { followFrom, readOlder }).catch((cause: unknown) => cause);
    const here = (await refusal((request) => readOlderSegments(files, request))) as Error;
    const there = (await refusal(inThread)) as Error;
    expect(there).toMatchObject({ name: 'JournalDamaged', place: { segment: 'segment-00000002.journal' } });
    expect(there).toMatchObject({ message: here.message, place: (here as Error & { place: unknown }).place });
  });

  it('reads while the state is restored, and a failure to restore waits for it to end', async () => {
    const { files, followFrom, inThread } = await journalOnDisk();
    const steps: string[] = [];
    const readOlder: ReadOlder = async (request) => {
      steps.push('begun');
      return inThread(request).finally(() => steps.push('read'));
    };
    const restore = (): never => {
      steps.push('restored');
      throw new Error('planted');
    };
    const start = openToyWriter(files, { followFrom, readOlder, rules: { ...toyRules, restore } });
    await expect(start).rejects.toMatchObject({ name: 'RecoveryRefused', message: expect.stringContaining('planted') });
    expect(steps).toEqual(['begun', 'restored', 'read']);
  });

  it('reports an error of the system with its code', async () => {
    const { path, files, inThread } = await journalOnDisk();
    const segments = (await listSegments(files)).slice(0, 2);
    await unlink(join(path, 'journal', segments[1]!.name));
    const limits = { retentionMs: 1, maxKeys: 1, maxKeysPerAccount: 1 };
    const from = { groupNumber: 0, sequence: 0 as Sequence, digest: new Uint8Array(32) };
    await expect(inThread({ firstSegment: 1, segments, from, upTo: 3, keysSinceEpochMs: 0, limits })).rejects.toMatchObject({
      code: 'ENOENT',
      syscall: 'open',
    });
  });
});

describe('part that is not rerun', () => {
  /** Groups of one record; a snapshot after the 30th. */
  async function contents(): Promise<Map<string, Uint8Array>> {
    const files = new PowerCutFiles();
    const first = await openToyWriter(files);
    for (let number = 1; number <= 30; number += 1) await first.submit(open(`${number}`, `key ${number}`));
    await first.close();
    const second = await openToyWriter(files);
    for (let number = 31; number <= 40; number += 1) await second.submit(open(`${number}`, `key ${number}`));
    return files.contents();
  }
  const atTheEnd = async (files: Files) => {
    const { sequence, chainDigest } = (await openToyWriter(files)).status();
    return { sequence, chainDigest };
  };

  it('must end where the rerun part begins', async () => {
    const whole = await contents();
    const followFrom = await atTheEnd(new PowerCutFiles(undefined, whole));
    const [from] = await listSegments(new PowerCutFiles(undefined, whole));
    const files = new PowerCutFiles(undefined, whole);
    const readOlder: ReadOlder = async (request) => {
      const part = await readOlderSegments(files, request);
      return { ...part, end: { ...part.end, digest: new Uint8Array(32) } };
    };
    expect(from!.segment).toBe(1);
    await expect(openToyWriter(files, { followFrom, readOlder })).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { offset: 0 },
      message: expect.stringContaining('does not follow'),
    });
  });

  it('is damaged if a segment is missing or swapped', async () => {
    const whole = await contents();
    const followFrom = await atTheEnd(new PowerCutFiles(undefined, whole));
    const [first, second] = ['segment-00000001.journal', 'segment-00000002.journal'];
    const start = (files: Files) => openToyWriter(files, { followFrom });
    // The segments read here, up to the one before the rerun end.
    for (const [index, segment] of [first, second, 'segment-00000003.journal', 'segment-00000004.journal'].entries()) {
      const missing = new Map(whole);
      missing.delete(segment);
      await expect(start(new PowerCutFiles(undefined, missing))).rejects.toMatchObject({
        place: { segment, offset: 0, sequence: index * 7 + 1 },
        message: expect.stringContaining('the segment is missing'),
      });
    }
    const swapped = new Map(whole).set(first, whole.get(second)!).set(second, whole.get(first)!);
    await expect(start(new PowerCutFiles(undefined, swapped))).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { segment: first },
    });
    const torn = new Map(whole).set(first, whole.get(first)!.slice());
    torn.get(first)!.fill(0, 3_072, -512);
    await expect(start(new PowerCutFiles(undefined, torn))).rejects.toMatchObject({ name: 'JournalDamaged' });
  });

  it('is published to the subscribers as far as they have not folded it', async () => {
    const whole = await contents();
    const all = await openToyWriter(new PowerCutFiles(undefined, whole));
    for (const known of [1, 7, 8, 29, 30, 31]) {
      const group = all.groups[known - 1]!;
      const followFrom = { sequence: group.records.at(-1)!.sequence, chainDigest: group.chainDigest };
      const writer = await openToyWriter(new PowerCutFiles(undefined, whole), { followFrom });
      expect(writer.groups).toEqual(all.groups.slice(known));
      expect((await writer.submit(open('1', 'key 1'))).replayed).toBe(true);
    }
  });

  it('refuses a torn tail that lacks acknowledged records, and changes nothing', async () => {
    const whole = await contents();
    const followFrom = await atTheEnd(new PowerCutFiles(undefined, whole));
    const last = [...whole.keys()].filter((name) => name.endsWith('.journal')).sort();
    for (const name of last.reverse()) {
      const bytes = whole.get(name)!;
      const end = bytes.subarray(0, -512).findLastIndex((byte) => byte !== 0);
      if (end < 0) continue;
      bytes.fill(0, end - 40, end + 1);
      break;
    }
    const files = new PowerCutFiles(undefined, whole);
    await expect(openToyWriter(files, { followFrom })).rejects.toMatchObject({
      name: 'RecoveryRefused',
      message: expect.stringContaining('ends with record 39'),
    });
    expect(files.operations).toBe(0);
  });
});
