/** Owners' sessions: one suite, over this process and over Redis. */
import { beforeEach, describe, expect, test } from 'vitest';
import { keyIdOf } from '#identity/api-key.ts';
import type { ExpiringStore } from '#identity/expiring-store.ts';
import { createSessionBearer } from '#identity/session-bearer.ts';
import { SESSION_LIFETIME_MS, SESSIONS, Sessions, type SignIn, type StoredSession } from '#identity/sessions.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { storePlaces } from './testing/store-places.ts';

const { places } = storePlaces();
const account = 7 as AccountOrdinal;
const other = 8 as AccountOrdinal;
const passkey: SignIn = { by: 'passkey', credentialId: 'AAAA' };

for (const { name, missing, make, subscribed } of places) {
  describe.skipIf(missing !== undefined)(`a session ${name}`, () => {
    let time: ManualTime;
    let store: ExpiringStore<StoredSession>;
    let sessions: Sessions;

    beforeEach(() => {
      time = new ManualTime();
      store = make<StoredSession>(SESSIONS);
      sessions = new Sessions({ store, clock: time });
    });

    async function open(of = account, signIn = passkey) {
      time.pass(1);
      const opened = await sessions.open(of, signIn);
      if (opened === 'full') throw new Error('full');
      return opened;
    }

    test.each<SignIn>([passkey, { by: 'social', provider: 'local', identityDigest: 'ab' }])(
      'records how it was made: %j',
      async (signIn) => {
        const { bearer, session } = await open(account, signIn);
        const createdAtEpochMs = time.now();
        expect(session).toMatchObject({
          account,
          signIn,
          createdAtEpochMs,
          expiresAtEpochMs: createdAtEpochMs + SESSION_LIFETIME_MS,
        });
        expect(await sessions.identify(bearer)).toEqual({ session });
      },
    );

    test('has a bearer that is no API key, and is stored as a digest', async () => {
      const { bearer, session } = await open();
      expect(bearer).toMatch(/^ops_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
      expect(keyIdOf(bearer)).toBeUndefined();
      const stored = JSON.stringify(await store.find(session.sessionId, time.now()));
      expect(stored).not.toContain(bearer.slice(-43));
    });

    test('is unknown to a bearer with another secret, also when it is revoked', async () => {
      const { session } = await open();
      const forged = `ops_${session.sessionId}_${createSessionBearer().bearer.slice(-43)}`;
      expect(await sessions.identify(forged)).toEqual({ rejection: 'unknown' });
      await sessions.revoke(account, session.sessionId);
      expect(await sessions.identify(forged)).toEqual({ rejection: 'unknown' });
      expect(await sessions.identify(createSessionBearer().bearer)).toEqual({ rejection: 'unknown' });
    });

    test.each([
      '',
      'ops_',
      `opk_${'0'.repeat(16)}_${'A'.repeat(43)}`,
      `ops_${'0'.repeat(16)}_${'A'.repeat(44)}`,
      'x'.repeat(9_999),
    ])('is malformed as %.40j', async (bearer) => {
      expect(await sessions.identify(bearer)).toEqual({ rejection: 'malformed' });
    });

    test('expires, and is not extended by use', async () => {
      const { bearer, session } = await open();
      time.pass(SESSION_LIFETIME_MS - 1);
      expect(await sessions.identify(bearer)).toHaveProperty('session');
      time.pass(1);
      expect(await sessions.identify(bearer)).toEqual({ rejection: 'expired' });
      expect(await sessions.list(account)).toEqual([]);
      expect(await sessions.revoke(account, session.sessionId)).toBe(false);
      time.pass(SESSION_LIFETIME_MS);
      expect(await sessions.identify(bearer)).toEqual({ rejection: 'unknown' });
    });

    test('is revoked once, by its own account only, and notifies', async () => {
      const ended: string[] = [];
      sessions.onEnded((sessionId) => ended.push(sessionId));
      await subscribed();
      const [first, second] = [await open(), await open()];
      expect(await sessions.revoke(other, first.session.sessionId)).toBe(false);
      expect(await sessions.identify(first.bearer)).toHaveProperty('session');
      expect(await sessions.revoke(account, first.session.sessionId)).toBe(true);
      expect(await sessions.revoke(account, first.session.sessionId)).toBe(false);
      expect(await sessions.identify(first.bearer)).toEqual({ rejection: 'revoked' });
      expect(await sessions.list(account)).toEqual([second.session]);
      await expect.poll(() => ended).toEqual([first.session.sessionId]);
    });

    test('is revoked with all of its account, and no other account’s', async () => {
      const own = [await open(), await open(), await open()];
      const foreign = await open(other);
      await sessions.revoke(account, own[0]!.session.sessionId);
      expect(await sessions.revokeAll(account)).toBe(2);
      for (const { bearer } of own) expect(await sessions.identify(bearer)).toEqual({ rejection: 'revoked' });
      expect(await sessions.identify(foreign.bearer)).toHaveProperty('session');
      expect(await sessions.revokeAll(account)).toBe(0);
    });

    test('is revoked with all of its account, also if it is opened during the call', async () => {
      await open();
      const late: string[] = [];
      const racing = new Proxy(store, {
        get: (target, name) => {
          const value = target[name as keyof typeof target] as (...args: unknown[]) => unknown;
          return async (...args: unknown[]) => {
            const result = await value.apply(target, args);
            // Between the list of sessions and their revocation.
            if (name === 'ofOwner' && late.length < 3) late.push((await open()).bearer);
            return result;
          };
        },
      });
      expect(await new Sessions({ store: racing, clock: time }).revokeAll(account)).toBe(4);
      expect(await sessions.list(account)).toEqual([]);
      for (const bearer of late) expect(await sessions.identify(bearer)).toEqual({ rejection: 'revoked' });
    });

    test('ends when its account signs in too often after it, and notifies', async () => {
      const ended: string[] = [];
      sessions.onEnded((sessionId) => ended.push(sessionId));
      await subscribed();
      const foreign = await open(other);
      const first = await open();
      for (let count = 0; count < SESSIONS.maxPerOwner; count += 1) await open();
      expect(await sessions.identify(first.bearer)).toEqual({ rejection: 'unknown' });
      expect(await sessions.identify(foreign.bearer)).toHaveProperty('session');
      await expect.poll(() => ended).toEqual([first.session.sessionId]);
      expect(await sessions.list(account)).toHaveLength(SESSIONS.maxPerOwner);
    });
  });
}
