import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { groupAt } from '#app/testing/told-groups.ts';
import { systemTime } from '#time/system-time.ts';
import { Beginning } from './beginning.ts';
import { receiveLiveRows } from './live-rows-channel.ts';
import { ProjectionInThread } from './projection-in-thread.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function begun(mostRecords: number): Promise<{ beginning: Beginning; tell: (sequence: number) => void }> {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const place = { path: `${path}/projection.sqlite`, mayReplace: true, journal: `${path}/journal`, log: () => {} };
  const projection = await ProjectionInThread.open({ ...place, ...systemTime });
  undo.push(() => projection.close());
  const beginning = new Beginning(projection, mostRecords);
  const tell = (sequence: number) => {
    projection.follow(groupAt(sequence));
    beginning.follow(groupAt(sequence));
  };
  return { beginning, tell };
}

test('takes the earlier rows and all groups published since, once', async () => {
  const { beginning, tell } = await begun(3);
  for (const sequence of [1, 2, 3]) tell(sequence);
  const taken = beginning.take()!;
  expect(taken).toMatchObject({ sequence: 0, since: { length: 3 } });
  expect((await receiveLiveRows(taken.rows)).sequence).toBe(0);
  tell(4);
  expect(taken.since).toHaveLength(3);
  expect(beginning.take()).toBeUndefined();
});

test('has no initial state when there are too many records', async () => {
  const { beginning, tell } = await begun(2);
  for (const sequence of [1, 2, 3, 4]) tell(sequence);
  expect(beginning.take()).toBeUndefined();
});
