/** Pages and small reads on their way to the thread. No read ends by itself. */
import { expect, test } from 'vitest';
import { ReadQueue } from './read-queue.ts';

function queue() {
  const reads = new ReadQueue();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (name: string, cost: number) =>
    reads.run({ client: name, cost, isGone: () => false }, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { read, end, started };
}

test('starts one page at a time, and small reads beside it', async () => {
  const { read, end, started } = queue();
  read('page 1', 10);
  read('page 2', 10);
  read('small 1', 1);
  read('small 2', 2);
  expect(started).toEqual(['page 1', 'small 1', 'small 2']);
  await end('small 1');
  expect(started).not.toContain('page 2');
  await end('page 1');
  expect(started).toContain('page 2');
});

test('bounds the small reads that the thread has at once', async () => {
  const { read, end, started } = queue();
  for (let count = 1; count <= 8; count += 1) read(`small ${count}`, 1);
  expect(started).toHaveLength(6);
  await end('small 1');
  expect(started).toHaveLength(7);
});
