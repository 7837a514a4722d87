import { expect, test } from 'vitest';
import { digestOf, open } from '#simulation/toy-writer.ts';
import { Waiting } from '#writer/port/waiting-submission.ts';
import { PendingKeys } from './pending-keys.ts';

/** More than there are slots: many keys share one. */
const COUNT = 20_000;

test('finds each pending key, and no key that has its response', () => {
  const keys = new PendingKeys();
  const waiting = Array.from({ length: COUNT }, (_, index) => new Waiting(open('alice', `key ${index}`)));
  const digests = waiting.map(({ submission }) => submission.idempotency!.keyDigest);
  for (const [index, digest] of digests.entries()) keys.add(digest, waiting[index]!);
  const isClosed = (index: number) => index % 3 === 0 || index > COUNT / 2;
  for (let index = COUNT - 1; index >= 0; index -= 1) if (isClosed(index)) keys.remove(digests[index]!, waiting[index]!);
  const wrong = digests.filter((digest, index) => keys.find(digest.slice()) !== (isClosed(index) ? undefined : waiting[index]));
  expect(wrong).toEqual([]);
  expect(waiting.filter(({ next }, index) => isClosed(index) && next !== undefined)).toEqual([]);
  expect(keys.find(digestOf('a key that never came'))).toBe(undefined);
  keys.add(digests[0]!, waiting[0]!);
  expect(keys.find(digests[0]!)).toBe(waiting[0]);
});
