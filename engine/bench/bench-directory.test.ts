import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inBenchDirectory } from './bench-directory.ts';

test('removes the files of a part when it ends or fails', async () => {
  const paths: string[] = [];
  const write = async (path: string) => {
    writeFileSync(join(path, 'journal'), 'x');
    paths.push(path);
    return 7;
  };
  expect(await inBenchDirectory(1, write)).toBe(7);
  const failing = inBenchDirectory(1, async (path) => {
    await write(path);
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
});

test('names a full disk before it writes anything', async () => {
  const work = () => Promise.reject(new Error('was started'));
  await expect(inBenchDirectory(2 ** 60, work)).rejects.toThrow(/MiB free, and 1,099,511,628,800 MiB are needed/);
});
