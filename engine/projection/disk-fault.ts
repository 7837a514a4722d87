/**
 * Tells apart what may be wrong with a database: the disk does not take a write, or another program uses the file, which both may pass; or its
 * content. A sector that cannot be read does not heal by waiting: that is damage.
 */
import { resultOf } from './checkpoint.ts';
import { FileDamaged } from './page-sums-file.ts';

/** SQLite's own numbers: busy, locked, out of memory, input or output, full, cannot open (too many open files for one). */
const OF_DISK: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14]);
const CODES_OF_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);
/** Corrupt, not a database. */
const OF_CONTENT: ReadonlySet<number> = new Set([11, 26]);
/** Of input or output, the extended numbers of reads: failed, short, of other content, of a damaged file system, in a mapped page. */
const OF_READS: ReadonlySet<number> = new Set([266, 522, 8_202, 8_458, 8_714]);

/** The same may succeed later. */
export function isDiskFault(fault: unknown): boolean {
  const { code } = (fault ?? {}) as { code?: unknown };
  return typeof code === 'string' && !isOfRead(fault) && (CODES_OF_DISK.has(code) || OF_DISK.has(resultOf(fault)));
}

/** As SQLite reports it, or the page sums. */
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
