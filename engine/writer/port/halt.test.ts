import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { type Halt, HaltSwitch } from './halt.ts';

function haltOf(cause: unknown): Halt | undefined {
  const halt = new HaltSwitch(() => {});
  halt.stop('follower_error', cause);
  return halt.halt;
}

/** The error that the database itself throws when it may not grow. */
function fullDatabase(): unknown {
  const database = new DatabaseSync(':memory:');
  database.exec('PRAGMA max_page_count = 2; CREATE TABLE t (x)');
  try {
    database.exec('INSERT INTO t VALUES (zeroblob(100000))');
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  return undefined;
}

it('distinguishes a full disk from an internal error of a subscriber', () => {
  expect(haltOf(fullDatabase())).toMatchObject({ reason: 'the disk is full', detail: expect.stringContaining('full') });
  expect(haltOf(Object.assign(new Error('write'), { code: 'ENOSPC' }))?.reason).toBe('the disk is full');
  expect(haltOf(new Error('a fold that does not fit'))?.reason).toBe('an internal error stopped a subscriber of the journal');
});
