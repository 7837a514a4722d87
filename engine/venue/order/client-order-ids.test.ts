import { expect, test } from 'vitest';
import type { OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { CLIENT_ORDER_ID_RETENTION_MS, CLIENT_ORDER_IDS_PER_ACCOUNT, ClientOrderIds } from './client-order-ids.ts';

const start = 1_700_000_000_000;
const at = (ms: number) => (start + ms) as EpochMs;
const order = (ordinal: number) => ordinal as OrderOrdinal;
const DAY = CLIENT_ORDER_ID_RETENTION_MS;

test('an id is taken for 24 hours and free again after', () => {
  const ids = new ClientOrderIds(7);
  ids.take('first', order(1), at(0));
  expect(ids.orderOf('first', at(DAY - 1))).toBe(1);
  expect(ids.orderOf('second', at(0))).toBeUndefined();
  expect(ids.orderOf('first', at(DAY))).toBeUndefined();
});

test('an id that is taken anew is taken anew, also while many others wait to be forgotten', () => {
  const ids = new ClientOrderIds(7);
  for (let count = 1; count <= 100; count += 1) ids.take(`id-${count}`, order(count), at(count));
  ids.take('id-90', order(101), at(2 * DAY));
  expect(ids.orderOf('id-90', at(3 * DAY - 1))).toBe(101);
  expect(ids.orderOf('id-89', at(2 * DAY))).toBeUndefined();
});

test('one more than its number frees the oldest', () => {
  const ids = new ClientOrderIds(7);
  for (let count = 0; count <= CLIENT_ORDER_IDS_PER_ACCOUNT; count += 1) ids.take(`id-${count}`, order(count + 1), at(0));
  expect(ids.orderOf('id-0', at(1))).toBeUndefined();
  expect(ids.orderOf('id-1', at(1))).toBe(2);
  expect(ids.orderOf(`id-${CLIENT_ORDER_IDS_PER_ACCOUNT}`, at(1))).toBe(CLIENT_ORDER_IDS_PER_ACCOUNT + 1);
});

test('a map with times gives the same answers over days, through growth, wrap-around and snapshots', () => {
  let ids = new ClientOrderIds(7);
  const naive = new Map<string, { order: number; time: number }>();
  for (let count = 1; count < 3_000; count += 1) {
    const now = count * DAY * 0.003;
    const id = `id-${(count * 7_919) % 1_200}`;
    const known = naive.get(id);
    const taken = known !== undefined && known.time + DAY > now ? known.order : undefined;
    expect(ids.orderOf(id, at(now))).toBe(taken);
    if (taken === undefined) {
      ids.take(id, order(count), at(now));
      naive.set(id, { order: count, time: now });
    }
    if (count % 97 === 0) ids = restored(ids);
  }
});

function restored(ids: ClientOrderIds): ClientOrderIds {
  const bytes = new ByteWriter();
  ids.layout(bytes);
  const copy = new ClientOrderIds(7);
  copy.layout(new ByteReader(bytes.copy()));
  return copy;
}

test('ids that collide under one seed do not under another', () => {
  const ids = Array.from({ length: 3_000 }, (_, count) => `id-${count}`);
  const order = (seed: number) => {
    const it = new ClientOrderIds(seed);
    const bytes = new ByteWriter();
    for (const [count, id] of ids.entries()) it.take(id, (count + 1) as OrderOrdinal, at(0));
    it.layout(bytes);
    return Array.from(bytes.copy()).join();
  };
  expect(order(1)).not.toBe(order(2));
});
