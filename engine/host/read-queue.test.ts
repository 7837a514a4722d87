/** Pages and small reads for the thread. A read ends only when the test ends it. */
import { expect, test } from 'vitest';
import { ReadQueue } from './read-queue.ts';

function queue() {
  const reads = new ReadQueue();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (name: string, cost: number, client = name) =>
    reads.run({ client, cost, isClosed: () => false }, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { read, end, started };
}

test('starts one page of a client at a time, beside another client’s page and small reads', async () => {
  const { read, end, started } = queue();
  read('page 1', 10, 'reader of pages');
  read('page 2', 10, 'reader of pages');
  read('small 1', 1);
  read('small 2', 2);
  read('another page', 10);
  read('third page', 10);
  expect(started).toEqual(['page 1', 'small 1', 'small 2', 'another page']);
  await end('small 1');
  expect(started).toHaveLength(4);
  await end('another page');
  expect(started.at(-1)).toBe('third page');
  await end('page 1');
  expect(started.at(-1)).toBe('page 2');
});

test('limits the small reads in progress', async () => {
  const { read, end, started } = queue();
  for (let count = 1; count <= 8; count += 1) read(`small ${count}`, 1);
  expect(started).toHaveLength(6);
  await end('small 1');
  expect(started).toHaveLength(7);
});
