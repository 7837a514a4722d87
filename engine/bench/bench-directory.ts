/** Where a part of the bench keeps its journals: a directory that is gone when the part ends, on a disk with room for it. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thousands } from './prose.ts';

/** Room that is left to others. */
const SPARE_BYTES = 1 << 30;

/** Throws before anything is written where the disk has no room for so many bytes. */
export async function inBenchDirectory<Result>(neededBytes: number, work: (path: string) => Promise<Result>): Promise<Result> {
  demandRoom(tmpdir(), neededBytes + SPARE_BYTES);
  const path = mkdtempSync(join(tmpdir(), 'openperp-bench-'));
  // Whoever interrupts the bench leaves nothing behind either.
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(path);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function demandRoom(path: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(path);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const inMebibytes = (bytes: number) => thousands(Math.ceil(bytes / (1 << 20)));
  throw new Error(`${path} has ${inMebibytes(freeBytes)} MiB free, and ${inMebibytes(neededBytes)} MiB are needed: set TMPDIR`);
}
