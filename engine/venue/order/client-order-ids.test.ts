import { expect, test } from 'vitest';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { CLIENT_ORDER_ID_RETENTION_MS, CLIENT_ORDER_IDS_PER_ACCOUNT, ClientOrderIds } from './client-order-ids.ts';

const alice = 1 as AccountOrdinal;
const bob = 2 as AccountOrdinal;
const start = 1_700_000_000_000;
const at = (ms: number) => (start + ms) as EpochMs;
const order = (ordinal: number) => ordinal as OrderOrdinal;

test('an id is taken for its account alone, and for 24 hours', () => {
  const ids = new ClientOrderIds(4);
  ids.take(alice, 'first', order(1), at(0));
  expect(ids.orderOf(alice, 'first', at(CLIENT_ORDER_ID_RETENTION_MS - 1))).toBe(1);
  expect(ids.orderOf(bob, 'first', at(0))).toBeUndefined();
  expect(ids.orderOf(alice, 'first', at(CLIENT_ORDER_ID_RETENTION_MS))).toBeUndefined();
  ids.take(alice, 'first', order(2), at(CLIENT_ORDER_ID_RETENTION_MS));
  expect(ids.orderOf(alice, 'first', at(CLIENT_ORDER_ID_RETENTION_MS + 1))).toBe(2);
});

test('an account that takes more than its number frees its own oldest, nobody else’s', () => {
  const ids = new ClientOrderIds();
  ids.take(bob, 'kept', order(1), at(0));
  for (let count = 0; count <= CLIENT_ORDER_IDS_PER_ACCOUNT; count += 1) ids.take(alice, `id-${count}`, order(count + 2), at(1));
  expect(ids.orderOf(alice, 'id-0', at(2))).toBeUndefined();
  expect(ids.orderOf(alice, 'id-1', at(2))).toBe(3);
  expect(ids.orderOf(alice, `id-${CLIENT_ORDER_IDS_PER_ACCOUNT}`, at(2))).toBe(CLIENT_ORDER_IDS_PER_ACCOUNT + 2);
  expect(ids.orderOf(bob, 'kept', at(2))).toBe(1);
});

test('is the same after a snapshot, also with freed and expired entries in between', () => {
  const ids = new ClientOrderIds(4);
  for (let count = 0; count < 50; count += 1)
    ids.take(count % 3 === 0 ? bob : alice, `id-${count}`, order(count + 1), at(count * CLIENT_ORDER_ID_RETENTION_MS * 0.04));
  const bytes = new ByteWriter();
  ids.layout(bytes);
  const restored = new ClientOrderIds(4);
  restored.layout(new ByteReader(bytes.copy()));
  const now = at(49 * CLIENT_ORDER_ID_RETENTION_MS * 0.04);
  for (let count = 0; count < 50; count += 1) {
    const account = count % 3 === 0 ? bob : alice;
    expect(restored.orderOf(account, `id-${count}`, now)).toBe(ids.orderOf(account, `id-${count}`, now));
    expect(ids.orderOf(account, `id-${count}`, now)).toBe(count > 24 ? count + 1 : undefined);
  }
});
