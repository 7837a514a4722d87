/**
 * Distinguishes faults of a database: a failed write or a lock, which are temporary, and damaged content. A failed read counts as damage,
 * because it does not pass.
 */
import { resultOf } from './checkpoint.ts';
import { FileDamaged } from './page-sums-file.ts';

/** SQLite result codes: busy, locked, out of memory, I/O error, full, cannot open (for example, too many open files). */
const OF_DISK: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14]);
const CODES_OF_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);
/** SQLite result codes: corrupt, not a database. */
const OF_CONTENT: ReadonlySet<number> = new Set([11, 26]);
/** Extended codes of I/O errors in reads: read, short read, data, corrupt file system, mapped page. */
const OF_READS: ReadonlySet<number> = new Set([266, 522, 8_202, 8_458, 8_714]);

/** Whether the operation may succeed later. */
export function isDiskFault(fault: unknown): boolean {
  const { code } = (fault ?? {}) as { code?: unknown };
  return typeof code === 'string' && !isOfRead(fault) && (CODES_OF_DISK.has(code) || OF_DISK.has(resultOf(fault)));
}

/** Whether SQLite or the page sums report damage. */
export function isDamage(fault: unknown): boolean {
  return fault instanceof FileDamaged || OF_CONTENT.has(resultOf(fault)) || isReadOfSqlite(fault);
}

function isOfRead(fault: unknown): boolean {
  const { code, syscall } = fault as NodeJS.ErrnoException;
  return (code === 'EIO' && syscall === 'read') || isReadOfSqlite(fault);
}

function isReadOfSqlite(fault: unknown): boolean {
  return OF_READS.has((fault as { errcode?: number } | undefined)?.errcode ?? 0);
}
