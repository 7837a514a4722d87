/** Compares the heap with a sorted list over random sequences of operations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import { NEVER_REACHED } from './position-risk.ts';
import { TriggerHeap } from './trigger-heap.ts';

interface Item {
  liquidationPriceAtoms: PriceAtoms;
  ordinal: PositionOrdinal;
  triggerIndex: number;
}

const SIDES = ['long', 'short'] as const;

function item(ordinal: number, price: number): Item {
  return { liquidationPriceAtoms: price as PriceAtoms, ordinal: ordinal as PositionOrdinal, triggerIndex: -1 };
}

function sorted(items: Iterable<Item>, side: (typeof SIDES)[number]): Item[] {
  const sign = side === 'long' ? -1 : 1;
  return [...items].sort((a, b) => sign * (a.liquidationPriceAtoms - b.liquidationPriceAtoms) || a.ordinal - b.ordinal);
}

function drain(heap: TriggerHeap<Item>): Item[] {
  const taken: Item[] = [];
  while (heap.top !== undefined) {
    taken.push(heap.top);
    heap.remove(heap.top);
  }
  return taken;
}

test('orders longs by descending price, shorts by ascending price, equal prices by ordinal', () => {
  const orderOf = (side: (typeof SIDES)[number]) => {
    const heap = new TriggerHeap<Item>(side);
    for (const [ordinal, price] of [900, 950, 900, 0, NEVER_REACHED].entries()) heap.add(item(ordinal + 1, price));
    expect(heap.size).toBe(5);
    return drain(heap).map(({ ordinal }) => ordinal);
  };
  expect(orderOf('long')).toEqual([5, 2, 1, 3, 4]);
  expect(orderOf('short')).toEqual([4, 1, 3, 2, 5]);
});

test('sets the index of a removed item to -1', () => {
  const heap = new TriggerHeap<Item>('long');
  const [first, second] = [item(1, 10), item(2, 20)];
  heap.add(first);
  heap.add(second);
  heap.remove(first);
  expect([first.triggerIndex, second.triggerIndex, heap.size, heap.top]).toEqual([-1, 0, 1, second]);
  heap.remove(second);
  expect([second.triggerIndex, heap.size, heap.top]).toEqual([-1, 0, undefined]);
});

test('removes thousands of items in the same order for any order of insertion', () => {
  const prices = fc.array(fc.nat(500), { minLength: 1_000, maxLength: 3_000 });
  fc.assert(
    fc.property(prices, fc.constantFrom(...SIDES), (list, side) => {
      const items = list.map((price, place) => item(place + 1, price));
      const orders = [items, [...items].reverse(), sorted(items, side)].map((entries) => {
        const heap = new TriggerHeap<Item>(side);
        for (const entry of entries) heap.add(entry);
        return drain(heap);
      });
      for (const order of orders) expect(order).toEqual(sorted(items, side));
    }),
    { numRuns: 5 },
  );
});

const step = fc.record({
  what: fc.constantFrom('add', 'add', 'add', 'move', 'move', 'renumber', 'remove', 'take'),
  which: fc.nat(),
  // Few prices, so that many items share one.
  price: fc.nat(12),
});

test('has the first of the sorted list on top after every step and drains in its order', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SIDES), fc.array(step, { maxLength: 300 }), (side, steps) => {
      const heap = new TriggerHeap<Item>(side);
      const items: Item[] = [];
      let ordinal = 0;
      for (const { what, which, price } of steps) {
        const chosen = items[which % items.length];
        if (what === 'add' || chosen === undefined) {
          ordinal += 1;
          items.push(item(ordinal, price));
          heap.add(items.at(-1)!);
        } else if (what === 'move') {
          chosen.liquidationPriceAtoms = price as PriceAtoms;
          heap.update(chosen);
        } else if (what === 'renumber') {
          ordinal += 1;
          chosen.ordinal = ordinal as PositionOrdinal;
          heap.update(chosen);
        } else {
          const leaving = what === 'take' ? heap.top! : chosen;
          heap.remove(leaving);
          items.splice(items.indexOf(leaving), 1);
        }
        expect(heap.size).toBe(items.length);
        expect(heap.top).toBe(sorted(items, side)[0]);
        const reaches = (it: Item) => (side === 'long' ? price <= it.liquidationPriceAtoms : price >= it.liquidationPriceAtoms);
        expect(heap.isReachedAt(price as PriceAtoms)).toBe(items.some(reaches));
      }
      expect(drain(heap)).toEqual(sorted(items, side));
    }),
    { numRuns: 300 },
  );
});

test('reports inconsistency after a change of an item without update', () => {
  for (const change of [{ ordinal: 3 }, { liquidationPriceAtoms: 899 }, { triggerIndex: 1 }]) {
    const heap = new TriggerHeap<Item>('long');
    const items = [item(1, 900), item(2, 900)];
    for (const it of items) heap.add(it);
    expect([heap.isInOrder, heap.has(items[0]!)]).toEqual([true, true]);
    Object.assign(items[0]!, change);
    expect(heap.isInOrder).toBe(false);
  }
});
