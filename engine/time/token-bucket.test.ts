/** Token buckets: what each may take, and what buckets share. */
import { expect, test } from 'vitest';
import { ManualTime } from './testing/manual-time.ts';
import { TokenBucket } from './token-bucket.ts';

test('takes from its parent as well, or from neither', () => {
  const time = new ManualTime();
  const parent = new TokenBucket({ burst: 3, perSecond: 1 }, time);
  const [one, other] = [1, 2].map(() => new TokenBucket({ burst: 2, perSecond: 10 }, time, parent)) as [TokenBucket, TokenBucket];
  expect([one.take(2), one.take(1), other.take(2), other.take(1), other.take(1)]).toEqual([true, false, false, true, false]);
  time.pass(1_000);
  expect([one.take(2), one.take(1)]).toEqual([false, true]);
  parent.borrow(1);
  expect([one.isOverdrawn, other.isOverdrawn]).toEqual([true, true]);
});

test('keeps tokens beyond the burst after catchUp, and otherwise only the burst', () => {
  const time = new ManualTime();
  const bucket = new TokenBucket({ burst: 2, perSecond: 1 }, time);
  bucket.take(2);
  time.pass(10_000);
  bucket.catchUp();
  time.pass(10_000);
  expect([bucket.take(10), bucket.take(1)]).toEqual([true, false]);
  time.pass(10_000);
  expect([bucket.take(3), bucket.take(2)]).toEqual([false, true]);
});

test('contains at most the burst after tokens were given back', () => {
  const time = new ManualTime();
  const bucket = new TokenBucket({ burst: 2, perSecond: 1 }, time);
  bucket.take(1);
  time.pass(1_000);
  bucket.give(1);
  expect([bucket.take(2), bucket.take(1)]).toEqual([true, false]);
});
