/**
 * Stores of ticket families: one suite, over this process and over Redis; and what happens to tickets while Redis is unavailable.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_TICKET_FAMILIES } from '#contract/realtime-limits.ts';
import type { StoredApiKey } from '#identity/directory.ts';
import { openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { NO_OWNERS } from '#identity/testing/session-owners.ts';
import { createTicket, digestsOf } from '#identity/ticket.ts';
import { revoked, rotated, type TicketFamily, used } from '#identity/ticket-family.ts';
import { MemoryTicketStore, type TicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { systemTime } from '#time/system-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { type EpochMs, epochMs } from '#units/money.ts';
import { RedisLink } from './redis-link.ts';
import { NO_REDIS, RedisProcess } from './testing/redis-process.ts';
import { RedisTicketStore } from './ticket-store.ts';

const now = epochMs(1_700_000_000_000);
const MAX_FAMILIES = 3;
let redis: RedisProcess;
let link: RedisLink;
let account = 0 as AccountOrdinal;
const internalErrors: unknown[] = [];

beforeAll(async () => {
  if (NO_REDIS !== undefined) return;
  redis = await RedisProcess.start();
  link = await linked();
});
afterAll(async () => {
  link?.close();
  await redis?.remove();
});
beforeEach(() => {
  account = (account + 1) as AccountOrdinal;
});

async function linked(prefix = 'test'): Promise<RedisLink> {
  const onInternalError = (error: unknown) => internalErrors.push(error);
  const link = new RedisLink({ url: redis.url, prefix, steadyClock: systemTime.steadyClock, log: () => {}, onInternalError });
  await link.settled();
  return link;
}

function family(lifetimeMs = 1_000): TicketFamily {
  const { familyId, digest } = createTicket();
  const current = { digest, expiresAtEpochMs: (now + lifetimeMs) as EpochMs, isUsed: false };
  return { familyId, account, keyId: 'key', endsAtEpochMs: (now + 10_000) as EpochMs, isRevoked: false, current };
}

const revoke = (it: TicketFamily) => ({ family: revoked(it) });

const PLACES: [string, () => TicketStore, string | undefined][] = [
  ['in this process', () => new MemoryTicketStore(), undefined],
  ['in Redis', () => new RedisTicketStore(link), NO_REDIS],
];

for (const [place, make, missing] of PLACES) {
  describe.skipIf(missing !== undefined)(`ticket families ${place}`, () => {
    test('are found as they were stored, and no others', async () => {
      const store = make();
      const valid = family();
      expect(await store.add(valid, MAX_FAMILIES, now)).toBe(true);
      expect(await store.find(valid.familyId)).toEqual(valid);
      expect(await store.find(createTicket().familyId)).toBeUndefined();
      expect(await store.change(createTicket().familyId, revoke)).toBeUndefined();
    });

    test('are limited per account', async () => {
      const store = make();
      for (let count = 0; count < MAX_FAMILIES; count += 1) expect(await store.add(family(), MAX_FAMILIES, now)).toBe(true);
      expect(await store.add(family(), MAX_FAMILIES, now)).toBe(false);
      account = (account + 1_000) as AccountOrdinal;
      expect(await store.add(family(), MAX_FAMILIES, now)).toBe(true);
    });

    test('make room when they expire or are revoked', async () => {
      const store = make();
      const [validFamilies, short, ended] = [family(), family(10), family()];
      for (const each of [validFamilies, short, ended]) await store.add(each, MAX_FAMILIES, now);
      expect(await store.add(family(), MAX_FAMILIES, now)).toBe(false);
      await store.change(ended.familyId, revoke);
      expect(await store.add(family(), MAX_FAMILIES, now)).toBe(true);
      expect(await store.add(family(), MAX_FAMILIES, now)).toBe(false);
      expect(await store.add(family(), MAX_FAMILIES, (now + 10) as EpochMs)).toBe(true);
      expect(await store.find(ended.familyId)).toMatchObject({ isRevoked: true });
    });

    test('are listed by account while they are active', async () => {
      const store = make();
      const [validFamilies, short, ended] = [family(), family(10), family()];
      for (const each of [validFamilies, short, ended]) await store.add(each, MAX_FAMILIES, now);
      await store.change(ended.familyId, revoke);
      const ids = async (at: EpochMs, of = account) => (await store.validFamilies(of, at)).map(({ familyId }) => familyId).sort();
      expect(await ids(now)).toEqual([validFamilies.familyId, short.familyId].sort());
      expect(await store.validFamilies(account, (now + 10) as EpochMs)).toEqual([validFamilies]);
      expect(await ids(now, 0 as AccountOrdinal)).toEqual([]);
    });

    test('end with their API key, so that the holder of a leaked key cannot block others from tickets', async () => {
      const store = make();
      const keys = new Map([
        ['leaked', false],
        ['kept', false],
      ]);
      const findApiKey = (keyId: string) => ({ keyId, isRevoked: keys.get(keyId) }) as StoredApiKey;
      const clock = { now: () => now };
      const { sessions } = openOwnerStores(openInProcess, clock);
      const tickets = new Tickets({ store, findApiKey, sessions, owners: NO_OWNERS, clock });
      const mint = async (keyId: string) => (await tickets.mint({ account, keyId, expiresAtEpochMs: epochMs(0) }))?.ticket;
      const valid = await mint('kept');
      const leaked: (string | undefined)[] = [];
      for (let count = 1; count < MAX_TICKET_FAMILIES; count += 1) leaked.push(await mint('leaked'));
      expect(await mint('kept'), 'the account is at its limit').toBeUndefined();
      keys.set('leaked', true);
      for (let count = 1; count < MAX_TICKET_FAMILIES; count += 1) expect(await mint('kept')).toBeDefined();
      expect(await mint('kept'), 'and at its limit again').toBeUndefined();
      expect(await tickets.rotate(leaked[0]!)).toEqual({ failure: 'revoked' });
      expect(await tickets.rotate(valid!)).toHaveProperty('ticket');
    });

    test('take no more room when they are rotated, and last as long as their newest ticket', async () => {
      const store = make();
      const [first, ...others] = [family(10), family(), family()];
      for (const each of [first!, ...others]) await store.add(each, MAX_FAMILIES, now);
      const next = { digest: createTicket().digest, lifetimeMs: 1_000 };
      await store.change(first!.familyId, (it) => rotated(it, it.current.digest, next, now));
      expect(await store.find(first!.familyId)).toMatchObject({ current: { digest: next.digest }, previous: first!.current });
      expect(await store.add(family(), MAX_FAMILIES, (now + 10) as EpochMs)).toBe(false);
    });

    test('are remembered after their end, up to a maximum', async () => {
      const store = make();
      const ended: TicketFamily[] = [];
      for (let count = 0; count < 5 * MAX_FAMILIES; count += 1) {
        const each = family();
        expect(await store.add(each, MAX_FAMILIES, now)).toBe(true);
        await store.change(each.familyId, revoke);
        ended.push(each);
      }
      const remembered = await Promise.all(ended.map(({ familyId }) => store.find(familyId)));
      expect(remembered.filter((found) => found !== undefined).length).toBeLessThanOrEqual(2 * MAX_FAMILIES);
      expect(remembered.at(-1)).toBeDefined();
    });

    test('change atomically: of many concurrent uses of a ticket one succeeds', async () => {
      const store = make();
      const valid = family();
      await store.add(valid, MAX_FAMILIES, now);
      const all = Array.from({ length: 24 }, () => store.change(valid.familyId, (it) => used(it, valid.current.digest, now)));
      const verdicts = (await Promise.all(all)).map((changed) => changed!.verdict);
      expect(verdicts.filter((verdict) => 'access' in verdict)).toHaveLength(1);
      expect(verdicts.filter((verdict) => 'failure' in verdict && verdict.failure === 'used')).toHaveLength(23);
    });

    test('notify once of a revocation, and of no other change', async () => {
      const store = make();
      const received: string[] = [];
      store.onRevoked((familyId) => received.push(familyId));
      if (missing === undefined && place === 'in Redis') await untilSubscribed(1);
      const [valid, other] = [family(), family()];
      for (const each of [valid, other]) await store.add(each, MAX_FAMILIES, now);
      await store.change(other.familyId, (it) => used(it, other.current.digest, now));
      await store.change(valid.familyId, revoke);
      await store.change(valid.familyId, revoke);
      await expect.poll(() => received).toEqual([valid.familyId]);
      await sleep(20);
      expect(received).toEqual([valid.familyId]);
    });
  });
}

/** Resolves once revocations have at least that many subscribers. */
async function untilSubscribed(least: number, of = link): Promise<void> {
  const count = async () =>
    Number(((await link.run(NUMSUB, [], [`${of.prefix}revoked-ticket-families`])) as (string | number)[])[1]);
  await expect.poll(count).toBeGreaterThanOrEqual(least);
}

