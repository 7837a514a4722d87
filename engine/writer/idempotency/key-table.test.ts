/** Compares the table of keys with a plain map while it grows and keys are dropped. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyEntries, NONE } from './key-entries.ts';
import { KeyTable } from './key-table.ts';

function wordsOf(key: number): Uint32Array {
  const digest = createHash('sha256').update(`key ${key}`).digest();
  return Uint32Array.from({ length: 4 }, (_, word) => digest.readUInt32LE(word * 4));
}

it('finds exactly the keys that were set and not dropped, through growth and drops', () => {
  const entries = new KeyEntries();
  const table = new KeyTable(entries);
  const known = new Map<number, number>();
  const check = (upTo: number) => {
    let wrong = 0;
    for (let key = 0; key < upTo; key += 1) if (table.find(wordsOf(key)) !== (known.get(key) ?? NONE)) wrong += 1;
    expect(wrong).toBe(0);
  };
  for (let key = 0; key < 30_000; key += 1) {
    entries.fill(key + 1, wordsOf(key), 0, 0, 0);
    table.set(wordsOf(key), key + 1);
    known.set(key, key + 1);
    if (key % 3 === 2) {
      const dropped = (Math.imul(key, 0x9e3779b1) >>> 0) % key;
      const entry = known.get(dropped);
      if (entry !== undefined) table.drop(entry);
      known.delete(dropped);
    }
  }
  expect(known.size).toBeLessThan(26_000);
  check(30_100);
  for (const [key, entry] of known) if (key % 2 === 0) table.drop(entry);
  for (const key of [...known.keys()]) if (key % 2 === 0) known.delete(key);
  check(30_100);
});
