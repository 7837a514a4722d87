/** Tells what the disk, or another program that uses the file, keeps from being done now, and may not later, from what is wrong with the content. */
import { resultOf } from './checkpoint.ts';

/** SQLite's own numbers: busy, locked, out of memory, input or output, full. */
const RESULTS: ReadonlySet<number> = new Set([5, 6, 7, 10, 13]);
const CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

export function isDiskFault(fault: unknown): boolean {
  const { code } = (fault ?? {}) as { code?: unknown };
  return typeof code === 'string' && (CODES.has(code) || RESULTS.has(resultOf(fault)));
}
