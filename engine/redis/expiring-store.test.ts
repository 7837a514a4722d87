/** Expiring stores: one suite, over this process and over Redis; and what happens while Redis is unavailable. */
import { describe, expect, test } from 'vitest';
import type { ExpiringEntry, StoreCapacity } from '#identity/expiring-store.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { eventually } from '#time/testing/eventually.ts';
import { type EpochMs, epochMs } from '#units/money.ts';
import { RedisExpiringStore } from './expiring-store.ts';
import { NO_REDIS, RedisProcess } from './testing/redis-process.ts';
import { linkTo, storePlaces } from './testing/store-places.ts';

interface Entry extends ExpiringEntry {
  readonly uses: number;
}

const now = epochMs(1_700_000_000_000);
const later = (ms: number) => (now + ms) as EpochMs;
const REPLACING: StoreCapacity = { maxInAll: 5, maxPerOwner: 3, ifOwnerIsFull: 'replace_oldest' };
const REFUSING: StoreCapacity = { ...REPLACING, ifOwnerIsFull: 'refuse' };
const { places, redis, link } = storePlaces();

function entry(id: string, owner = 'acct-1', forgottenAtEpochMs = later(1_000)): Entry {
  return { id, owner, countedUntilEpochMs: forgottenAtEpochMs, forgottenAtEpochMs, uses: 0 };
}

const use = (it: Entry) => ({ entry: { ...it, uses: it.uses + 1 } });

