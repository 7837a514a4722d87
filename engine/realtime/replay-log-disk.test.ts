/**
 * The replay log when its disk or directory fails, or something else is in its place: the service continues, and logs it once.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import { addAll, changesOf, known, useReplayLogDirectory, WINDOW } from './testing/replay-log-directory.ts';

const folder = useReplayLogDirectory();

describe('a replay log whose disk or directory fails', () => {
  const all = changesOf(300);

  test('sets aside a file in the place of its directory', async () => {
    const place = join(folder.path, 'replay');
    writeFileSync(place, 'own');
    const first = folder.restored(30, '', WINDOW, place);
    addAll(first, all.slice(30, 60));
    await first.replayLog.close();
    expect(folder.lines).toEqual([expect.stringMatching(/^realtime: .+replay was not a directory and was replaced by one/)]);
    expect(folder.restored(60, undefined, WINDOW, place).recent.oldest).toBe(30);
    expect(readFileSync(`${place}.aside-1`, 'utf8')).toBe('own');
  });

  test('sets aside a dangling link in the place of its directory', async () => {
    const place = join(folder.path, 'replay');
    symlinkSync(join(folder.path, 'nowhere'), place);
    const first = folder.restored(30, '', WINDOW, place);
    addAll(first, all.slice(30, 60));
    await first.replayLog.close();
    expect(folder.lines).toEqual([expect.stringContaining('replay.aside-1')]);
    expect(folder.restored(60, undefined, WINDOW, place).recent.oldest).toBe(30);
  });

  test('sets aside a directory in the place of a file, at a start and while the venue runs', async () => {
    const own = (name: string) => mkdirSync(join(folder.path, name, 'own'), { recursive: true });
    const small = { ...WINDOW, replayWindowBytes: 40_000 };
    await folder.lived(all, 0, 60, small);
    const [first] = folder.files();
    own('999999999999.changes');
    const restored = folder.restored(60, undefined, small);
    expect(restored.recent.oldest).toBeLessThan(30);
    expect(folder.lines).toEqual([
      `realtime: 999999999999.changes was a directory, where a file belongs, and is now 999999999999.changes.aside-1`,
    ]);
    rmSync(join(folder.path, first!));
    own(first!);
    addAll(restored, all.slice(60, 240));
    await eventually(() =>
      expect(folder.lines[1]).toMatch(`realtime: ${first} was a directory, where a file belongs, and is now `),
    );
    await restored.replayLog.close();
    expect(folder.lines).toHaveLength(2);
    for (const name of [first, '999999999999.changes'])
      expect(readdirSync(join(folder.path, `${name}.aside-1`))).toEqual(['own']);
  });

  test('loses what the disk refuses, logs that once, and stores the next changes again', async () => {
    const noFolder = join(folder.path, 'not-a-folder');
    const place = join(noFolder, 'replay');
    appendFileSync(noFolder, 'x');
    const first = folder.restored(0, '', WINDOW, place);
    addAll(first, all.slice(0, 30));
    // The write failed and was given up: the callback fires all the same.
    await eventually(() => expect(folder.reached).toContain(30));
    expect(folder.lines).toEqual([
      expect.stringMatching(/^realtime: updates before now cannot be replayed after a restart: .*(EEXIST|ENOTDIR)/),
    ]);
    rmSync(noFolder);
    addAll(first, all.slice(30, 90));
    await eventually(() => expect(readdirSync(place)).not.toEqual([]));
    await first.replayLog.close();
    const { recent } = folder.restored(90, undefined, WINDOW, place);
    expect(recent.oldest).toBe(30);
    expect(known(recent)).toEqual(known(first.recent).slice(30));
    expect(folder.lines).toHaveLength(1);
  });

  test('stays readable after a lost batch', async () => {
    const first = folder.restored(0, '');
    addAll(first, all.slice(0, 30));
    await eventually(() => expect(folder.reached).toContain(30));
    // The waiting batch has no file to continue; it must not be written in part.
    rmSync(folder.last());
    addAll(first, all.slice(30, 50));
    await eventually(() => expect(folder.lines).toHaveLength(1));
    addAll(first, all.slice(50, 99));
    await eventually(() => expect(folder.files()).toHaveLength(1));
    await first.replayLog.close();
    expect(folder.restored(99).recent.oldest).toBe(50);
  });

  test('continues if its directory is removed', async () => {
    const first = folder.restored(0, '');
    addAll(first, all.slice(0, 30));
    await eventually(() => expect(folder.reached).toContain(30));
    rmSync(folder.path, { recursive: true });
    for (let from = 30; from < 60; from += 3) {
      addAll(first, all.slice(from, from + 3));
      await eventually(() => expect(folder.reached.at(-1)).toBe(from + 3));
    }
    addAll(first, all.slice(60, 120));
    await eventually(() => expect(folder.reached.at(-1)).toBe(120));
    await first.replayLog.close();
    expect(folder.lines).toEqual([expect.stringContaining('ENOENT')]);
    expect(folder.files()).toHaveLength(1);
    expect(folder.restored(120).recent.oldest).toBeLessThan(60);
  });

  test('does not delay the end of the service if the disk hangs', async () => {
    const first = folder.restored(0, '');
    addAll(first, all.slice(0, 30));
    await eventually(() => expect(folder.reached).toContain(30));
    const path = folder.last();
    rmSync(path);
    execFileSync('mkfifo', [path]);
    addAll(first, all.slice(30, 60));
    // Opening a pipe for writing blocks until it has a reader.
    await first.replayLog.close();
    expect(folder.reached).not.toContain(60);
    const reader = openSync(path, 'r');
    await eventually(() => expect(folder.reached).toContain(60));
    closeSync(reader);
  });
});
