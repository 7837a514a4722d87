import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EpochMs } from '#units/money.ts';
import { Deadlines } from './deadlines.ts';

const changes = fc.array(fc.record({ key: fc.nat(12), time: fc.option(fc.nat(5)) }), { maxLength: 60 });

test('equals a sorted list after any changes', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const deadlines = new Deadlines();
      const expected = new Map<number, number>();
      for (const { key, time } of all) {
        if (time === null) {
          deadlines.delete(key);
          expected.delete(key);
        } else {
          deadlines.set(key, time as EpochMs);
          expected.set(key, time);
        }
        expect(deadlines.isInOrder).toBe(true);
      }
      const sorted = [...expected].sort(([key, time], [other, later]) => time - later || key - other);
      expect(deadlines.size).toBe(sorted.length);
      for (const [key, time] of sorted) {
        expect([deadlines.first, deadlines.firstTime, deadlines.timeOf(key)]).toEqual([key, time, time]);
        expect(deadlines.dueAt((time - 1) as EpochMs)).toBe(undefined);
        expect(deadlines.dueAt(time as EpochMs)).toBe(key);
        deadlines.delete(key);
      }
      expect(deadlines.firstTime).toBe(undefined);
    }),
  );
});
