/** Files with keys: what is in their place and cannot be read. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SecretFile } from './secret-file.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

function directory(): string {
  const made = temporaryDirectory();
  onTestFinished(() => made.remove());
  return made.path;
}

test.each<[string, (path: string) => void, string]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'is no file'],
  ['a directory', mkdirSync, 'cannot be read (EISDIR)'],
  ['a link to itself', (path) => symlinkSync(path, path), 'cannot be read (ELOOP)'],
  ['nothing', () => {}, 'is missing'],
])('%s has no text, and is set aside', (_, place, problem) => {
  const folder = directory();
  const file = new SecretFile(join(folder, 'demo.env'));
  place(file.path);
  expect(file.read()).toEqual({ problem });
  if (problem === 'is missing') return;
  expect(file.setAside()).toBe('demo.env.aside-1');
  expect(readdirSync(folder)).toEqual(['demo.env.aside-1']);
});

test('a link to a file is read', () => {
  const folder = directory();
  writeFileSync(join(folder, 'elsewhere'), 'text');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'demo.env'));
  expect(new SecretFile(join(folder, 'demo.env')).read()).toEqual({ text: 'text' });
});
