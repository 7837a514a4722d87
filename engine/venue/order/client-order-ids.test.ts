import { expect, test } from 'vitest';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { CLIENT_ORDER_ID_RETENTION_MS, CLIENT_ORDER_IDS_PER_ACCOUNT, ClientOrderIds } from './client-order-ids.ts';

const start = 1_700_000_000_000;
const at = (ms: number) => (start + ms) as EpochMs;
const order = (ordinal: number) => ordinal as OrderOrdinal;
const owner = (ordinal: number, digestSeed = ordinal * 7) => ({ ordinal: ordinal as AccountOrdinal, digestSeed });
const DAY = CLIENT_ORDER_ID_RETENTION_MS;
const one = owner(1);

test('keeps an id taken for 24 hours, then frees it', () => {
  const ids = new ClientOrderIds();
  ids.take(one, 'first', order(1), at(0));
  expect(ids.orderOf(one, 'first', at(DAY - 1))).toBe(1);
  expect(ids.orderOf(one, 'second', at(0))).toBeUndefined();
  expect(ids.orderOf(one, 'first', at(DAY))).toBeUndefined();
});

test('keeps ids of accounts apart when their digests are equal', () => {
  const ids = new ClientOrderIds();
  const [left, right] = [owner(1, 5), owner(2, 5)];
  ids.take(left, 'same', order(1), at(0));
  expect(ids.orderOf(right, 'same', at(1))).toBeUndefined();
  ids.take(right, 'same', order(2), at(1));
  expect([ids.orderOf(left, 'same', at(2)), ids.orderOf(right, 'same', at(2))]).toEqual([1, 2]);
});

test('keeps an id taken for 24 hours after its reuse, also when its expired entry is evicted later', () => {
  const ids = new ClientOrderIds();
  for (let count = 1; count <= 100; count += 1) ids.take(one, `id-${count}`, order(count), at(count));
  ids.take(one, 'id-90', order(101), at(2 * DAY));
  expect(ids.orderOf(one, 'id-90', at(3 * DAY - 1))).toBe(101);
  expect(ids.orderOf(one, 'id-89', at(2 * DAY))).toBeUndefined();
  for (let count = 102; count <= 140; count += 1) ids.take(one, `id-${count}`, order(count), at(2 * DAY));
  expect(ids.orderOf(one, 'id-90', at(3 * DAY - 1))).toBe(101);
});

test('evicts the oldest id of the account, and of no other account, when the limit is exceeded', () => {
  const ids = new ClientOrderIds();
  ids.take(owner(2), 'id-0', order(9), at(0));
  for (let count = 0; count <= CLIENT_ORDER_IDS_PER_ACCOUNT; count += 1) ids.take(one, `id-${count}`, order(count + 1), at(0));
  expect(ids.orderOf(one, 'id-0', at(1))).toBeUndefined();
  expect(ids.orderOf(one, 'id-1', at(1))).toBe(2);
  expect(ids.orderOf(one, `id-${CLIENT_ORDER_IDS_PER_ACCOUNT}`, at(1))).toBe(CLIENT_ORDER_IDS_PER_ACCOUNT + 1);
  expect(ids.orderOf(owner(2), 'id-0', at(1))).toBe(9);
});

test('equals a map with times over days, through growth, reused pages and snapshots', () => {
  let ids = new ClientOrderIds();
  const naive = new Map<string, { order: number; time: number }>();
  for (let count = 1; count < 60_000; count += 1) {
    const now = count * DAY * 0.000_05;
    const account = 1 + ((count * 31) % 90);
    const id = `id-${(count * 7_919) % 701}`;
    const known = naive.get(`${account} ${id}`);
    const taken = known !== undefined && known.time + DAY > now ? known.order : undefined;
    if (ids.orderOf(owner(account), id, at(now)) !== taken) expect.fail(`${id} of ${account} at ${now}: not ${taken}`);
    if (taken === undefined) {
      ids.take(owner(account), id, order(count), at(now));
      naive.set(`${account} ${id}`, { order: count, time: now });
    }
    if (count % 6_007 === 0) ids = restored(ids);
  }
});

function bytesOf(ids: ClientOrderIds): Uint8Array<ArrayBuffer> {
  const bytes = new ByteWriter();
  ids.write(bytes);
  return bytes.copy();
}

/** A copy that writes the same bytes, without entries that were freed early. */
function restored(ids: ClientOrderIds): ClientOrderIds {
  const copy = new ClientOrderIds();
  copy.read(new ByteReader(bytesOf(ids)));
  expect(bytesOf(copy)).toEqual(bytesOf(ids));
  return copy;
}

test('writes the same bytes as its restored copy after ids were freed early', () => {
  const ids = new ClientOrderIds();
  for (let count = 0; count < CLIENT_ORDER_IDS_PER_ACCOUNT + 50; count += 1)
    ids.take(one, `id-${count}`, order(count + 1), at(count));
  const copy = restored(ids);
  for (let count = 0; count < 200; count += 1) {
    for (const it of [ids, copy]) it.take(owner(2), `later-${count}`, order(200_000 + count), at(2 * DAY + count));
  }
  expect(bytesOf(copy)).toEqual(bytesOf(ids));
});

test('reuses entries that are freed early, so that memory and snapshots do not grow', () => {
  const ids = new ClientOrderIds();
  const take = (from: number) => {
    for (let count = from; count < from + CLIENT_ORDER_IDS_PER_ACCOUNT; count += 1)
      ids.take(one, `id-${count}`, order(count + 1), at(0));
    return process.memoryUsage().arrayBuffers;
  };
  const full = take(0);
  // New entries for as many ids would take 4 MB.
  expect(take(CLIENT_ORDER_IDS_PER_ACCOUNT)).toBeLessThan(full + 1_000_000);
  expect(new ByteReader(bytesOf(ids)).u32()).toBe(CLIENT_ORDER_IDS_PER_ACCOUNT);
});

/** Digests of different seeds are unrelated: ids that collide with one seed do not collide with another. */
test('gives similar ids different digests', () => {
  const ids = new ClientOrderIds();
  for (let count = 0; count < 50_000; count += 1) {
    const id = `a${count.toString(36)}`;
    if (ids.orderOf(one, id, at(0)) !== undefined) expect.fail(`${id} collides with an earlier id`);
    ids.take(one, id, order(count + 1), at(0));
  }
});
