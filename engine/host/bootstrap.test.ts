import { afterEach, expect, test } from 'vitest';
import { groupAt } from '#app/testing/durable-groups.ts';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { systemTime } from '#time/system-time.ts';
import { BootstrapCollector } from './bootstrap.ts';
import { receiveLiveRows } from './live-rows-channel.ts';
import { ProjectionInThread } from './projection-in-thread.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function openBootstrap(
  maxRecords: number,
): Promise<{ bootstrap: BootstrapCollector; publish: (sequence: number) => void }> {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const place = { path: `${path}/projection.sqlite`, mayReplace: true, journal: `${path}/journal`, log: () => {} };
  const projection = await ProjectionInThread.open({ ...place, ...systemTime });
  undo.push(() => projection.close());
  const bootstrap = new BootstrapCollector(projection, maxRecords);
  const publish = (sequence: number) => {
    projection.follow(groupAt(sequence));
    bootstrap.follow(groupAt(sequence));
  };
  return { bootstrap, publish };
}

test('takes the earlier rows and all groups published since, once', async () => {
  const { bootstrap, publish } = await openBootstrap(3);
  for (const sequence of [1, 2, 3]) publish(sequence);
  const taken = bootstrap.collect()!;
  expect(taken).toMatchObject({ sequence: 0, since: { length: 3 } });
  expect((await receiveLiveRows(taken.rows)).sequence).toBe(0);
  publish(4);
  expect(taken.since).toHaveLength(3);
  expect(bootstrap.collect()).toBeUndefined();
});

test('has no initial state when there are too many records', async () => {
  const { bootstrap, publish } = await openBootstrap(2);
  for (const sequence of [1, 2, 3, 4]) publish(sequence);
  expect(bootstrap.collect()).toBeUndefined();
});
