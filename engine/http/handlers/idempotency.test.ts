import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import { idempotencyOf } from './idempotency.ts';

const account = 1 as AccountOrdinal;
const call = { idempotencyKey: 'k', params: undefined, body: { amount: '1' } };

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

test('digests account, operation and key, and separately the body, as journals have them', () => {
  const { keyDigest, bodyDigest } = idempotencyOf(account, 'placeOrder', call);
  expect([hexOf(keyDigest), hexOf(bodyDigest)]).toEqual([sha256('1\nplaceOrder\nk'), sha256('{"amount":"1"}')]);
});

test('includes the parameters of the path with the body', () => {
  const digests = [undefined, {}, { marketId: 'BTC-USD-PERP' }, { marketId: 'ETH-USD-PERP' }].map((params) =>
    hexOf(idempotencyOf(account, 'placeOrder', { ...call, params }).bodyDigest),
  );
  expect(digests[1]).toBe(digests[0]);
  expect(new Set(digests).size).toBe(3);
});
