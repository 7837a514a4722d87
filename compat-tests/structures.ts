/**
 * Requirements on unified structures beyond ccxt's own tests: exact sums, no duplicates, no null, and the keys that later ccxt
 * versions require. Numbers are compared as decimals, not as floats.
 */
import assert from 'node:assert/strict';
import { Precise, type Trade } from 'ccxt';
import { assertProduct, assertSum } from './decimals.ts';
import type { Stage } from './stage.ts';

type Fields = Record<string, unknown>;

export function fieldsOf(structure: unknown, ...keys: readonly string[]): Fields {
  assert(typeof structure === 'object' && structure !== null, 'not a structure');
  const fields = structure as Fields;
  for (const key of ['info', ...keys]) assert(key in fields, `${key} is missing`);
  for (const [key, value] of Object.entries(fields)) if (key !== 'info') assert.notEqual(value, null, `${key} is null`);
  return fields;
}

export function numberOf(fields: Fields, key: string): number {
  const value = fields[key];
  assert(typeof value === 'number' && Number.isFinite(value), `${key} is ${String(value)}, not a number`);
  return value;
}

export function positive(fields: Fields, ...keys: readonly string[]): void {
  for (const key of keys) assert(numberOf(fields, key) > 0, `${key} is ${String(fields[key])}, not above 0`);
}

/** Not later than the venue's clock at `asOf` of this clock. */
export function assertTime(fields: Fields, { exchange, aheadMs }: Stage, asOf = Date.now()): number {
  const timestamp = numberOf(fields, 'timestamp');
  const latest = asOf + aheadMs;
  assert(Number.isInteger(timestamp) && timestamp > 1_230_940_800_000, `timestamp ${timestamp} is not in milliseconds`);
  assert(timestamp <= latest, `timestamp ${timestamp} is later than ${latest}`);
  assert.equal(fields.datetime, exchange.iso8601(timestamp), 'datetime is not that of timestamp');
  return timestamp;
}

export function assertAscending(list: readonly object[], key = 'timestamp'): void {
  for (const [index, entry] of list.entries()) {
    const earlier = list[index - 1];
    if (earlier !== undefined)
      assert(numberOf(earlier as Fields, key) <= numberOf(entry as Fields, key), `${key} goes back at entry ${index}`);
  }
}

export function assertDistinct(list: readonly object[], key = 'id'): void {
  assert.equal(new Set(list.map((entry) => (entry as Fields)[key])).size, list.length, `the same ${key} twice`);
}

/** An order with any status. */
export function assertOrder(order: unknown, stage: Stage): Fields {
  const fields = fieldsOf(order, 'lastTradeTimestamp', 'stopPrice', 'price', 'average', 'trades');
  assert(typeof fields.id === 'string' && fields.id !== '', 'id is not a string');
  const { entryOrderId } = Object(Object(fields.info).trigger);
  if (typeof entryOrderId === 'string') assert.equal(fields.clientOrderId, undefined, 'the leg of an entry has a clientOrderId');
  else assert(typeof fields.clientOrderId === 'string' && fields.clientOrderId !== '', 'clientOrderId is not a string');
  assert.equal(fields.symbol, stage.symbol);
  assertTime(fields, stage);
  assert(['open', 'closed', 'canceled'].includes(fields.status as string), `status ${String(fields.status)}`);
  assert(['GTC', 'IOC', 'FOK', 'PO', 'GTD'].includes(fields.timeInForce as string), `timeInForce ${String(fields.timeInForce)}`);
  assert.equal(typeof fields.postOnly, 'boolean');
  assert.equal(typeof fields.reduceOnly, 'boolean');
  const [amount, filled, cost] = [numberOf(fields, 'amount'), numberOf(fields, 'filled'), numberOf(fields, 'cost')];
  assertSum(filled, numberOf(fields, 'remaining'), amount, 'filled + remaining = amount');
  if (fields.status === 'closed') assert.equal(filled, amount, 'closed, but not filled');
  const fee = fields.fee as Fields;
  assert.equal(fee.currency, stage.settle, 'the currency of the fee');
  if (filled === 0) assert.equal(cost + numberOf(fee, 'cost'), 0, 'a cost or a fee without a fill');
  else {
    positive(fields, 'average', 'cost', 'lastTradeTimestamp');
    assert(Math.abs(numberOf(fields, 'average') * filled - cost) <= filled * 1e-6 + 1e-9, 'average is not cost over filled');
  }
  return fields;
}

