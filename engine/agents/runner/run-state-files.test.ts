import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { runStateFiles } from './run-state-files.ts';

const deployment = 7 as AgentDeploymentOrdinal;

function folderOfTest(): string {
  const root = mkdtempSync(join(tmpdir(), 'run-states-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return join(root, 'agents');
}

test('replaces a state that only its owner can read, and removes it', async () => {
  const folder = folderOfTest();
  const states = runStateFiles(folder);
  expect(await states.read(deployment)).toBeUndefined();
  await states.write(deployment, 'first');
  await states.write(deployment, 'second');
  expect(await states.read(deployment)).toBe('second');
  const [file, ...others] = readdirSync(folder);
  expect([statSync(join(folder, file!)).mode & 0o777, others]).toEqual([0o600, []]);
  await states.remove(deployment);
  await states.remove(deployment);
  expect(await states.read(deployment)).toBeUndefined();
});

test('a removal waits for a write that is under way', async () => {
  const folder = folderOfTest();
  const states = runStateFiles(folder);
  await Promise.all([states.write(deployment, 'first'), states.write(deployment, 'second'), states.remove(deployment)]);
  expect(readdirSync(folder)).toEqual([]);
});

test('keeps the files of open deployments alone, and those of other programs', async () => {
  const folder = folderOfTest();
  const states = runStateFiles(folder);
  await states.retain(new Set());
  for (const number of [6, 7, 8]) await states.write(number as AgentDeploymentOrdinal, 'state');
  writeFileSync(join(folder, 'deployment-8.state.new'), '');
  writeFileSync(join(folder, 'notes.txt'), '');
  await states.retain(new Set([deployment]));
  expect(readdirSync(folder).sort()).toEqual(['deployment-7.state', 'notes.txt']);
});
