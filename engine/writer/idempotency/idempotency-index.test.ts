/**
 * Compares the compact index with a plain list of keys, and fills it with very many keys: 200,000 by default,
 * OPENPERP_IDEMPOTENCY_KEYS=10000000 for as many as a venue promises to keep.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf } from '#simulation/toy-writer.ts';
import { buffersOf, IDEMPOTENCY_LIMITS, IdempotencyIndex } from './idempotency-index.ts';

const LIMITS = { retentionMs: 20, maxKeysPerAccount: 4, maxKeys: 9 };

interface KnownKey {
  readonly key: number;
  readonly account: number;
  readonly epochMs: number;
  readonly position: number;
}

/** Oldest first. */
class NaiveIndex {
  #known: readonly KnownKey[] = [];

  add(added: KnownKey): void {
    this.#known = this.#known.filter(({ epochMs }) => epochMs + LIMITS.retentionMs >= added.epochMs);
    const ofAccount = this.#ofAccount(added.account);
    if (ofAccount.length >= LIMITS.maxKeysPerAccount) this.#known = this.#known.filter((known) => known !== ofAccount[0]);
    this.#known = [...this.#known, added];
  }

  hasCapacity(account: number, now: number): boolean {
    const retained = this.#known.filter(({ epochMs }) => epochMs + LIMITS.retentionMs >= now);
    return retained.length < LIMITS.maxKeys || this.#ofAccount(account).length >= LIMITS.maxKeysPerAccount;
  }

  find(key: number, now: number): number | undefined {
    return this.#known.find((known) => known.key === key && known.epochMs + LIMITS.retentionMs >= now)?.position;
  }

  findNewest(key: number, now: number): number | undefined {
    return this.#known.findLast((known) => known.key === key && known.epochMs + LIMITS.retentionMs >= now)?.position;
  }

  #ofAccount(account: number): readonly KnownKey[] {
    return this.#known.filter((known) => known.account === account);
  }
}

const steps = fc.array(
  fc.record({
    account: fc.integer({ min: 0, max: 4 }),
    waitMs: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 60 })),
  }),
  { maxLength: 120 },
);

it('finds the same keys and has the same room as a plain list, whatever is added, refused and dropped', () => {
  fc.assert(
    fc.property(steps, (added) => {
      const index = new IdempotencyIndex(LIMITS);
      const naive = new NaiveIndex();
      let epochMs = 1_000;
      for (const [key, { account, waitMs }] of added.entries()) {
        epochMs += waitMs;
        expect(index.hasCapacity(account, epochMs)).toBe(naive.hasCapacity(account, epochMs));
        if (index.hasCapacity(account, epochMs)) {
          index.add({ keyDigest: digestOf(`${key}`), bodyDigest: digestOf('body'), account }, epochMs, key * 1_000);
          naive.add({ key, account, epochMs, position: key * 1_000 });
        }
        for (let number = 0; number <= key + 1; number += 1) {
          for (const later of [0, 7])
            expect(index.find(digestOf(`${number}`), epochMs + later)).toBe(naive.find(number, epochMs + later));
        }
      }
    }),
    { numRuns: 100 },
  );
});

it('finds the younger record of a reused key, also after the older one is dropped', () => {
  const index = new IdempotencyIndex(LIMITS);
  const key = { keyDigest: digestOf('again'), bodyDigest: digestOf('body'), account: 1 };
  index.add(key, 0, 1_000);
  index.add(key, 15, 2_000);
  expect(index.find(key.keyDigest, 15)).toBe(2_000);
  index.add({ ...key, keyDigest: digestOf('other') }, 25, 3_000);
  expect(index.find(key.keyDigest, 25)).toBe(2_000);
});