interface SummedTrades {
  readonly filled: unknown;
  readonly cost: unknown;
  readonly fee?: { readonly cost?: unknown; readonly currency?: unknown } | undefined;
}

/** An order equals the sum of its fills, as decimals. */
export function assertSumOfFills(order: SummedTrades, fills: readonly Trade[]): void {
  const sum = (part: (fill: Trade) => unknown) =>
    fills.reduce((total, fill) => Precise.stringAdd(total, String(part(fill))) as string, '0');
  assert(fills.length > 0, 'no fill');
  for (const [what, ofOrder, ofFills] of [
    ['amount', order.filled, sum(({ amount }) => amount)],
    ['cost', order.cost, sum(({ cost }) => cost)],
    ['fee', order.fee?.cost, sum(({ fee }) => fee?.cost)],
  ] as const)
    assert(Precise.stringEq(String(ofOrder), ofFills), `fills of a ${what} of ${ofFills}, and their order says ${ofOrder}`);
}

/** A public trade, or with `own` a fill of the account. */
export function assertTrade(trade: unknown, stage: Stage, { own }: { readonly own: boolean }): Fields {
  const fields = fieldsOf(trade, 'order', 'type', 'takerOrMaker', 'fee', 'fees');
  assert(typeof fields.id === 'string' && fields.id !== '', 'id is not a string');
  assert.equal(fields.symbol, stage.symbol);
  assertTime(fields, stage);
  assert(['buy', 'sell'].includes(fields.side as string), `side ${String(fields.side)}`);
  positive(fields, 'price', 'amount', 'cost');
  assertProduct(numberOf(fields, 'price'), numberOf(fields, 'amount'), numberOf(fields, 'cost'), 'price × amount = cost');
  if (!own) return fields;
  assert(typeof fields.order === 'string' && fields.order !== '', 'a fill without its order');
  assert(['taker', 'maker'].includes(fields.takerOrMaker as string), `takerOrMaker ${String(fields.takerOrMaker)}`);
  const fee = fields.fee as Fields;
  assert.equal(fee.currency, stage.settle);
  const rate = fields.takerOrMaker === 'taker' ? stage.market.taker : stage.market.maker;
  const expected = numberOf(fields, 'cost') * rate;
  assert(
    Math.abs(numberOf(fee, 'cost') - expected) < 1e-6,
    `a fee of ${String(fee.cost)} at a rate of ${rate}, which makes ${expected}`,
  );
  return fields;
}

export function assertBook(book: unknown, stage: Stage): { readonly bids: number[][]; readonly asks: number[][] } {
  const { bids, asks, ...fields } = book as { bids: number[][]; asks: number[][] } & Fields;
  assert.equal(fields.symbol, stage.symbol);
  assertTime(fields, stage);
  assert(bids.length > 0 && asks.length > 0, 'a side without levels');
  for (const [side, direction] of [
    [bids, -1],
    [asks, 1],
  ] as const) {
    for (const [index, [price = 0, size = 0]] of side.entries()) {
      assert(price > 0 && size > 0, `level ${index} is ${price} × ${size}`);
      const before = side[index - 1]?.[0];
      if (before !== undefined) assert((price - before) * direction > 0, `levels ${index - 1} and ${index} are not in order`);
    }
  }
  assert((bids[0]?.[0] ?? 0) < (asks[0]?.[0] ?? 0), 'the book is crossed');
  return { bids, asks };
}
