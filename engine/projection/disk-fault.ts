/** Tells apart what may be wrong with a database: the disk, or another program that uses it, which may do later what it does not now; or its content. */
import { resultOf } from './checkpoint.ts';

/** SQLite's own numbers: busy, locked, out of memory, input or output, full. */
const OF_DISK: ReadonlySet<number> = new Set([5, 6, 7, 10, 13]);
const CODES_OF_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);
/** Corrupt, not a database. */
const OF_CONTENT: ReadonlySet<number> = new Set([11, 26]);

export function isDiskFault(fault: unknown): boolean {
  const { code } = (fault ?? {}) as { code?: unknown };
  return typeof code === 'string' && (CODES_OF_DISK.has(code) || OF_DISK.has(resultOf(fault)));
}

export function isDamage(fault: unknown): boolean {
  return OF_CONTENT.has(resultOf(fault));
}
