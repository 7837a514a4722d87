/**
 * Starts a venue's threads from one bundled file each. Loading their modules one by one takes most of a start, too long for a
 * test with a thousand starts. The code is the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { rolldown } from 'rolldown';

const THREADS = [
  '../../../../engine/host/projection-thread.ts',
  '../../../../engine/host/realtime-thread.ts',
  '../../../../engine/writer/snapshot/venue-snapshot-thread.ts',
];

/** Bundles from now on, until the caller calls the returned function. */
export async function bundleThreads(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-threads-'));
  const bundles = new Map<string, URL>();
  for (const thread of THREADS) {
    const source = new URL(thread, import.meta.url);
    const bundle = join(directory, `${basename(thread, '.ts')}.mjs`);
    const built = await rolldown({ input: fileURLToPath(source), platform: 'node', external: [/^node:/] });
    await built.write({ file: bundle, format: 'esm', codeSplitting: false });
    await built.close();
    bundles.set(source.href, pathToFileURL(bundle));
  }
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(bundles.get(String(script)) ?? script, options);
    }
  };
  syncBuiltinESMExports();
  return () => {
    threads.Worker = Worker;
    syncBuiltinESMExports();
    rmSync(directory, { recursive: true });
  };
}
