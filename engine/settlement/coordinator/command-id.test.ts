/** An id of a ledger command proves that the venue made it, and reveals no other one. */
import { expect, test } from 'vitest';
import { commandIdOf, isProvenBy, issueIdOf, isWithoutSecret, ledgerKeyOf, newLedgerKey } from './command-id.ts';

const PARTY_KEY = newLedgerKey();

test('is proven by the key of the owner’s party, without the item', () => {
  const itemKey = newLedgerKey(PARTY_KEY);
  for (const id of [commandIdOf(itemKey, 'owner_offer_acceptance', 2), issueIdOf(itemKey)]) {
    expect(isProvenBy(PARTY_KEY, id)).toBe(true);
    expect(isProvenBy(newLedgerKey(), id)).toBe(false);
  }
  expect(isProvenBy(PARTY_KEY, commandIdOf(ledgerKeyOf('challenge', PARTY_KEY), 'party_consent', 1))).toBe(true);
});

test('is not proven if any of it is changed', () => {
  const id = commandIdOf(newLedgerKey(PARTY_KEY), 'owner_account_acceptance', 1);
  const [name, proof] = id.split('.');
  const others = [
    `${name}`,
    `${name}.`,
    `${name!.replace('-1', '-2')}.${proof}`,
    `${name!.replace('account', 'offer')}.${proof}`,
    `${id.startsWith('0') ? '1' : '0'}${id.slice(1)}`,
    `${id}0`,
    `${name}-1.${proof}`,
    '',
    '.',
    '-',
  ];
  for (const other of others) expect(isProvenBy(PARTY_KEY, other), other).toBe(false);
});

test('is that of earlier versions for a key without a secret', () => {
  const key = 'a'.repeat(32);
  expect(isWithoutSecret(key)).toBe(true);
  expect(isWithoutSecret(newLedgerKey(key))).toBe(false);
  expect([commandIdOf(key, 'treasury_offer', 3), issueIdOf(key)]).toEqual([`${key}-treasury_offer-3`, `${key}-issue`]);
  expect(isProvenBy(key, commandIdOf(key, 'treasury_offer', 3))).toBe(false);
});