it('finds the same keys after the older ones were loaded, in this thread or another', async () => {
  const property = fc.asyncProperty(steps, fc.nat(120), fc.boolean(), async (added, loadedCount, isMoved) => {
    const naive = new NaiveIndex();
    let index = new IdempotencyIndex(LIMITS);
    let epochMs = 1_000;
    const add = ([key, { account, waitMs }]: (typeof timed)[number]) => {
      epochMs += waitMs;
      // A key of an account is reused, while the first is still there or long gone.
      const known = { key: account * 3 + (key % 3), account, epochMs, position: key * 1_000 };
      index.add({ keyDigest: digestOf(`${known.key}`), bodyDigest: digestOf('body'), account }, epochMs, known.position);
      naive.add(known);
    };
    const timed = [...added.entries()];
    await index.load(async () => timed.slice(0, loadedCount).forEach(add));
    const { memory } = index;
    if (isMoved) index = new IdempotencyIndex(LIMITS, structuredClone(memory, { transfer: buffersOf(memory) }));
    timed.slice(loadedCount).forEach(add);
    for (let key = 0; key < 15; key += 1) {
      expect(index.find(digestOf(`${key}`), epochMs)).toBe(naive.findNewest(key, epochMs));
    }
    for (let account = 0; account <= 4; account += 1)
      expect(index.hasCapacity(account, epochMs)).toBe(naive.hasCapacity(account, epochMs));
  });
  await fc.assert(property, { numRuns: 100 });
});

function keyOf(number: number, account: number) {
  const keyDigest = new Uint8Array(32);
  new DataView(keyDigest.buffer).setUint32(0, Math.imul(number, 0x9e3779b1));
  return { keyDigest, bodyDigest: keyDigest, account };
}

it("keeps an account's key however many keys other accounts use", () => {
  const index = new IdempotencyIndex(IDEMPOTENCY_LIMITS);
  const { maxKeysPerAccount } = IDEMPOTENCY_LIMITS;
  index.add(keyOf(0, 7), 0, 4_711);
  const others = 11;
  for (let number = 1; number <= others * maxKeysPerAccount; number += 1)
    index.add(keyOf(number, 10 + (number % others)), 1, number);
  expect(index.find(keyOf(0, 7).keyDigest, 2)).toBe(4_711);
  expect(index.find(keyOf(1, 11).keyDigest, 2)).toBe(1);

  // An account beyond its share loses its own oldest key.
  index.add(keyOf(2_000_001, 11), 1, 1);
  expect(index.find(keyOf(1, 11).keyDigest, 2)).toBeUndefined();
  expect(index.find(keyOf(0, 7).keyDigest, 2)).toBe(4_711);
});

it('reuses the room of expired keys as they are dropped a few at a time', () => {
  const index = new IdempotencyIndex({ ...IDEMPOTENCY_LIMITS, maxKeys: 300_000 });
  const later = IDEMPOTENCY_LIMITS.retentionMs + 2;
  for (let number = 0; number < 300_000; number += 1) index.add(keyOf(number, number % 3), 1, number);
  expect(index.hasCapacity(9, 1)).toBe(false);
  expect(index.hasCapacity(9, later)).toBe(true);
  for (let number = 0; number < 299_000; number += 1) {
    expect(index.hasCapacity(9 + (number % 3), later)).toBe(true);
    index.add(keyOf(1_000_000 + number, 9 + (number % 3)), later, number);
  }
  expect(index.find(keyOf(0, 0).keyDigest, later)).toBeUndefined();
  expect(index.find(keyOf(1_298_999, 0).keyDigest, later)).toBe(298_999);
});

it('finds each of very many keys, in little memory', () => {
  const count = Number(process.env.OPENPERP_IDEMPOTENCY_KEYS ?? 200_000);
  const index = new IdempotencyIndex(IDEMPOTENCY_LIMITS);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  // Odd factors: no two numbers below 2^32 have the same words.
  const numbered = (number: number) => {
    view.setUint32(0, Math.imul(number, 0x9e3779b1));
    view.setUint32(8, Math.imul(number, 0x85ebca6b));
    return digest;
  };
  for (let number = 1; number <= count; number += 1) index.addAt(numbered(number), 0, number % 1_000, number >>> 6, number);
  let lost = 0;
  for (let number = 1; number <= count; number += 1) if (index.find(numbered(number), count >>> 6) !== number) lost += 1;
  expect(lost).toBe(0);
  expect(index.find(numbered(count + 1), count >>> 6)).toBeUndefined();
  const bytes = buffersOf(index.memory).reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes / count).toBeLessThan(90);
  if (count >= IDEMPOTENCY_LIMITS.maxKeys) {
    expect(index.hasCapacity(1_001, count >>> 6)).toBe(false);
    expect(process.memoryUsage().rss).toBeLessThan(1e9);
  }
});