for (const { name, missing, make, subscribed } of places) {
  describe.skipIf(missing !== undefined)(`an expiring store ${name}`, () => {
    test('finds and lists entries as they were stored, and no others', async () => {
      const store = make<Entry>(REPLACING);
      expect(await store.add(entry('a'), now)).toBe('added');
      expect(await store.add(entry('b', 'acct-1', later(1_001)), now)).toBe('added');
      expect(await store.add(entry('c', 'acct-2'), now)).toBe('added');
      expect(await store.find('a', now)).toEqual(entry('a'));
      expect(await store.find('x', now)).toBeUndefined();
      expect(await store.change('x', now, use)).toBeUndefined();
      expect((await store.ofOwner('acct-1', now)).map(({ id }) => id)).toEqual(['a', 'b']);
      expect(await store.ofOwner('acct-3', now)).toEqual([]);
    });

    test('refuses an id that exists, and leaves its entry', async () => {
      const store = make<Entry>(REPLACING);
      await store.add(entry('a'), now);
      expect(await store.add(entry('a', 'acct-2'), now)).toBe('taken');
      expect(await store.find('a', now)).toEqual(entry('a'));
    });

    test('forgets entries at their end', async () => {
      const store = make<Entry>(REFUSING);
      for (const id of ['a', 'b', 'c']) await store.add(entry(id), now);
      expect(await store.find('a', later(999))).toBeDefined();
      expect(await store.find('a', later(1_000))).toBeUndefined();
      expect(await store.change('a', later(1_000), use)).toBeUndefined();
      expect(await store.ofOwner('acct-1', later(1_000))).toEqual([]);
      expect(await store.add(entry('d', 'acct-1', later(2_000)), later(1_000))).toBe('added');
    });

    test('replaces the oldest entry of the same owner, also when it is full, and notifies of its end', async () => {
      const store = make<Entry>(REPLACING);
      const ended: string[] = [];
      store.onEnded((id) => ended.push(id));
      await subscribed();
      for (const [index, id] of ['a', 'b', 'c'].entries()) await store.add(entry(id, 'acct-1', later(1_000 + index)), now);
      for (const id of ['x', 'y']) await store.add(entry(id, 'acct-2'), now);
      expect(await store.add(entry('d', 'acct-1', later(1_003)), now)).toBe('added');
      await expect.poll(() => ended).toEqual(['a']);
      expect((await store.ofOwner('acct-1', now)).map(({ id }) => id)).toEqual(['b', 'c', 'd']);
      expect(await store.ofOwner('acct-2', now)).toHaveLength(2);
      // The replaced one counts no more.
      await store.change('x', now, () => ({ entry: undefined }));
      expect(await store.add(entry('z', 'acct-3'), now)).toBe('added');
    });

    test('refuses a further entry of an owner if it does not replace', async () => {
      const store = make<Entry>(REFUSING);
      for (const id of ['a', 'b', 'c']) await store.add(entry(id), now);
      expect(await store.add(entry('d'), now)).toBe('owner_full');
      expect(await store.ofOwner('acct-1', now)).toHaveLength(3);
      expect(await store.add(entry('d', 'acct-2'), now)).toBe('added');
    });

    test('refuses a further entry of a site, which a /48 of IPv6 is, and of no other', async () => {
      const store = make<Entry>({ ...REFUSING, maxPerOwner: 2, maxPerSite: 3 });
      const network = (subnet: number) => `2001:db8:1:${subnet}`;
      for (const [index, id] of ['a', 'b', 'c'].entries()) expect(await store.add(entry(id, network(index)), now)).toBe('added');
      expect(await store.add(entry('d', network(9)), now)).toBe('site_full');
      expect(await store.add(entry('d', '2001:db8:2:9'), now)).toBe('added');
      await store.change('a', now, () => ({ entry: undefined }));
      expect(await store.add(entry('e', network(9)), now)).toBe('added');
      expect(await store.add(entry('f', network(9)), later(1_000))).toBe('added');
    });

    test('counts an entry for its owner and its site until it ends, and finds it until it is forgotten', async () => {
      const store = make<Entry>({ ...REFUSING, maxPerOwner: 2, maxPerSite: 2 });
      const counted = (id: string, at = 0) => ({
        ...entry(id, '192.0.2.1', later(at + 1_000)),
        countedUntilEpochMs: later(at + 500),
      });
      for (const id of ['a', 'b']) await store.add(counted(id), now);
      expect(await store.add(counted('c', 499), later(499))).toBe('owner_full');
      expect(await store.add(counted('c', 500), later(500))).toBe('added');
      expect(await store.find('a', later(999))).toMatchObject({ id: 'a' });
      expect((await store.ofOwner('192.0.2.1', later(500))).map(({ id }) => id)).toEqual(['c']);
      // All of them are in the store, which is bounded.
      for (const id of ['d', 'e']) await store.add({ ...counted(id, 500), owner: `192.0.2.${id}` }, later(500));
      expect(await store.add({ ...counted('f', 500), owner: '192.0.2.9' }, later(500))).toBe('full');
    });

    test('counts an entry no more after a change that ends it early', async () => {
      const store = make<Entry>({ ...REFUSING, maxPerOwner: 1, maxPerSite: 1 });
      await store.add(entry('a', '192.0.2.1'), now);
      await store.change('a', now, (it) => ({ entry: { ...it, uses: 9 }, isCounted: false }));
      expect(await store.add(entry('b', '192.0.2.1'), now)).toBe('added');
      expect(await store.find('a', now)).toMatchObject({ uses: 9 });
      await store.change('a', now, () => ({ entry: undefined }));
      expect(await store.add(entry('c', '192.0.2.1'), now)).toBe('owner_full');
    });

    test('refuses entries when it is full, and ends none of another owner', async () => {
      for (const capacity of [REPLACING, REFUSING]) {
        const store = make<Entry>(capacity);
        for (const id of ['a', 'b', 'c']) await store.add(entry(id), now);
        for (const id of ['x', 'y']) await store.add(entry(id, 'acct-2'), now);
        expect(await store.add(entry('z', 'acct-3'), now)).toBe('full');
        expect(await store.add(entry('z', 'acct-2'), now)).toBe('full');
        for (const id of ['a', 'b', 'c', 'x', 'y']) expect(await store.find(id, now)).toBeDefined();
        await store.change('a', now, () => ({ entry: undefined }));
        expect(await store.add(entry('z', 'acct-3'), now)).toBe('added');
      }
    });

    test('replaces and removes an entry by a change, and leaves it if nothing changed', async () => {
      const store = make<Entry>(REPLACING);
      await store.add(entry('a'), now);
      expect(await store.change('a', now, (it) => ({ entry: it, note: 'same' }))).toMatchObject({ note: 'same' });
      await store.change('a', now, use);
      expect(await store.find('a', now)).toEqual({ ...entry('a'), uses: 1 });
      await store.change('a', now, () => ({ entry: undefined }));
      expect(await store.find('a', now)).toBeUndefined();
      expect(await store.ofOwner('acct-1', now)).toEqual([]);
      expect(await store.add(entry('a'), now)).toBe('added');
    });

    test('changes atomically: counts each of 64 parallel changes once', async () => {
      const store = make<Entry>(REPLACING);
      await store.add(entry('a'), now);
      await Promise.all(Array.from({ length: 64 }, () => store.change('a', now, use)));
      expect(await store.find('a', now)).toMatchObject({ uses: 64 });
    });

    test('notifies of an end that a change declares, and of no other change', async () => {
      const store = make<Entry>(REPLACING);
      const ended: string[] = [];
      store.onEnded((id) => ended.push(id));
      await subscribed();
      for (const id of ['a', 'b', 'c']) await store.add(entry(id), now);
      await store.change('a', now, use);
      await store.change('b', now, () => ({ entry: undefined }));
      await store.change('c', now, (it) => ({ entry: it, isEnded: true }));
      await expect.poll(() => ended).toEqual(['c']);
    });
  });
}

