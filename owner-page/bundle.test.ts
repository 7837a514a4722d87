/** What `npm ci` builds: one small script that needs no part of it from elsewhere, and nothing that its policy forbids. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MAX_COMPRESSED_BYTES = 40_000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openperp-page-'));
  execFileSync(process.execPath, [join(import.meta.dirname, 'build.mjs'), folder]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('the script has at most 40 kB, compressed as the venue does', () => {
  expect(gzipSync(read('page.js')).length).toBeLessThan(MAX_COMPRESSED_BYTES);
});

test('is one script, beside what the page names', () => {
  expect(readdirSync(folder).sort()).toEqual(['icon.svg', 'page.css', 'page.html', 'page.js']);
  expect(read('page.js')).not.toMatch(/\bimport\s*[({"'*]|\bfrom\s*["']|sourceMappingURL/);
});

test('contains no code that the policy forbids, and no address elsewhere', () => {
  expect(read('page.html')).not.toMatch(/<style|style=|<script>|\son\w+=|https?:/);
  expect(read('page.css')).not.toMatch(/@import|url\(/);
  // Documentation that a message of the library names. The policy permits to load nothing from there.
  const addresses = [...read('page.js').matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
  expect(new Set(addresses)).toEqual(new Set(['https://simplewebauthn.dev']));
  expect(read('page.js')).not.toMatch(/\beval\(|new Function\(/);
});

test('what is built is what the sources say', () => {
  for (const name of readdirSync(folder))
    expect(readFileSync(join(import.meta.dirname, 'dist', name), 'utf8'), `${name}: run node owner-page/build.mjs`).toBe(
      read(name),
    );
});
