/** The disk is full while the venue runs: orders are refused with the reason, reads work, and no acknowledged order is lost. */
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import type { Files, StorageFile } from '#writer/journal/files.ts';
import type { Halt } from '#writer/port/halt.ts';
import { callerWith, startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

/** The machine may run other load beside this test. */
const ORDERS = '/v1/orders';
const BOOK = '/v1/markets/BTC-USD-PERP/book';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** The real disk until it is full: then it writes the first half of a write and fails. */
class FillingDisk {
  isFull = false;

  under(files: Files): Files {
    const file = (real: StorageFile): StorageFile => ({
      ...real,
      write: async (bytes, position) => {
        if (!this.isFull) return real.write(bytes, position);
        await real.write(bytes.subarray(0, bytes.length >> 1), position);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      },
    });
    return {
      ...files,
      open: async (name) => file(await files.open(name)),
      create: async (name) => file(await files.create(name)),
    };
  }
}

test('halts the venue with a reason when the disk is full, serves reads, and recovers every acknowledged order after a restart with space', async () => {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const config = testConfig(path);
  const disk = new FillingDisk();
  const halts: Halt[] = [];
  const first = await startTestVenue(config, { flushToDisk: (files) => disk.under(files), onHalt: (halt) => halts.push(halt) });
  undo.push(() => first.stop());
  const { accountId, apiKey } = await first.createAccount({ credit: '5000', label: 'lasting' });
  const openOrders = `/v1/accounts/${accountId}/orders/open`;
  const call = callerWith(apiKey);
  const stats = await eventually(async () => {
    const { body } = await call(first, '/v1/markets/BTC-USD-PERP/stats');
    expect(body.markPrice).toBeDefined();
    return body;
  });
  const price = (Number(stats.markPrice) * 0.97).toFixed(1);
  const place = (at: { url: string }, clientOrderId: string) => {
    const order = {
      accountId,
      marketId: 'BTC-USD-PERP',
      clientOrderId,
      side: 'buy',
      orderType: 'limit',
      price,
      quantity: '0.01',
    };
    return call(at, ORDERS, { method: 'POST', headers: { 'idempotency-key': clientOrderId }, body: JSON.stringify(order) });
  };
  const idsOf = ({ body }: { body: { orders: { clientOrderId: string }[] } }) =>
    body.orders.map(({ clientOrderId }) => clientOrderId).sort();

  const acknowledged: string[] = [];
  const refused: string[] = [];
  const tryOrder = async (id: string) => {
    const { status, body } = await place(first, id);
    if (status === 202) acknowledged.push(id);
    else {
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'venue_halted' } });
      expect(JSON.stringify(body)).not.toMatch(/ENOSPC|openperp-/);
      refused.push(id);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(tryOrder));
  const bookBefore = await call(first, BOOK);
  disk.isFull = true;
  await Promise.all(['d', 'e'].map(tryOrder));
  disk.isFull = false;
  await tryOrder('f');
  expect({ acknowledged: acknowledged.sort(), refused: refused.sort() }).toEqual({
    acknowledged: ['a', 'b', 'c'],
    refused: ['d', 'e', 'f'],
  });
  expect(halts).toEqual([expect.objectContaining({ detail: expect.stringContaining('ENOSPC') })]);

  expect(await call(first, '/ready')).toMatchObject({
    status: 503,
    body: { status: 'not_ready', reasons: ['venue_halted: the journal cannot be written'] },
  });
  const halted = { status: 200, body: { freshness: { status: 'stale', degradedState: 'venue_halted' } } };
  const ownOrders = await call(first, openOrders);
  expect(ownOrders).toMatchObject(halted);
  expect(idsOf(ownOrders)).toEqual(['a', 'b', 'c']);
  const book = await call(first, BOOK);
  expect(book.status).toBe(200);
  expect(book.body.bids).toEqual(bookBefore.body.bids);
  expect(book.body.bids).toHaveLength(1);
  await first.stop();
  expect(first.internalErrors).toEqual([]);

  const second = await startTestVenue(config);
  undo.push(() => second.stop());
  expect(idsOf(await call(second, openOrders))).toEqual(['a', 'b', 'c']);
  expect(await call(second, '/ready')).toMatchObject({ status: 200, body: { status: 'ready', reasons: [] } });
  for (const id of refused) expect((await place(second, id)).status).toBe(202);
  expect(idsOf(await call(second, openOrders))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(second.internalErrors).toEqual([]);
});
