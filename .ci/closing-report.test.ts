import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const REPORTER = join(import.meta.dirname, 'closing-report.ts');

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

test('lists the failed tests and counts all at the end of a run', async () => {
  const { output } = await ended(run("test('good', () => {}); test('bad', () => expect(1).toBe(2));"));

  expect(output).toContain('Failed tests:\n  some.test.js > bad: expected 1 to be 2');
  expect(output).toMatch(/\n1 passed, 1 failed, 0 skipped\n/);
});

test('counts a file that fails to load', async () => {
  const { output } = await ended(run("throw new Error('cannot load');"));

  expect(output).toContain('Failed tests:\n  some.test.js: cannot load');
  expect(output).toMatch(/\n0 passed, 1 failed, 0 skipped\n/);
});

test.each(['SIGINT', 'SIGTERM'] as const)('lists the failed tests when %s interrupts a run', async (signal) => {
  const child = run("test('bad', () => expect(1).toBe(2)); test('endless', () => new Promise(() => {}), 600_000);");
  await printed(child, 'FAILED some.test.js > bad: expected 1 to be 2');

  child.kill(signal);

  const { output, endedBy } = await ended(child);
  expect(output).toContain(`Failed tests:\n  some.test.js > bad: expected 1 to be 2`);
  expect(output).toContain(`Interrupted by ${signal} after 0 passed, 1 failed`);
  expect(endedBy).toBe(signal);
});

/** Runs vitest with the reporter over one file, with globals `test` and `expect`. */
function run(code: string): ChildProcess {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-report-'));
  directories.push(directory);
  writeFileSync(join(directory, 'some.test.js'), code);
  const options = ['--root', directory, '--globals', '--reporter', REPORTER, '--maxWorkers', '1'];
  const child = spawn(process.execPath, [VITEST, 'run', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  outputs.set(child, '');
  child.stdout!.setEncoding('utf8').on('data', (text) => outputs.set(child, outputs.get(child) + text));
  return child;
}

const outputs = new WeakMap<ChildProcess, string>();

async function printed(child: ChildProcess, text: string): Promise<void> {
  for await (const _ of child.stdout!.iterator({ destroyOnReturn: false })) if (outputs.get(child)!.includes(text)) return;
  throw new Error(`ended without printing ${text}`);
}

function ended(child: ChildProcess): Promise<{ readonly output: string; readonly endedBy: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('close', (_code, endedBy) => resolve({ output: outputs.get(child)!, endedBy }));
  });
}