describe.skipIf(NO_REDIS !== undefined)('an expiring store in Redis', () => {
  test('is shared by all who use its name, and is not another store', async () => {
    const [here, there, other] = ['shared', 'shared', 'other'].map(
      (name) => new RedisExpiringStore<Entry>(link(), name, REPLACING),
    );
    await here!.add(entry('a'), now);
    await there!.change('a', now, use);
    expect(await here!.find('a', now)).toMatchObject({ uses: 1 });
    expect(await other!.find('a', now)).toBeUndefined();
    expect(await other!.ofOwner('acct-1', now)).toEqual([]);
  });

  test('stores nothing without an expiry', async () => {
    await new RedisExpiringStore<Entry>(link(), 'shared', REPLACING).add(entry('b'), now);
    const expiries = (await link().run(EXPIRIES, [], [])) as number[];
    expect(expiries.length).toBeGreaterThanOrEqual(3);
    expect(expiries.filter((ms) => ms < 1)).toEqual([]);
  });

  test('changes nothing over a replica, which may be behind: no entry is used there', async () => {
    const replica = await RedisProcess.start();
    await replica.follow(redis());
    const behind = linkTo(replica);
    const [here, there] = [link(), behind].map((at) => new RedisExpiringStore<Entry>(at, 'copied', REPLACING));
    const lasting = entry('a', 'acct-1', later(600_000));
    await here!.add(lasting, now);
    await eventually(async () => expect(await there!.find('a', now)).toEqual(lasting));
    await expect(there!.change('a', now, () => ({ entry: undefined }))).rejects.toThrow(StoreUnavailable);
    await eventually(async () => expect(await there!.find('a', now)).toEqual(lasting));
    await expect(there!.add(entry('b'), now)).rejects.toThrow(StoreUnavailable);
    expect(await here!.change('a', now, use)).toMatchObject({ entry: { uses: 1 } });
    behind.close();
    await replica.remove();
  });

  test('rejects at once while Redis is unavailable, and is empty after it lost its data', async () => {
    const store = new RedisExpiringStore<Entry>(link(), 'lost', REPLACING);
    await store.add(entry('a', 'acct-1', later(600_000)), now);
    await redis().kill();
    for (const call of [
      () => store.add(entry('b'), now),
      () => store.change('a', now, use),
      () => store.find('a', now),
      () => store.ofOwner('acct-1', now),
    ])
      await expect(call()).rejects.toThrow(StoreUnavailable);
    await redis().start();
    await expect.poll(() => link().isUp).toBe(true);
    expect(await store.find('a', now)).toBeUndefined();
    expect(await store.add(entry('a'), now)).toBe('added');
  });
});

const EXPIRIES = {
  lua: "local all = {} for _, key in ipairs(redis.call('KEYS', 'test:shared:*')) do all[#all + 1] = redis.call('PTTL', key) end return all",
  digest: '2'.repeat(40),
};
