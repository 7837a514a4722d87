/** Cancels during a fault, a halt or a later day, over HTTP on the real venue. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { VenueResponse } from '#http/testing/driven-venue.ts';
import { cancelOutcomes, OrderClient } from '#http/testing/order-client.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { WriterBusy } from '#writer/port/submit.ts';

let venue: VenueUnderTest;
let own: OrderClient;

beforeAll(async () => {
  venue = await startVenue();
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});
beforeEach(async () => {
  own = await OrderClient.of(venue);
});

test.each<[string, (order: VenueResponse['body']) => Promise<VenueResponse>]>([
  ['a cancel of one', ({ orderId }) => own.cancelOne(orderId)],
  ['a cancel by clientOrderId', ({ clientOrderId }) => own.cancelByClientOrderId(clientOrderId)],
  ['a cancel of several', ({ orderId }) => own.cancel({ orderIds: ['999999', orderId, 'abc'] })],
  ['a cancel of several by clientOrderId', ({ clientOrderId }) => own.cancel({ clientOrderIds: [clientOrderId, clientOrderId] })],
  ['a cancel of all', () => own.cancelAll()],
  ['a cancel of all in a market', () => own.cancelAll({ marketId: 'BTC-USD-PERP' })],
])('%s is submitted before any read', async (_, cancelled) => {
  const order = await own.place();
  const steps: string[] = [];
  venue.planted.beforeSubmit = () => steps.push('submitted');
  venue.planted.beforeRead = () => steps.push('read');
  const { status } = await cancelled(order);
  venue.planted.beforeSubmit = undefined;
  venue.planted.beforeRead = undefined;
  expect([status, steps]).toEqual([200, ['submitted', 'read']]);
  expect(await own.statusOf(order.orderId)).toBe('cancelled');
});

test('cancels by a clientOrderId that the venue has forgotten, in one turn with others', async () => {
  const [old, older] = [await own.place({ clientOrderId: 'old' }), await own.place({ clientOrderId: 'older' })];
  venue.pass(86_400_001);
  await venue.publishIndex(65_000);
  const fresh = await own.place({ clientOrderId: 'fresh' });
  const { body } = await own.cancelByClientOrderId('old');
  expect(body).toMatchObject({ orderId: old.orderId, status: 'cancelled' });
  const before = venue.sequence();
  expect(cancelOutcomes(await own.cancel({ clientOrderIds: ['fresh', 'older', 'old', 'fresh'] }))).toEqual([
    [fresh.orderId, 'cancelled'],
    [older.orderId, 'cancelled'],
    [old.orderId, 'cancelled'],
    [fresh.orderId, 'cancelled'],
  ]);
  expect(venue.sequence()).toBe(before + 1);
});

test('reports earlier cancels on a halted venue, and cancels nothing', async () => {
  const halted = await startVenue();
  try {
    const [one, idle] = [await OrderClient.of(halted), await OrderClient.of(halted)];
    const [gone, open] = [await one.place(), await one.place()];
    const before = await one.cancelOne(gone.orderId);
    halted.halt();
    expect((await one.cancelOne(gone.orderId)).body).toEqual(before.body);
    expect((await one.cancelOne('999999')).body.code).toBe('order_not_found');
    expect((await one.cancelOne(open.orderId)).body.code).toBe('venue_halted');
    expect((await one.cancelAll()).body.code).toBe('venue_halted');
    expect((await idle.cancelAll()).body).toMatchObject({ cancelled: [], lastSequence: halted.sequence() });
    expect(halted.internalErrors).toHaveLength(1);
  } finally {
    await halted.close();
  }
});

test('cancelling all reports its progress if the venue becomes busy, and continues when repeated', async () => {
  await own.placeMany(40);
  let turns = 0;
  venue.planted.beforeSubmit = () => {
    turns += 1;
    if (turns === 2) throw new WriterBusy('planted');
  };
  const { status, headers, body } = await own.cancelAll();
  venue.planted.beforeSubmit = undefined;
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'venue_busy', '1']);
  expect(body.safeMessage).toContain('32 orders were cancelled before');
  expect(await own.open()).toHaveLength(8);
  expect((await own.cancelAll()).body.cancelled).toHaveLength(8);
});

test('cancels say that they were applied if the read model is rebuilt meanwhile, and can be repeated', async () => {
  const [one, two, three] = [await own.place(), await own.place(), await own.place()];
  const cancels: [send: () => Promise<VenueResponse>, ended: string][] = [
    [() => own.cancelOne(one.orderId), one.orderId],
    [() => own.cancel({ orderIds: [two.orderId] }), two.orderId],
    [() => own.cancelAll(), three.orderId],
  ];
  for (const [send, ended] of cancels) {
    venue.planted.beforeRead = () => {
      throw new WriterBusy('planted');
    };
    const { status, headers, body } = await send();
    venue.planted.beforeRead = undefined;
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'venue_busy', '1']);
    expect(body.safeMessage).toMatch(/carried out the request, .+ not carried out twice/);
    expect(await own.statusOf(ended)).toBe('cancelled');
    const before = venue.sequence();
    expect((await send()).status).toBe(200);
    expect(venue.sequence()).toBe(before);
  }
});

test('a reused clientOrderId names the newest order', async () => {
  const first = await own.place({ clientOrderId: 'reused' });
  venue.pass(86_400_001);
  await venue.publishIndex(65_000);
  const second = await own.place({ clientOrderId: 'reused' });
  expect(second.orderId).not.toBe(first.orderId);
  expect((await own.byClientOrderId('reused')).body.orderId).toBe(second.orderId);
  expect(cancelOutcomes(await own.cancel({ clientOrderIds: ['reused'] }))).toEqual([[second.orderId, 'cancelled']]);
  expect((await own.cancelByClientOrderId('reused')).body.orderId).toBe(second.orderId);
  expect(await own.statusOf(first.orderId), 'the older one is named by its orderId').toBe('open');
});
