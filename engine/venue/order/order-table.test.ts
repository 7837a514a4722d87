import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OrderOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { NO_SLOT, OrderTable, RestingOrder, type Slot } from './order-table.ts';

/** Includes numbers around 2^32, because a long-running venue reaches them. */
const FIRST = [1, 2 ** 31 - 40, 2 ** 32 - 40, 2 ** 40];

it.each(FIRST)('finds every open order by its number while the table grows, from order %i on', (first) => {
  fc.assert(
    fc.property(fc.array(fc.record({ skip: fc.nat(5), ends: fc.option(fc.nat()) }), { maxLength: 300 }), (steps) => {
      const table = new OrderTable(2);
      const open = new Map<number, Slot>();
      let order = first;
      for (const { skip, ends } of steps) {
        order += 1 + skip;
        open.set(order, table.add(resting(order), order as QuoteAtoms));
        const ended = ends === null ? undefined : [...open.keys()][ends % open.size]!;
        if (ended !== undefined) {
          table.remove(open.get(ended)!);
          open.delete(ended);
          expect(table.slotOf(ended as OrderOrdinal)).toBe(NO_SLOT);
        }
      }
      expect(table.count).toBe(open.size);
      expect(table.slotsByAge()).toEqual([...open.values()]);
      for (const [number, slot] of open) {
        expect(table.slotOf(number as OrderOrdinal)).toBe(slot);
        expect(table.orderOf(slot)).toBe(number);
        expect(table.reservedOf(slot)).toBe(number);
        expect(table.priceOf(slot)).toBe(number % 1_000);
      }
    }),
  );
});

it('grows beyond its initial capacity', () => {
  const table = new OrderTable();
  for (let order = 1; order <= 3_000; order += 1) table.add(resting(order), 0 as QuoteAtoms);
  for (let order = 1; order <= 3_000; order += 1) {
    const slot = table.slotOf(order as OrderOrdinal);
    expect([table.orderOf(slot), table.priceOf(slot)]).toEqual([order, order % 1_000]);
  }
});

function resting(order: number): RestingOrder {
  const it = new RestingOrder();
  it.order = order as OrderOrdinal;
  it.priceAtoms = (order % 1_000) as PriceAtoms;
  return it;
}
