/** The orders of an action, and the position after it. */
import { expect, test } from 'vitest';
import { ordersOf } from './bar-orders.ts';
import { FLAT, positionAfter } from './paper-position.ts';

const LONG = { quantityAtoms: 5, averagePriceAtoms: 100 };
const SHORT = { quantityAtoms: -5, averagePriceAtoms: 100 };
const TERMS = { orderSizeAtoms: 1, minQuantityAtoms: 1, maxQuantityAtoms: 100 };
/** One price atom of one quantity atom is one money atom. */
const SCALE = { priceScale: 3, quantityScale: 3 };

test.each([
  ['a purchase', LONG, { side: 'sell', quantityAtoms: 5, reduceOnly: true }],
  ['a sale', SHORT, { side: 'buy', quantityAtoms: 5, reduceOnly: true }],
])('closes the whole of %s, and nothing more', (_, position, order) => {
  const close = { kind: 'close', entryId: 'E', cause: 'stop', orderId: 'X' } as const;
  expect(ordersOf(close, position, TERMS)).toEqual([{ kind: 'exit', signal: 'X', ...order }]);
  const ofScript = { ...close, cause: 'close', orderId: null } as const;
  expect(ordersOf(ofScript, position, TERMS)).toEqual([{ kind: 'close', signal: 'E', ...order }]);
});

test.each([
  ['a close without a position', { kind: 'close', entryId: null, cause: 'close', orderId: null }, FLAT],
  ['a long entry while long', { kind: 'entry', id: 'E', direction: 'long', quantityAtoms: 1 }, LONG],
  ['a short entry while short', { kind: 'entry', id: 'E', direction: 'short', quantityAtoms: 1 }, SHORT],
] as const)('orders nothing for %s', (_, action, position) => {
  expect(ordersOf(action, position, TERMS)).toEqual([]);
});

test('has the average price of the order that opened or reversed it, rounded down', () => {
  const opened = positionAfter(FLAT, { filledBaseAtoms: 3, filledNotionalAtoms: 301, positionBaseAtoms: 3 }, SCALE);
  expect(opened).toEqual({ quantityAtoms: 3, averagePriceAtoms: 100 });
  const reversed = positionAfter(LONG, { filledBaseAtoms: 12, filledNotionalAtoms: 1_320, positionBaseAtoms: -7 }, SCALE);
  expect(reversed).toEqual({ quantityAtoms: -7, averagePriceAtoms: 110 });
});

test('keeps its average price when it decreases, and has none when it is closed', () => {
  const fills = { filledBaseAtoms: 2, filledNotionalAtoms: 220 };
  expect(positionAfter(LONG, { ...fills, positionBaseAtoms: 3 }, SCALE)).toEqual({ quantityAtoms: 3, averagePriceAtoms: 100 });
  expect(positionAfter(LONG, { ...fills, positionBaseAtoms: 0 }, SCALE)).toEqual(FLAT);
});
