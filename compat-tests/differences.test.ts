/** The definition of a difference between two structures, and its text. */
import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('treats absent, undefined and null as equal, and ignores info', () => {
  expect(differences({ a: 1, b: undefined, c: null, info: 1 }, { a: 1, d: null, info: { x: 2 } })).toEqual([]);
});

test.each([
  [1, 2, ['it is 1 and 2']],
  [{ a: 1 }, { a: '1' }, ['a is 1 and "1"']],
  [{ a: 0 }, {}, ['a is 0 and nothing']],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ['a.b.1 is 2 and 3']],
  [[1], [1, 2], ['1 is nothing and 2']],
  [{ a: [] }, { a: {} }, ['a is a list on one side only']],
  [{ a: [] }, { a: null }, ['a is [] and nothing']],
  [{ fee: { cost: 1 } }, { fee: { cost: 1, currency: 'X' } }, ['fee.currency is nothing and "X"']],
])('finds the differences of %j and %j', (left, right, expected) => {
  expect(differences(left, right)).toEqual(expected);
});
