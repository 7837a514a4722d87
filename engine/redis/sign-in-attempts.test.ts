/** Attempts to sign in with a provider: one suite, over this process and over Redis. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ExpiringStore } from '#identity/expiring-store.ts';
import { flowSecretsOf } from '#identity/sign-in/attempt-secret.ts';
import { ATTEMPT_LIFETIME_MS, Attempts, SIGN_IN_ATTEMPTS, type StoredAttempt } from '#identity/sign-in/attempts.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { storePlaces } from './testing/store-places.ts';

const { places } = storePlaces();
const NETWORK = '192.0.2.1';
const terms = { purpose: 'register', provider: 'example', account: 0, referralCode: 'friend' } as const;
const refused = { name: 'Refused', code: 'attempt_rejected' };

for (const { name, missing, make } of places) {
  describe.skipIf(missing !== undefined)(`an attempt ${name}`, () => {
    let time: ManualTime;
    let store: ExpiringStore<StoredAttempt>;
    let attempts: Attempts;

    beforeEach(() => {
      time = new ManualTime();
      store = make<StoredAttempt>(SIGN_IN_ATTEMPTS);
      attempts = new Attempts({ store, clock: time });
    });

    test('is found by its secret, which the store does not have', async () => {
      const { attempt, expiresAtEpochMs } = await attempts.start(NETWORK, terms);
      expect(attempt).toMatch(/^opr_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
      expect(expiresAtEpochMs).toBe(time.now() + ATTEMPT_LIFETIME_MS);
      const found = await attempts.find(attempt, 'register');
      expect(found).toMatchObject({ ...terms, status: 'started', identityDigest: '' });
      const stored = JSON.stringify(found);
      const { state, nonce, codeVerifier } = flowSecretsOf(attempt);
      for (const secret of [attempt.slice(-43), state, nonce, codeVerifier]) expect(stored).not.toContain(secret);
    });

    test('starts proven with an identity', async () => {
      const { attempt } = await attempts.start(NETWORK, terms, 'a digest');
      expect(await attempts.find(attempt, 'register')).toMatchObject({ status: 'proven', identityDigest: 'a digest' });
    });

    test('is rejected with another secret or purpose, or without the form of one', async () => {
      const { attempt } = await attempts.start(NETWORK, terms);
      const other = `${attempt.slice(0, -43)}${'A'.repeat(43)}`;
      for (const secret of [other, `opr_${'0'.repeat(16)}_${'A'.repeat(43)}`, 'opr_1', '']) {
        await expect(attempts.find(secret, 'register')).rejects.toMatchObject(refused);
        await expect(attempts.move(secret, 'register', 'started', { status: 'exchanging' })).rejects.toMatchObject(refused);
        await attempts.end(secret);
      }
      await expect(attempts.find(attempt, 'login')).rejects.toMatchObject(refused);
      await expect(attempts.move(attempt, 'login', 'started', { status: 'exchanging' })).rejects.toMatchObject(refused);
      expect(await attempts.find(attempt, 'register')).toMatchObject({ status: 'started' });
    });

    test('moves once from a status if 64 requests try at once', async () => {
      const { attempt } = await attempts.start(NETWORK, terms);
      const moves = Array.from({ length: 64 }, () => attempts.move(attempt, 'register', 'started', { status: 'exchanging' }));
      const results = await Promise.allSettled(moves);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await attempts.find(attempt, 'register')).toMatchObject({ status: 'exchanging' });
    });

    test('ends, and is remembered as registered', async () => {
      const { attempt } = await attempts.start(NETWORK, terms, 'a digest');
      await attempts.registered(await attempts.find(attempt, 'register'));
      expect(await attempts.find(attempt, 'register')).toMatchObject({ status: 'registered' });
      await attempts.end(attempt);
      await expect(attempts.find(attempt, 'register')).rejects.toMatchObject(refused);
    });

    test('expires, and may be registered afterwards', async () => {
      const { attempt } = await attempts.start(NETWORK, terms, 'a digest');
      const found = await attempts.find(attempt, 'register');
      time.pass(ATTEMPT_LIFETIME_MS - 1);
      await attempts.find(attempt, 'register');
      time.pass(1);
      await expect(attempts.find(attempt, 'register')).rejects.toMatchObject(refused);
      await attempts.registered(found);
    });

    test('of one network does not replace another one, beyond its share', async () => {
      for (let count = 0; count < SIGN_IN_ATTEMPTS.maxPerOwner; count += 1) await attempts.start(NETWORK, terms);
      await expect(attempts.start(NETWORK, terms)).rejects.toMatchObject({ code: 'venue_busy' });
      await attempts.start('192.0.2.2', terms);
    });
  });
}
