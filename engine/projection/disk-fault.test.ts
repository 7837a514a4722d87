/** Distinguishes temporary faults from damage: a sound file is never replaced, a damaged one always. */
import { expect, test } from 'vitest';
import { isDamage, isDiskFault } from './disk-fault.ts';
import { FileDamaged } from './page-sums-file.ts';

const ofSqlite = (errcode: number) => ({ code: 'ERR_SQLITE_ERROR', errcode });

test.each([
  ['a full disk', ofSqlite(13)],
  ['a write that fails', ofSqlite(10 | (3 << 8))],
  ['a sync that fails', ofSqlite(10 | (4 << 8))],
  ['a file that cannot be opened', ofSqlite(14)],
  ['a locked file', ofSqlite(5)],
  ['a write that the system refuses', { code: 'EIO', syscall: 'write' }],
  ['too many open files', { code: 'EMFILE', syscall: 'open' }],
])('tries again after %s', (_, fault) => {
  expect(isDiskFault(fault)).toBe(true);
  expect(isDamage(fault)).toBe(false);
});

test.each([
  ['a read that fails', ofSqlite(10 | (1 << 8))],
  ['a short read', ofSqlite(10 | (2 << 8))],
  ['a damaged file system', ofSqlite(10 | (33 << 8))],
  ['a malformed page', ofSqlite(11)],
  ['a file that is not a database', ofSqlite(26)],
  ['a file that is not as it was written', new FileDamaged('lacks page 2 of 3')],
])('calls %s damage', (_, fault) => {
  expect(isDiskFault(fault)).toBe(false);
  expect(isDamage(fault)).toBe(true);
});

test('does not try again after a read that the system refuses', () => {
  expect(isDiskFault({ code: 'EIO', syscall: 'read' })).toBe(false);
});
