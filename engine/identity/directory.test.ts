import { describe, expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import { createApiKey, keyIdOf } from './api-key.ts';
import type { BearerPorts, StoredApiKey } from './directory.ts';
import { holderIdOf, identify, sessionOfHolder } from './directory.ts';
import { openInProcess, openOwnerStores } from './owner-stores.ts';
import { createSessionBearer } from './session-bearer.ts';
import type { SignIn } from './sessions.ts';
import { NO_OWNERS, sessionOwners } from './testing/session-owners.ts';

const created = createApiKey();
const NOW = epochMs(5_000);

function stored(changes: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    keyId: created.keyId,
    account: 7 as AccountOrdinal,
    digest: created.digest,
    scopes: ['read', 'trade'],
    label: 'bot',
    isRevoked: false,
    issuedAtEpochMs: epochMs(1_000),
    expiresAtEpochMs: epochMs(0),
    ...changes,
  };
}

function holding(...keys: StoredApiKey[]): BearerPorts {
  const { sessions } = openOwnerStores(openInProcess, { now: () => NOW });
  return { findApiKey: (keyId) => keys.find((key) => key.keyId === keyId), sessions, owners: NO_OWNERS };
}

describe('API key', () => {
  test('carries its keyId and is never made twice', () => {
    expect(keyIdOf(created.key)).toBe(created.keyId);
    expect(created.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(created.digest).not.toContain(created.key);
    const keys = Array.from({ length: 50 }, () => createApiKey());
    expect(new Set(keys.map((key) => key.key)).size).toBe(50);
    expect(new Set(keys.map((key) => key.keyId)).size).toBe(50);
  });

  test('identifies its principal', () => {
    expect(identify(`Bearer ${created.key}`, holding(stored()), NOW)).toEqual({
      principal: {
        account: 7,
        keyId: created.keyId,
        scopes: ['read', 'trade'],
        label: 'bot',
        issuedAtEpochMs: 1_000,
        expiresAtEpochMs: 0,
      },
    });
    expect(identify(`bearer  ${created.key}`, holding(stored()), NOW)).toHaveProperty('principal.account', 7);
  });

  test.each([
    ['missing', undefined],
    ['missing', ''],
    ['malformed', 'Bearer'],
    ['malformed', 'Bearer x'],
    ['malformed', `Basic ${created.key}`],
    ['malformed', created.key],
    ['malformed', `Bearer ${created.key} ${created.key}`],
    ['malformed', `Bearer ${created.key}a`],
    ['malformed', `Bearer ${created.key.toUpperCase()}`],
    ['unknown', `Bearer ${createApiKey().key}`],
    ['unknown', `Bearer opk_${created.keyId}_${'A'.repeat(43)}`],
  ])('is %s for the header %s', (rejection, header) => {
    expect(identify(header, holding(stored()), NOW)).toEqual({ rejection });
  });

  test('is reported as revoked only to its holder', () => {
    const find = holding(stored({ isRevoked: true }));
    expect(identify(`Bearer ${created.key}`, find, NOW)).toEqual({ rejection: 'revoked' });
    expect(identify(`Bearer opk_${created.keyId}_${'A'.repeat(43)}`, find, NOW)).toEqual({ rejection: 'unknown' });
  });

  test('is valid until just before it expires, and reported as expired only to its holder', () => {
    const find = holding(stored({ expiresAtEpochMs: epochMs(9_000) }));
    const at = (now: number, key = created.key) => identify(`Bearer ${key}`, find, epochMs(now));
    expect(at(8_999)).toHaveProperty('principal.expiresAtEpochMs', 9_000);
    for (const now of [9_000, 9_001]) expect(at(now)).toEqual({ rejection: 'expired' });
    expect(at(9_000, `opk_${created.keyId}_${'A'.repeat(43)}`)).toEqual({ rejection: 'unknown' });
    const revoked = holding(stored({ expiresAtEpochMs: epochMs(9_000), isRevoked: true }));
    expect(identify(`Bearer ${created.key}`, revoked, epochMs(8_999))).toEqual({ rejection: 'revoked' });
    expect(identify(`Bearer ${created.key}`, revoked, epochMs(9_000))).toEqual({ rejection: 'expired' });
  });

  test('is compared by its whole digest', () => {
    const other = `${created.digest[0] === '0' ? '1' : '0'}${created.digest.slice(1)}`;
    const lastOther = `${created.digest.slice(0, -1)}${created.digest.at(-1) === '0' ? '1' : '0'}`;
    for (const digest of [other, lastOther, '', created.digest.slice(0, 62)]) {
      expect(identify(`Bearer ${created.key}`, holding(stored({ digest })), NOW)).toEqual({ rejection: 'unknown' });
    }
  });
});

describe('session', () => {
  async function signedIn(by: SignIn['by'] = 'social') {
    const { sessions } = openOwnerStores(openInProcess, { now: () => NOW });
    const legacy = new Set<AccountOrdinal>();
    const account = 7 as AccountOrdinal;
    const signIn: SignIn = by === 'passkey' ? { by, credentialId: 'AAAA' } : { by, provider: 'local', identityDigest: 'ab' };
    const opened = await sessions.open(account, signIn);
    if (opened === 'full') throw new Error('full');
    const holders = new Map([
      ['AAAA', account],
      ['ab', account],
    ]);
    const owners = sessionOwners(holders, legacy);
    const ports: BearerPorts = { findApiKey: () => undefined, sessions, owners };
    return { ...opened, sessions, ports, legacy, holders };
  }

  test('identifies its principal, which has every scope', async () => {
    const { bearer, session, ports } = await signedIn();
    expect(await identify(`Bearer ${bearer}`, ports, NOW)).toEqual({
      principal: {
        account: 7,
        keyId: `session-${session.sessionId}`,
        scopes: ['read', 'trade', 'funding', 'agents'],
        label: '',
        issuedAtEpochMs: NOW,
        expiresAtEpochMs: session.expiresAtEpochMs,
        session,
      },
    });
  });

  test.each([
    ['passkey', 'AAAA'],
    ['social', 'ab'],
  ] as const)(
    'by %s is rejected if its account is not that of its owner, who was forgotten or has another one',
    async (by, holder) => {
      const { bearer, ports, holders } = await signedIn(by);
      expect(await identify(`Bearer ${bearer}`, ports, NOW)).toHaveProperty('principal');
      holders.set(holder, 8 as AccountOrdinal);
      expect(await identify(`Bearer ${bearer}`, ports, NOW)).toEqual({ rejection: 'revoked' });
      holders.delete(holder);
      expect(await identify(`Bearer ${bearer}`, ports, NOW)).toEqual({ rejection: 'revoked' });
    },
  );

  test('is rejected when it is unknown or revoked, or its account is legacy', async () => {
    const { bearer, session, sessions, ports, legacy } = await signedIn();
    const unknown = createSessionBearer().bearer;
    expect(await identify(`Bearer ${unknown}`, ports, NOW)).toEqual({ rejection: 'unknown' });
    expect(identify(`Bearer ${bearer}a`, ports, NOW)).toEqual({ rejection: 'malformed' });
    legacy.add(session.account);
    expect(await identify(`Bearer ${bearer}`, ports, NOW)).toEqual({ rejection: 'revoked' });
    legacy.clear();
    await sessions.revoke(session.account, session.sessionId);
    expect(await identify(`Bearer ${bearer}`, ports, NOW)).toEqual({ rejection: 'revoked' });
  });

  test('has a holder id that no keyId equals', () => {
    const { sessionId } = createSessionBearer();
    expect(sessionOfHolder(holderIdOf(sessionId))).toBe(sessionId);
    expect(sessionOfHolder(createApiKey().keyId)).toBeUndefined();
  });
});
