/** Files with keys: other kinds of files in their place, and files that cannot be read. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SecretFile } from './secret-file.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

function directory(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  return directory.path;
}

test.each<[string, (path: string) => void, string]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'is not a file'],
  ['a directory', mkdirSync, 'cannot be read (EISDIR)'],
  ['a link to itself', (path) => symlinkSync(path, path), 'cannot be read (ELOOP)'],
  ['nothing', () => {}, 'is missing'],
])('finds no text in %s, and sets it aside', (_, place, problem) => {
  const folder = directory();
  const file = new SecretFile(join(folder, 'demo.env'));
  place(file.path);
  expect(file.read()).toEqual({ problem });
  if (problem === 'is missing') return;
  expect(file.quarantine()).toBe('demo.env.aside-1');
  expect(readdirSync(folder)).toEqual(['demo.env.aside-1']);
});

test('reads a link to a file', () => {
  const folder = directory();
  writeFileSync(join(folder, 'elsewhere'), 'text');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'demo.env'));
  expect(new SecretFile(join(folder, 'demo.env')).read()).toEqual({ text: 'text' });
});
