/** Closing what a start opened: in reverse, all of it, with the first failure as it was thrown. */
import { expect, test } from 'vitest';
import { closeAll } from './close-all.ts';
import { StartFault } from './start-fault.ts';

test('closes the last resource first, and waits for each', async () => {
  const closed: string[] = [];
  const resources = new AsyncDisposableStack();
  resources.defer(() => void closed.push('a'));
  resources.defer(async () => {
    await Promise.resolve();
    closed.push('b');
  });
  resources.defer(() => void closed.push('c'));
  await closeAll(resources);
  expect(closed).toEqual(['c', 'b', 'a']);
});

test.each([
  ['one', 1],
  ['each of three', 3],
])('closes everything and throws the first failure itself when %s fails', async (_, failureCount) => {
  const closed: number[] = [];
  const resources = new AsyncDisposableStack();
  const failures = Array.from({ length: failureCount }, (_, place) => new StartFault(`failure ${place}`));
  resources.defer(() => void closed.push(-1));
  for (const [place, failure] of [...failures.entries()].reverse()) {
    resources.defer(() => {
      closed.push(place);
      // A closer may throw or reject.
      if (place === 0) throw failure;
      return Promise.reject(failure);
    });
  }
  const failed = await closeAll(resources).catch((error: unknown) => error);
  expect(failed).toBe(failures[0]);
  expect(failed).toMatchObject({ message: 'failure 0' });
  expect(closed).toEqual([...failures.keys(), -1]);
});

test('closes nothing twice, also after a failure and while it is still closing', async () => {
  let count = 0;
  const resources = new AsyncDisposableStack();
  resources.defer(async () => {
    count += 1;
    throw new Error('planted');
  });
  const [first, meanwhile] = await Promise.allSettled([closeAll(resources), closeAll(resources)]);
  expect([first.status, meanwhile.status]).toEqual(['rejected', 'fulfilled']);
  await closeAll(resources);
  expect(count).toBe(1);
});

test('rethrows a value that is not an Error', async () => {
  const resources = new AsyncDisposableStack();
  resources.defer(() => Promise.reject('first' as never));
  await expect(closeAll(resources)).rejects.toBe('first');
});
