import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockDirectory } from './directory-lock.ts';
import { nodeFiles, readableNodeFiles } from './node-files.ts';

vi.mock('node:fs/promises', { spy: true });

const O_DSYNC = 0o10000;

/** The flags with which this process has a file open, as the system reports them. */
function openFlags(path: string): number[] {
  const numbers = readdirSync('/proc/self/fd').filter((number) => linkOf(number) === path);
  return numbers.map((number) => {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))!;
    return Number.parseInt(flags!, 8);
  });
}

function linkOf(number: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${number}`);
  } catch {
    return undefined; // Closed meanwhile: it was the handle of the listing.
  }
}

test.runIf(process.platform === 'linux')('writes new and existing files through, so that no sync is left out', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const lock = lockDirectory(directory);
  const files = await nodeFiles(lock, 'journal');
  const path = join(lock.path, 'journal', 'segment');
  const file = await files.create('segment');
  expect(openFlags(path).map((flags) => flags & O_DSYNC)).toEqual([O_DSYNC]);
  await file.write(new Uint8Array(700).fill(7), 0);
  await file.datasync();
  await file.close();
  const opened = await files.open('segment');
  expect(openFlags(path).map((flags) => flags & O_DSYNC)).toEqual([O_DSYNC]);
  await opened.write(new Uint8Array(100).fill(9), 650);
  const bytes = new Uint8Array(1000);
  expect(await opened.read(bytes, 0)).toBe(750);
  expect([bytes[0], bytes[649], bytes[650], bytes[749]]).toEqual([7, 7, 9, 9]);
  await opened.close();
  lock.release();
});

test.runIf(process.platform === 'linux')('rejects a write that the system refuses', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const lock = lockDirectory(directory);
  const files = await nodeFiles(lock, 'journal');
  symlinkSync('/dev/full', join(lock.path, 'journal', 'segment'));
  const file = await files.open('segment');
  await expect(file.write(new Uint8Array(10), 0)).rejects.toThrow(/ENOSPC/);
  await file.close();
  lock.release();
});

test.runIf(process.platform === 'linux')(
  'refuses a pipe and a directory by name, without waiting for a writer of the pipe',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'openperp-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    mkdirSync(join(directory, 'folder'));
    const { open } = readableNodeFiles(directory);
    for (const name of ['pipe', 'folder'])
      await expect(open(name)).rejects.toMatchObject({
        code: 'EFTYPE',
        message: `EFTYPE: not a regular file, open '${join(directory, name)}'`,
      });
  },
);

test('lists a file that is archived while the folders are listed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'archive'));
  writeFileSync(join(directory, 'segment'), '');
  beforeSecondListing(() => renameSync(join(directory, 'segment'), join(directory, 'archive', 'segment')));
  expect(await readableNodeFiles(directory).list()).toContain('archive/segment');
});

function beforeSecondListing(step: () => void): void {
  vi.mocked(readdir).mockImplementationOnce(async (path) => {
    const names = readdirSync(path);
    step();
    return names as never;
  });
}
