/** One process at a time on real files, and a journal on a real disk. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { open, openToyWriter } from '#simulation/toy-writer.ts';
import type { LockedDirectory } from './directory-lock.ts';
import { DirectoryLocked, lockDirectory } from './directory-lock.ts';
import { nodeFiles } from './node-files.ts';

let dataDirectory: string;
const locks: LockedDirectory[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  dataDirectory = join(mkdtempSync(join(tmpdir(), 'openperp-lock-')), 'data');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const lock of locks.splice(0)) lock.release();
  rmSync(join(dataDirectory, '..'), { recursive: true });
});

function lock(): LockedDirectory {
  const firstLock = lockDirectory(dataDirectory);
  locks.push(firstLock);
  return firstLock;
}

/** A process that holds the lock until it is killed. */
async function holder() {
  const module = fileURLToPath(new URL('./directory-lock.ts', import.meta.url));
  const source = `import { lockDirectory } from ${JSON.stringify(module)};
    lockDirectory(${JSON.stringify(dataDirectory)}); console.log('held'); setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

it('locks a directory once, and frees it on release', () => {
  const first = lock();
  expect(() => lock()).toThrow(DirectoryLocked);
  expect(() => lock()).toThrow(dataDirectory);
  first.release();
  first.release();
  lock();
});

it('frees a directory when its process is killed', async () => {
  for (let time = 0; time < 2; time += 1) {
    const child = await holder();
    expect(() => lock()).toThrow(DirectoryLocked);
    child.kill('SIGKILL');
    await once(child, 'exit');
    lock().release();
  }
  expect(readdirSync(dataDirectory)).toEqual(['lock']);
});

/** `access` checks the permissions of the real user, `open` those of the effective one: the check of permissions passes here. */
it.runIf(process.getuid?.() === 0)('refuses a lock file that opens only for reading', () => {
  mkdirSync(dataDirectory);
  writeFileSync(join(dataDirectory, 'lock'), '');
  for (const readable of ['..', '.', 'lock']) chmodSync(join(dataDirectory, readable), 0o755);
  process.seteuid!(65_534);
  try {
    expect(() => lock()).toThrow(
      /lock cannot be locked \(attempt to write a readonly database\): see that the file .+ can be written/,
    );
  } finally {
    process.seteuid!(0);
  }
});

it('recovers a journal from a real disk', async () => {
  const files = await nodeFiles(lock(), 'journal');
  const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 10, segmentBytes: 1 << 16 } });
  const responses = await Promise.all(Array.from({ length: 60 }, (_, index) => writer.submit(open(`${index}`, `key ${index}`))));
  await writer.close();
  const again = await openToyWriter(files);
  expect(again.groups).toEqual(writer.groups);
  expect(await again.submit(open('7', 'key 7'))).toEqual({ ...responses[7], replayed: true });
  expect((await again.submit(open('more'))).sequence).toBe(61);
  await again.close();
  const segment = statSync(join(dataDirectory, 'journal', 'segment-00000001.journal'));
  expect(segment.blocks * 512).toBeGreaterThanOrEqual(segment.size);
  expect(readdirSync(join(dataDirectory, 'journal')).filter((name) => name.includes('unfinished'))).toEqual([]);
});

it('throws at once when the directory cannot be made', () => {
  for (const denied of ['/proc/none/data', '/dev/null/data'])
    expect(() => lockDirectory(denied)).toThrow(/ENOENT|ENOTDIR|EACCES/);
});
