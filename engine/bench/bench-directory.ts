/** The directory for the journals of a part: removed when the part ends, on a disk with enough space. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thousands } from './prose.ts';

/** Space that is left free. */
const SPARE_BYTES = 1 << 30;

/** Throws before anything is written if the disk lacks the space. */
export async function inBenchDirectory<Result>(neededBytes: number, work: (path: string) => Promise<Result>): Promise<Result> {
  checkFreeSpace(tmpdir(), neededBytes + SPARE_BYTES);
  const path = mkdtempSync(join(tmpdir(), 'openperp-bench-'));
  // Removes the directory after an interrupt too.
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(path);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function checkFreeSpace(path: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(path);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const inMebibytes = (bytes: number) => thousands(Math.ceil(bytes / (1 << 20)));
  throw new Error(`${path} has ${inMebibytes(freeBytes)} MiB free, and ${inMebibytes(neededBytes)} MiB are needed: set TMPDIR`);
}
