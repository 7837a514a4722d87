import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { runStateFiles } from './run-state-files.ts';

test('replaces a state that only its owner can read, and removes it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'run-states-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'agents');
  const states = runStateFiles(folder);
  const deployment = 7 as AgentDeploymentOrdinal;
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
