/**
 * An account's orders, fills, positions, payments and transfers over HTTP: every filter alone and together, and cursors that
 * belong to one list.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { transferCursor } from '#reads/transfer-cursor.ts';
import { quoteAtoms } from '#units/money.ts';

/** The lists of an account that take the same limit. */
const LIMITED_LISTS = [
  'listOrders',
  'listOpenOrders',
  'listFills',
  'listPositionHistory',
  'listFundingPayments',
  'listLedgerEntries',
] as const;

let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

const own = (bot: Bot, query: Readonly<Record<string, string>> = {}) => ({ bot, params: { accountId: bot.accountId }, query });

async function place(bot: Bot, fields: Readonly<Record<string, unknown>>): Promise<void> {
  attempt += 1;
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...fields };
  expect((await venue.call('placeOrder', { bot, idempotencyKey: `key-${attempt}`, body })).status).toBe(202);
}

/** The taker buys and sells the same quantity three times; one order of each account rests at the end. */
beforeAll(async () => {
  venue = await startVenue();
  [maker, taker] = [await venue.bot(), await venue.bot()];
  for (let round = 0; round < 3; round += 1) {
    for (const side of ['buy', 'sell'] as const) {
      const price = side === 'buy' ? '65001' : '64999';
      await place(maker, { side: side === 'buy' ? 'sell' : 'buy', orderType: 'limit', price, quantity: '0.01' });
      await place(taker, { side, orderType: 'market', quantity: '0.01', clientOrderId: `${side}-${round}` });
    }
  }
  for (const bot of [maker, taker])
    await place(bot, { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01', clientOrderId: 'rests' });
  const { withdrawal } = await venue.operate(
    { type: 'ReserveWithdrawal', account: taker.account, amountAtoms: quoteAtoms(5_000_000), destination: 'party::x' },
    'WithdrawalReserved',
  );
  await venue.operate({ type: 'SettleWithdrawal', withdrawal }, 'WithdrawalSettled');
});
afterAll(() => venue.close());

type Row = Readonly<Record<string, unknown>>;

async function everyPage(id: OperationId, field: string, request: ReturnType<typeof own>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query = { limit: '2', ...request.query, ...(cursor === null ? {} : { cursor }) };
    const { status, body } = await venue.call(id, { ...request, query });
    expect(status).toBe(200);
    expect(body.freshness).toMatchObject({ status: 'fresh', journalSequence: venue.sequence() });
    rows.push(...body[field]);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return rows;
}

describe('closed positions', () => {
  test('are listed by close time, in pages, in both directions', async () => {
    const newest = await everyPage('listPositionHistory', 'positions', own(taker));
    expect(
      newest.map(({ status, closeReason, currentQuantity, maxQuantity }) => [status, closeReason, currentQuantity, maxQuantity]),
    ).toEqual(Array(3).fill(['closed', 'user_close', '0', '0.01']));
    const times = newest.map(({ closedAtEpochMs }) => Number(closedAtEpochMs));
    expect(times).toEqual(times.toSorted((left, right) => right - left));
    expect(await everyPage('listPositionHistory', 'positions', own(taker, { since: '0' }))).toEqual(newest.toReversed());
    const [first, second, third] = newest.toReversed() as [Row, Row, Row];
    const between = { since: String(second.closedAtEpochMs), until: String(third.closedAtEpochMs) };
    expect(await everyPage('listPositionHistory', 'positions', own(taker, between))).toEqual([second, third]);
    expect(await everyPage('listPositionHistory', 'positions', own(taker, { until: String(first.closedAtEpochMs) }))).toEqual([
      first,
    ]);
    expect(await everyPage('listPositionHistory', 'positions', own(taker, { marketId: 'BTC-USD-PERP' }))).toEqual(newest);
    expect((await venue.call('listPositions', own(taker))).body.positions).toEqual([]);
  });
});

describe('positions', () => {
  test('of one market have the digest of all', async () => {
    const holder = await venue.bot();
    await place(maker, { side: 'sell', orderType: 'limit', price: '65001', quantity: '0.01' });
    await place(holder, { side: 'buy', orderType: 'market', quantity: '0.01' });
    const all = (await venue.call('listPositions', own(holder))).body;
    expect(all.positions).toHaveLength(1);
    const one = (await venue.call('listPositions', own(holder, { marketId: 'BTC-USD-PERP' }))).body;
    expect([one.positions, one.readModelDigest]).toEqual([all.positions, all.readModelDigest]);
    expect((await venue.call('listPositions', own(holder, { marketId: 'x' }))).body.code).toBe('market_not_found');
  });
});

describe('orders and fills', () => {
  test('are filtered by each field, and by all of them together', async () => {
    const all = await everyPage('listOrders', 'orders', own(taker, { since: '0' }));
    expect(all).toHaveLength(7);
    const [first] = all as [Row];
    const everything = {
      marketId: 'BTC-USD-PERP',
      status: 'filled',
      clientOrderId: 'buy-0',
      since: String(first.createdAtEpochMs),
      until: String(first.createdAtEpochMs),
    };
    expect(await everyPage('listOrders', 'orders', own(taker, everything))).toEqual([first]);
    expect(await everyPage('listOrders', 'orders', own(taker, { ...everything, status: 'open' }))).toEqual([]);
    expect(await everyPage('listOrders', 'orders', own(taker, { until: String(Number(first.createdAtEpochMs) - 1) }))).toEqual(
      [],
    );
    expect(await everyPage('listOpenOrders', 'orders', own(taker, { clientOrderId: 'rests' }))).toEqual(all.slice(-1));
    expect(await everyPage('listOpenOrders', 'orders', own(taker, { clientOrderId: 'buy-0' }))).toEqual([]);
    const fills = await everyPage('listFills', 'fills', own(taker, { since: '0' }));
    expect(fills).toHaveLength(6);
    const byReference = await everyPage('listFills', 'fills', own(taker, { clientOrderId: 'sell-1', marketId: 'BTC-USD-PERP' }));
    expect(byReference).toEqual(fills.filter(({ clientOrderId }) => clientOrderId === 'sell-1'));
    const orderId = String(byReference[0]!.orderId);
    expect(await everyPage('listFills', 'fills', own(taker, { clientOrderId: 'sell-1', orderId }))).toEqual(byReference);
    for (const query of [{ clientOrderId: 'order-1' }, { clientOrderId: 'buy-1', orderId }, { clientOrderId: 'nothing' }])
      expect((await venue.call('listFills', own(taker, query))).body.code, JSON.stringify(query)).toBe('order_not_found');
  });

  test.each<[OperationId, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['listOrders', {}, { marketId: 'BTC-USD-PERP' }],
    ['listOrders', { status: 'filled' }, {}],
    ['listOrders', {}, { since: '0' }],
    ['listOrders', { since: '0' }, { since: '1' }],
    ['listFills', {}, { until: '9999999999999' }],
    ['listPositionHistory', {}, { marketId: 'BTC-USD-PERP' }],
  ])('of %s with %o continue only with the same parameters, not with %o', async (id, query, others) => {
    const { nextCursor } = (await venue.call(id, own(taker, { ...query, limit: '1' }))).body;
    const cursor = String(nextCursor);
    expect((await venue.call(id, own(taker, { ...query, cursor, limit: '3' }))).status).toBe(200);
    expect((await venue.call(id, own(taker, { ...others, cursor }))).body).toMatchObject({
      code: 'invalid_cursor',
      safeMessage: expect.stringContaining('with other parameters'),
    });
    // Nor with those of another account, nor in another list.
    expect((await venue.call(id, own(maker, { ...query, cursor }))).body.code).toBe('invalid_cursor');
    for (const list of [...LIMITED_LISTS, 'listTransfers'] as const) {
      if (list !== id) expect((await venue.call(list, own(taker, { cursor }))).body.code, list).toBe('invalid_cursor');
    }
  });

  test.each(['0', '501', '-1', '1.5', 'x', ''])('refuse a limit of "%s"', async (limit) => {
    for (const id of LIMITED_LISTS) expect((await venue.call(id, own(taker, { limit }))).body.code).toBe('invalid_request');
  });
});

test('the ledger has every change of money, in pages in both directions, and adds up', async () => {
  const entries = await everyPage('listLedgerEntries', 'entries', own(taker, { since: '0' }));
  expect(await everyPage('listLedgerEntries', 'entries', own(taker))).toEqual(entries.toReversed());
  const round = ['trade_fee', 'realized_pnl', 'trade_fee'];
  expect(entries.map(({ kind }) => kind)).toEqual(['deposit', ...round, ...round, ...round, 'withdrawal']);
  expect(entries[0]).toMatchObject({ amount: '100000', transferId: expect.stringMatching(/^deposit-/), marketId: null });
  const { body } = await venue.call('getAccount', own(taker));
  const sum = entries.reduce((total, { amountAtoms }) => total + Number(amountAtoms), 0);
  expect(sum).toBe(Number(body.cashBalanceAtoms) + Number(body.positionMarginAtoms));
});

describe('transfers', () => {
  test('echo the filter, and continue from a cursor that a client can construct', async () => {
    const { body } = await venue.call('listTransfers', own(taker));
    expect(body).toHaveProperty('kind', null);
    expect(body.transfers).toMatchObject([
      { kind: 'deposit', status: 'credited', amount: '100000' },
      { kind: 'withdrawal', status: 'settled', amount: '5' },
    ]);
    const withdrawals = (await venue.call('listTransfers', own(taker, { kind: 'withdrawal' }))).body;
    expect([withdrawals.kind, withdrawals.transfers]).toEqual(['withdrawal', body.transfers.slice(1)]);
    const first = (await venue.call('listTransfers', own(taker, { limit: '1' }))).body;
    const { updatedAtEpochMs, transferId } = first.transfers[0];
    expect(JSON.parse(Buffer.from(first.nextCursor, 'base64url').toString())).toEqual({ updatedAtEpochMs, transferId });
    expect(await everyPage('listTransfers', 'transfers', own(taker))).toEqual(body.transfers);
    // A client that has seen all later reads what has changed since.
    const cursor = transferCursor(body.transfers[1]);
    expect((await venue.call('listTransfers', own(taker, { cursor }))).body.transfers).toEqual([]);
    await venue.operate(
      { type: 'CreditCash', account: taker.account, amountAtoms: quoteAtoms(1), reference: 'more' },
      'CashPosted',
    );
    expect((await venue.call('listTransfers', own(taker, { cursor }))).body.transfers).toMatchObject([{ amount: '0.000001' }]);
  });

  test.each([
    'x',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('{"updatedAtEpochMs":-1,"transferId":"deposit-1"}').toString('base64url'),
    Buffer.from('{"updatedAtEpochMs":1,"transferId":"deposit-1","more":1}').toString('base64url'),
    Buffer.from('{"updatedAtEpochMs":"1","transferId":"deposit-1"}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])('refuse the cursor %s', async (cursor) => {
    expect((await venue.call('listTransfers', own(taker, { cursor }))).body.code).toBe('invalid_cursor');
  });

  test.each([{ limit: '101' }, { limit: '0' }, { kind: 'transfer' }])('refuse %o', async (query) => {
    expect((await venue.call('listTransfers', own(taker, query))).body.code).toBe('invalid_request');
  });
});

test('reports no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
