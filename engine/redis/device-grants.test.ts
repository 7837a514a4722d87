/** Device grants: one suite, over this process and over Redis. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createDeviceCode } from '#identity/device-code.ts';
import {
  DEVICE_GRANTS,
  DeviceGrants,
  GRANT_LIFETIME_MS,
  POLL_INTERVAL_MS,
  type StartedGrant,
  type StoredGrant,
} from '#identity/device-grants.ts';
import type { ExpiringStore } from '#identity/expiring-store.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { storePlaces } from './testing/store-places.ts';

const { places } = storePlaces();
const account = 7 as AccountOrdinal;
const access = { label: 'my bot', scopes: ['read', 'trade'] as const, keyLifetimeDays: 30 };
const approver = { account, sessionId: 'session', credentialId: 'passkey' };

for (const { name, missing, make } of places) {
  describe.skipIf(missing !== undefined)(`a device grant ${name}`, () => {
    let time: ManualTime;
    let store: ExpiringStore<StoredGrant>;
    let grants: DeviceGrants;

    beforeEach(() => {
      time = new ManualTime();
      store = make<StoredGrant>(DEVICE_GRANTS);
      grants = new DeviceGrants({ store, clock: time });
    });

    async function start(network = '192.0.2.1'): Promise<StartedGrant> {
      const started = await grants.start(network, access);
      if (started === 'full') throw new Error('full');
      return started;
    }

    const granted = () => ({ ...access, ...approver, keyExpiresAtEpochMs: time.now() + 30 * 86_400_000 });

    test('has a short user code of unambiguous letters, and a device code that is stored as a digest', async () => {
      const { userCode, deviceCode, intervalMs, expiresAtEpochMs } = await start();
      expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(deviceCode).toMatch(/^opd_[A-Z]{8}_[A-Za-z0-9_-]{43}$/);
      expect([intervalMs, expiresAtEpochMs]).toEqual([POLL_INTERVAL_MS, time.now() + GRANT_LIFETIME_MS]);
      const stored = JSON.stringify(await store.find(userCode.replace('-', ''), time.now()));
      expect(stored).toContain('my bot');
      expect(stored).not.toContain(deviceCode.slice(-43));
    });

    test('is described, approved and delivered once', async () => {
      const { userCode, deviceCode } = await start();
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'authorization_pending', intervalMs: POLL_INTERVAL_MS });
      expect(await grants.describe(userCode)).toMatchObject({ access, startedAtEpochMs: time.now() });
      expect(await grants.approve(userCode, approver)).toMatchObject({ access });
      time.pass(POLL_INTERVAL_MS);
      expect(await grants.poll(deviceCode)).toEqual({ granted: granted() });
      time.pass(POLL_INTERVAL_MS);
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'invalid_grant' });
      expect(await grants.describe(userCode)).toEqual({ failure: 'decided' });
    });

    test('is delivered to one of 64 parallel polls', async () => {
      const { userCode, deviceCode } = await start();
      await grants.approve(userCode, approver);
      const results = await Promise.all(Array.from({ length: 64 }, () => grants.poll(deviceCode)));
      expect(results.filter((result) => 'granted' in result)).toHaveLength(1);
      expect(results.filter((result) => 'failure' in result && result.failure === 'invalid_grant')).toHaveLength(63);
    });

    test('is decided once, of 64 parallel decisions', async () => {
      const { userCode } = await start();
      const decide = (index: number) => (index % 2 === 0 ? grants.approve(userCode, approver) : grants.deny(userCode));
      const results = await Promise.all(Array.from({ length: 64 }, (_, index) => decide(index)));
      expect(results.filter((result) => 'access' in result)).toHaveLength(1);
      expect(results.filter((result) => 'failure' in result && result.failure === 'decided')).toHaveLength(63);
    });

    test('is denied', async () => {
      const { userCode, deviceCode } = await start();
      expect(await grants.deny(userCode)).toMatchObject({ access });
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'access_denied' });
      expect(await grants.approve(userCode, approver)).toEqual({ failure: 'decided' });
    });

    test('expires, also after its approval, is reported as expired for a while, and is then unknown', async () => {
      const [pending, approved] = [await start(), await start()];
      time.pass(GRANT_LIFETIME_MS - 1);
      await grants.approve(approved.userCode, approver);
      time.pass(1);
      for (const { deviceCode } of [pending, approved])
        expect(await grants.poll(deviceCode)).toEqual({ failure: 'expired_token' });
      expect(await grants.describe(pending.userCode)).toEqual({ failure: 'expired' });
      expect(await grants.approve(pending.userCode, approver)).toEqual({ failure: 'expired' });
      time.pass(GRANT_LIFETIME_MS);
      expect(await grants.poll(pending.deviceCode)).toEqual({ failure: 'invalid_grant' });
      expect(await grants.approve(pending.userCode, approver)).toEqual({ failure: 'unknown' });
    });

    test('slows down a program that polls too often, also after the approval, by a bounded interval', async () => {
      const { userCode, deviceCode } = await start();
      await grants.poll(deviceCode);
      time.pass(POLL_INTERVAL_MS - 1);
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'slow_down', intervalMs: 2 * POLL_INTERVAL_MS });
      await grants.approve(userCode, approver);
      time.pass(POLL_INTERVAL_MS);
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'slow_down', intervalMs: 3 * POLL_INTERVAL_MS });
      for (let count = 0; count < 20; count += 1) await grants.poll(deviceCode);
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'slow_down', intervalMs: 60_000 });
      time.pass(60_000);
      expect(await grants.poll(deviceCode)).toHaveProperty('granted');
    });

    test('is not touched by a device code with another secret', async () => {
      const { userCode, deviceCode } = await start();
      const forged = `opd_${userCode.replace('-', '')}_${createDeviceCode().deviceCode.slice(-43)}`;
      for (let count = 0; count < 5; count += 1) expect(await grants.poll(forged)).toEqual({ failure: 'invalid_grant' });
      await grants.approve(userCode, approver);
      expect(await grants.poll(forged)).toEqual({ failure: 'invalid_grant' });
      expect(await grants.poll(deviceCode)).toHaveProperty('granted');
    });

    test('is found by its user code as people type it, and by nothing else', async () => {
      const { userCode } = await start();
      const plain = userCode.replace('-', '');
      for (const typed of [plain, plain.toLowerCase(), ` ${userCode} `, [...plain].join('-')])
        expect(await grants.describe(typed)).toMatchObject({ access });
      for (const typed of [
        '',
        plain.slice(1),
        `${plain}B`,
        'AAAA-AAAA',
        `${userCode}${' '.repeat(9_999)}`,
        createDeviceCode().userCode,
      ])
        expect(await grants.describe(typed)).toEqual({ failure: 'unknown' });
      for (const deviceCode of ['', 'opd_', `opd_${plain}_${'A'.repeat(44)}`, 'x'.repeat(9_999)])
        expect(await grants.poll(deviceCode)).toEqual({ failure: 'invalid_grant' });
    });

    test('is delivered again only if its approval was given back', async () => {
      const { userCode, deviceCode } = await start();
      await grants.giveBack(deviceCode, approver);
      expect(await grants.describe(userCode)).toMatchObject({ access });
      await grants.approve(userCode, approver);
      expect(await grants.poll(deviceCode)).toEqual({ granted: granted() });
      const forged = `${deviceCode.slice(0, -43)}${'A'.repeat(43)}`;
      await grants.giveBack(forged, approver);
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'invalid_grant' });
      await grants.giveBack(deviceCode, approver);
      expect(await grants.poll(deviceCode)).toEqual({ granted: granted() });
      expect(await grants.poll(deviceCode)).toEqual({ failure: 'invalid_grant' });
    });

    test('is refused to a network with too many, which does not end another’s', async () => {
      const first = await start();
      for (let count = 1; count < DEVICE_GRANTS.maxPerOwner; count += 1) await start();
      expect(await grants.start('192.0.2.1', access)).toBe('full');
      expect(await grants.start('192.0.2.2', access)).toHaveProperty('userCode');
      expect(await grants.describe(first.userCode)).toMatchObject({ access });
    });

    test('is refused to a site of IPv6 with too many, and to no other', async () => {
      const subnet = (number: number) => grants.start(`2001:db8:1:${number}`, access);
      for (let count = 0; count < DEVICE_GRANTS.maxPerSite!; count += 1) expect(await subnet(count)).toHaveProperty('userCode');
      expect(await subnet(99)).toBe('full');
      expect(await grants.start('2001:db8:2:1', access)).toHaveProperty('userCode');
    });

    test('that ended, or has expired, counts for its network no more', async () => {
      const ends = [
        ({ userCode }: StartedGrant) => grants.deny(userCode),
        async ({ userCode, deviceCode }: StartedGrant) => {
          await grants.approve(userCode, approver);
          await grants.poll(deviceCode);
        },
        async () => time.pass(GRANT_LIFETIME_MS),
      ];
      const first = await start();
      for (let count = 1; count < DEVICE_GRANTS.maxPerOwner; count += 1) await start();
      let ending = first;
      for (const end of ends) {
        expect(await grants.start('192.0.2.1', access)).toBe('full');
        await end(ending);
        ending = await start();
      }
      expect(await grants.describe(first.userCode)).toEqual({ failure: 'decided' });
    });
  });
}