const NUMSUB = { lua: "return redis.call('PUBSUB', 'NUMSUB', ARGV[1])", digest: '0'.repeat(40) };

describe.skipIf(NO_REDIS !== undefined)('ticket families in Redis', () => {
  test('are shared by all processes: minted at one, used at another, revoked for all', async () => {
    const elsewhere = await linked();
    const [here, there] = [new RedisTicketStore(link), new RedisTicketStore(elsewhere)];
    const received: string[] = [];
    there.onRevoked((familyId) => received.push(familyId));
    await untilSubscribed(1);
    const valid = family();
    await here.add(valid, MAX_FAMILIES, now);
    const change = (it: TicketFamily) => used(it, valid.current.digest, now);
    expect((await there.change(valid.familyId, change))!.verdict).toHaveProperty('access');
    expect((await here.change(valid.familyId, change))!.verdict).toEqual({ failure: 'used' });
    await here.change(valid.familyId, revoke);
    await expect.poll(() => received).toEqual([valid.familyId]);
    elsewhere.close();
  });

  test('notify of revocations after a listener threw', async () => {
    const elsewhere = await linked('listener');
    const [store, received] = [new RedisTicketStore(elsewhere), [] as string[]];
    const error = new Error('planted');
    store.onRevoked((familyId) => {
      if (received.push(familyId) === 1) throw error;
    });
    await untilSubscribed(1, elsewhere);
    const families = [family(), family()];
    for (const each of families) {
      await store.add(each, MAX_FAMILIES, now);
      await store.change(each.familyId, revoke);
    }
    await expect.poll(() => received).toEqual(families.map(({ familyId }) => familyId));
    expect(internalErrors.splice(0)).toEqual([error]);
    elsewhere.close();
  });

  test('belong to the venue of the prefix', async () => {
    const other = await linked('other');
    const valid = family();
    await new RedisTicketStore(link).add(valid, MAX_FAMILIES, now);
    expect(await new RedisTicketStore(other).find(valid.familyId)).toBeUndefined();
    other.close();
  });

  test('contain no ticket, so that the data in Redis authenticates no connection', async () => {
    const { ticket, familyId, digest } = createTicket();
    const valid: TicketFamily = { ...family(), familyId, current: { ...family().current, digest } };
    await new RedisTicketStore(link).add(valid, MAX_FAMILIES, now);
    const dump = JSON.stringify(await link.run(ALL, [], []));
    expect(dump).toContain(digestsOf(ticket)!.digest);
    expect(dump).not.toContain(ticket);
    expect(dump).not.toContain(ticket.slice(0, 21));
  });

  test('expire by themselves', async () => {
    const valid = family();
    await new RedisTicketStore(link).add(valid, MAX_FAMILIES, now);
    const expiries = (await link.run(EXPIRIES, [], [])) as number[];
    expect(expiries.length).toBeGreaterThanOrEqual(2);
    expect(expiries.filter((ms) => ms < 1)).toEqual([]);
  });

  test('reject at once while Redis is unavailable, and are unknown after it lost its data', async () => {
    // With subscribers of its own: those of other tests subscribe again too.
    const own = await linked('restarted');
    const store = new RedisTicketStore(own);
    const received: string[] = [];
    store.onRevoked((familyId) => received.push(familyId));
    const valid = family();
    await store.add(valid, MAX_FAMILIES, now);
    await redis.kill();
    for (const digest of [
      () => store.find(valid.familyId),
      () => store.change(valid.familyId, revoke),
      () => store.add(family(), MAX_FAMILIES, now),
      () => store.validFamilies(account, now),
    ])
      await expect(digest()).rejects.toThrow(StoreUnavailable);
    await redis.start();
    await expect.poll(() => own.isUp).toBe(true);
    expect(await store.find(valid.familyId)).toBeUndefined();
    await untilSubscribed(1, own);
    const next = family();
    expect(await store.add(next, MAX_FAMILIES, now)).toBe(true);
    await store.change(next.familyId, revoke);
    await expect.poll(() => received).toContain(next.familyId);
    own.close();
  });
});

const ALL = {
  lua: `local all = {}
    for _, key in ipairs(redis.call('KEYS', 'test:ticket-family:*')) do all[#all + 1] = key .. redis.call('GET', key) end
    for _, key in ipairs(redis.call('KEYS', 'test:tickets-of:*')) do all[#all + 1] = redis.call('ZRANGE', key, 0, -1) end
    return all`,
  digest: '1'.repeat(40),
};
const EXPIRIES = {
  lua: "local all = {} for _, key in ipairs(redis.call('KEYS', 'test:ticket*')) do all[#all + 1] = redis.call('PTTL', key) end return all",
  digest: '2'.repeat(40),
};
