/** The compact index against a plain list of keys that obeys the same limits. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf } from '#simulation/toy-writer.ts';
import { IDEMPOTENCY_LIMITS, IdempotencyIndex } from './idempotency-index.ts';

const LIMITS = { retentionMs: 20, maxKeysPerAccount: 4, maxKeys: 9 };

interface Known {
  readonly key: number;
  readonly account: number;
  readonly epochMs: number;
  readonly position: number;
}

/** Oldest first. */
class NaiveIndex {
  #known: readonly Known[] = [];

  add(added: Known): void {
    this.#known = this.#known.filter(({ epochMs }) => epochMs + LIMITS.retentionMs >= added.epochMs);
    const ofAccount = this.#known.filter(({ account }) => account === added.account);
    if (ofAccount.length >= LIMITS.maxKeysPerAccount) this.#known = this.#known.filter((known) => known !== ofAccount[0]);
    if (this.#known.length >= LIMITS.maxKeys) this.#known = this.#known.slice(1);
    this.#known = [...this.#known, added];
  }

  get size(): number {
    return this.#known.length;
  }

  find(key: number, now: number): number | undefined {
    return this.#known.find((known) => known.key === key && known.epochMs + LIMITS.retentionMs >= now)?.position;
  }
}

const steps = fc.array(fc.record({ account: fc.integer({ min: 0, max: 4 }), waitMs: fc.integer({ min: 0, max: 6 }) }), {
  maxLength: 120,
});

it('knows the same keys as a plain list, whatever is added and dropped', () => {
  fc.assert(
    fc.property(steps, (added) => {
      const index = new IdempotencyIndex(LIMITS);
      const naive = new NaiveIndex();
      let epochMs = 1_000;
      for (const [key, { account, waitMs }] of added.entries()) {
        epochMs += waitMs;
        index.add({ keyDigest: digestOf(`${key}`), bodyDigest: digestOf('body'), account }, epochMs, key * 1_000);
        naive.add({ key, account, epochMs, position: key * 1_000 });
        expect(index.size).toBe(naive.size);
        for (let asked = 0; asked <= key + 1; asked += 1) {
          for (const later of [0, 7])
            expect(index.find(digestOf(`${asked}`), epochMs + later)).toBe(naive.find(asked, epochMs + later));
        }
      }
    }),
    { numRuns: 60 },
  );
});

it('leads to the younger record of a key that was used again, also when the older one is dropped', () => {
  const index = new IdempotencyIndex(LIMITS);
  const key = { keyDigest: digestOf('again'), bodyDigest: digestOf('body'), account: 1 };
  index.add(key, 0, 1_000);
  index.add(key, 15, 2_000);
  expect(index.find(key.keyDigest, 15)).toBe(2_000);
  index.add({ ...key, keyDigest: digestOf('other') }, 25, 3_000);
  expect(index.find(key.keyDigest, 25)).toBe(2_000);
});

it('holds as many keys as are published', () => {
  const maxKeys = 50_000;
  const index = new IdempotencyIndex({ ...IDEMPOTENCY_LIMITS, maxKeys });
  const keyOf = (number: number) => {
    const keyDigest = new Uint8Array(32);
    new DataView(keyDigest.buffer).setUint32(0, Math.imul(number, 0x9e3779b1));
    return { keyDigest, bodyDigest: keyDigest, account: number % 3 };
  };
  for (let number = 0; number < maxKeys + 10; number += 1) index.add(keyOf(number), 0, number);
  expect(index.size).toBe(maxKeys);
  expect(index.find(keyOf(9).keyDigest, 0)).toBeUndefined();
  for (const number of [10, 25_000, maxKeys + 9]) expect(index.find(keyOf(number).keyDigest, 0)).toBe(number);
});
