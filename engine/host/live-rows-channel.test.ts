import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { gathered, openProjection } from '#projection/projection.ts';
import { History } from '#simulation/history.ts';
import { receiveLiveRows, sendLiveRows } from './live-rows-channel.ts';

test('receives the same rows in any number of pieces', async () => {
  const history = History.begin(7);
  for (let price = 0; price < 10; price += 1) history.limit(1, 'buy', 9_900 - price, 1);
  const projection = openProjection(':memory:');
  projection.follow(history.group(0));
  const { port1, port2 } = new MessageChannel();
  const received = receiveLiveRows(port2);
  sendLiveRows(port1, projection.livePieces(2));
  port1.close();
  const rows = await received;
  expect(rows.orders).toHaveLength(10);
  expect(rows.accounts).toHaveLength(7);
  expect(structuredClone(gathered(projection.livePieces()))).toEqual(rows);
  projection.close();
});

test('rejects when not all rows arrive', async () => {
  const { port1, port2 } = new MessageChannel();
  const received = receiveLiveRows(port2);
  port1.postMessage({ piece: { table: 'orders', rows: [] } });
  port1.close();
  await expect(received).rejects.toThrow('did not arrive');
});
