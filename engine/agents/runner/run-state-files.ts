/**
 * States of runs as files, one for each deployment. They are not synced to disk: a state that a power cut damages is ignored, and bars
 * are replayed.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import type { StateStore } from './ports.ts';

const OWNER_ONLY = { mode: 0o600 };

export interface RunStateFiles extends StateStore {
  /** Removes the files of other deployments: a process can be killed between the end of one and the removal of its file. */
  retain(open: ReadonlySet<AgentDeploymentOrdinal>): Promise<void>;
}

export function runStateFiles(folder: string): RunStateFiles {
  // A removal waits for a write that is under way, which would otherwise leave a file behind.
  const last = new Map<AgentDeploymentOrdinal, Promise<void>>();
  const inTurn = async (deployment: AgentDeploymentOrdinal, change: () => Promise<void>): Promise<void> => {
    const before = last.get(deployment) ?? Promise.resolve();
    const changed = before.then(change, change);
    last.set(deployment, changed);
    try {
      await changed;
    } finally {
      if (last.get(deployment) === changed) last.delete(deployment);
    }
  };
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
    write: (deployment, text) =>
      inTurn(deployment, async () => {
        await mkdir(folder, { recursive: true });
        const path = pathOf(deployment);
        await writeFile(`${path}.new`, text, OWNER_ONLY);
        await rename(`${path}.new`, path);
      }),
    remove: (deployment) => inTurn(deployment, () => rm(pathOf(deployment), { force: true })),
    async retain(open) {
      for (const name of await filesIn(folder)) {
        const [, number] = /^deployment-([0-9]+)\.state(?:\.new)?$/.exec(name) ?? [];
        if (number === undefined || open.has(Number(number) as AgentDeploymentOrdinal)) continue;
        await rm(join(folder, name), { force: true });
      }
    },
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
