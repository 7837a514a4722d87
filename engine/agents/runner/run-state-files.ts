/**
 * States of runs as files, one for each deployment. They are not synced to disk: a state that a power cut damages is ignored, and bars
 * are replayed.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import type { StateStore } from './ports.ts';

const OWNER_ONLY = { mode: 0o600 };

export function runStateFiles(folder: string): StateStore {
  const pathOf = (deployment: AgentDeploymentOrdinal) => join(folder, `deployment-${deployment}.state`);
  return {
    async read(deployment) {
      try {
        return await readFile(pathOf(deployment), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(deployment, text) {
      await mkdir(folder, { recursive: true });
      const path = pathOf(deployment);
      await writeFile(`${path}.new`, text, OWNER_ONLY);
      await rename(`${path}.new`, path);
    },
    async remove(deployment) {
      await rm(pathOf(deployment), { force: true });
    },
  };
}
