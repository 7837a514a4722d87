import { describe, expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import { keyIdOf, makeApiKey } from './api-key.ts';
import type { StoredApiKey } from './directory.ts';
import { identify } from './directory.ts';

const made = makeApiKey();
const NOW = epochMs(5_000);

function stored(changes: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    keyId: made.keyId,
    account: 7 as AccountOrdinal,
    digest: made.digest,
    scopes: ['read', 'trade'],
    label: 'bot',
    isRevoked: false,
    issuedAtEpochMs: epochMs(1_000),
    expiresAtEpochMs: epochMs(0),
    ...changes,
  };
}

function holding(...keys: StoredApiKey[]) {
  return (keyId: string) => keys.find((key) => key.keyId === keyId);
}

describe('API key', () => {
  test('carries its keyId and is never made twice', () => {
    expect(keyIdOf(made.key)).toBe(made.keyId);
    expect(made.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(made.digest).not.toContain(made.key);
    const keys = Array.from({ length: 50 }, () => makeApiKey());
    expect(new Set(keys.map((key) => key.key)).size).toBe(50);
    expect(new Set(keys.map((key) => key.keyId)).size).toBe(50);
  });

  test('identifies its principal', () => {
    expect(identify(`Bearer ${made.key}`, holding(stored()), NOW)).toEqual({
      principal: {
        account: 7,
        keyId: made.keyId,
        scopes: ['read', 'trade'],
        label: 'bot',
        issuedAtEpochMs: 1_000,
        expiresAtEpochMs: 0,
      },
    });
    expect(identify(`bearer  ${made.key}`, holding(stored()), NOW)).toHaveProperty('principal.account', 7);
  });

  test.each([
    ['missing', undefined],
    ['missing', ''],
    ['malformed', 'Bearer'],
    ['malformed', 'Bearer x'],
    ['malformed', `Basic ${made.key}`],
    ['malformed', made.key],
    ['malformed', `Bearer ${made.key} ${made.key}`],
    ['malformed', `Bearer ${made.key}a`],
    ['malformed', `Bearer ${made.key.toUpperCase()}`],
    ['unknown', `Bearer ${makeApiKey().key}`],
    ['unknown', `Bearer opk_${made.keyId}_${'A'.repeat(43)}`],
  ])('is %s for the header %s', (rejection, header) => {
    expect(identify(header, holding(stored()), NOW)).toEqual({ rejection });
  });

  test('is reported as revoked only to its holder', () => {
    const find = holding(stored({ isRevoked: true }));
    expect(identify(`Bearer ${made.key}`, find, NOW)).toEqual({ rejection: 'revoked' });
    expect(identify(`Bearer opk_${made.keyId}_${'A'.repeat(43)}`, find, NOW)).toEqual({ rejection: 'unknown' });
  });

  test('is valid until just before it expires, and reported as expired only to its holder', () => {
    const find = holding(stored({ expiresAtEpochMs: epochMs(9_000) }));
    const at = (now: number, key = made.key) => identify(`Bearer ${key}`, find, epochMs(now));
    expect(at(8_999)).toHaveProperty('principal.expiresAtEpochMs', 9_000);
    for (const now of [9_000, 9_001]) expect(at(now)).toEqual({ rejection: 'expired' });
    expect(at(9_000, `opk_${made.keyId}_${'A'.repeat(43)}`)).toEqual({ rejection: 'unknown' });
    const revoked = holding(stored({ expiresAtEpochMs: epochMs(9_000), isRevoked: true }));
    expect(identify(`Bearer ${made.key}`, revoked, epochMs(8_999))).toEqual({ rejection: 'revoked' });
    expect(identify(`Bearer ${made.key}`, revoked, epochMs(9_000))).toEqual({ rejection: 'expired' });
  });

  test('is compared by its whole digest', () => {
    const other = `${made.digest[0] === '0' ? '1' : '0'}${made.digest.slice(1)}`;
    const lastOther = `${made.digest.slice(0, -1)}${made.digest.at(-1) === '0' ? '1' : '0'}`;
    for (const digest of [other, lastOther, '', made.digest.slice(0, 62)]) {
      expect(identify(`Bearer ${made.key}`, holding(stored({ digest })), NOW)).toEqual({ rejection: 'unknown' });
    }
  });
});
