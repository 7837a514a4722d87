import { describe, expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { IssueApiKey, Scope } from '#venue/command.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { MAX_DEPOSITS_ATOMS } from '#venue/transfer/deposit-bound.ts';
import { MAX_API_KEYS } from './administration.ts';

const account = 1 as AccountOrdinal;

function key(keyId: string, scopes: readonly Scope[] = ['read', 'trade']): IssueApiKey {
  return { type: 'IssueApiKey', account, keyId, digest: 'd'.repeat(64), scopes, label: 'bot', expiresAtEpochMs: 0 as EpochMs };
}

test('refuses orders, deposits and keys of a retired account, and revokes its keys', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.run(key('first'));
  scenario.limit(1, 'buy', 9_900, 1);
  expect(scenario.run({ type: 'RetireAccount', account })).toMatchObject([{ code: 'account_busy' }]);
  scenario.cancel(1, 1);
  expect(scenario.run({ type: 'RetireAccount', account })).toMatchObject([
    { type: 'ApiKeyRevoked', keyId: 'first' },
    { type: 'AccountRetired' },
  ]);
  expect(scenario.limit(1, 'buy', 9_900, 1)).toMatchObject([{ code: 'account_retired' }]);
  expect(scenario.run({ type: 'CreditCash', account, amountAtoms: 1 as QuoteAtoms, reference: 'late' })).toMatchObject([
    { code: 'account_retired' },
  ]);
  expect(scenario.run(key('second'))).toMatchObject([{ code: 'account_retired' }]);
});

test('refuses what a legacy account does with a code of its own', () => {
  const scenario = Scenario.withAccounts(2);
  expect(scenario.run({ type: 'RetireAccount', account, isLegacy: true })).toEqual([
    { type: 'AccountRetired', account, isLegacy: true },
  ]);
  const excluded = [{ code: 'account_legacy_excluded' }];
  const amountAtoms = 1 as QuoteAtoms;
  expect(scenario.limit(1, 'buy', 9_900, 1)).toMatchObject(excluded);
  expect(scenario.run({ type: 'CreditCash', account, amountAtoms, reference: '' })).toMatchObject(excluded);
  expect(scenario.run(key('second'))).toMatchObject(excluded);
  expect(scenario.run({ type: 'RetireAccount', account })).toMatchObject(excluded);
  const to = 2 as AccountOrdinal;
  expect(scenario.run({ type: 'TransferCash', account: to, to: account, amountAtoms, reference: '' })).toMatchObject(excluded);
  expect(scenario.run({ type: 'SetFavorite', account, market: BTC, favorite: true })).toMatchObject(excluded);
});

test('does not retire an account with an open position', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.limit(2, 'sell', 10_000, 5);
  scenario.market(1, 'buy', 5);
  expect(scenario.run({ type: 'RetireAccount', account })).toMatchObject([{ code: 'account_busy' }]);
});

test('refuses a key id that is in use, until it is revoked', () => {
  const scenario = Scenario.withAccounts(2);
  scenario.run(key('first'));
  expect(scenario.run({ ...key('first'), account: 2 as AccountOrdinal })).toMatchObject([{ code: 'api_key_exists' }]);
  expect(scenario.run({ type: 'RevokeApiKey', account: 2 as AccountOrdinal, keyId: 'first' })).toMatchObject([
    { code: 'api_key_not_found' },
  ]);
  expect(scenario.run({ type: 'RevokeApiKey', account, keyId: 'first' })).toMatchObject([{ type: 'ApiKeyRevoked' }]);
  expect(scenario.run({ ...key('first'), account: 2 as AccountOrdinal })).toMatchObject([{ type: 'ApiKeyIssued', account: 2 }]);
});

test('refuses keys without distinct scopes, and more keys than the maximum', () => {
  const scenario = Scenario.withAccounts(1);
  for (const scopes of [[], ['read', 'read']] as Scope[][])
    expect(scenario.run(key('odd', scopes))).toMatchObject([{ code: 'api_key_invalid' }]);
  for (let count = 0; count < MAX_API_KEYS; count += 1) scenario.run(key(`key-${count}`));
  expect(scenario.run(key('one too many'))).toMatchObject([{ code: 'too_many_api_keys', bound: MAX_API_KEYS }]);
});

describe('a key that expires', () => {
  const until = (keyId: string, expiresAtEpochMs: number) => ({ ...key(keyId), expiresAtEpochMs: expiresAtEpochMs as EpochMs });

  test('must have an expiry time in the future', () => {
    const scenario = Scenario.withAccounts(1);
    for (const time of [-1, 1, scenario.now, scenario.now + 3])
      expect(scenario.run(until('late', time)), String(time)).toMatchObject([{ code: 'api_key_invalid' }]);
    expect(scenario.run(until('good', scenario.now + 2))).toMatchObject([
      { type: 'ApiKeyIssued', keyId: 'good', expiresAtEpochMs: scenario.now + 1 },
    ]);
  });

  test('is revoked after its expiry when the next key is issued', () => {
    const scenario = Scenario.withAccounts(1);
    const end = scenario.now + 1_000;
    for (let count = 0; count < MAX_API_KEYS; count += 1)
      scenario.run(count < 2 ? until(`short-${count}`, end) : key(`key-${count}`));
    expect(scenario.run(key('another'))).toMatchObject([{ code: 'too_many_api_keys' }]);
    scenario.wait(1_000);
    expect(scenario.run(key('another'))).toMatchObject([
      { type: 'ApiKeyRevoked', keyId: 'short-0' },
      { type: 'ApiKeyRevoked', keyId: 'short-1' },
      { type: 'ApiKeyIssued', keyId: 'another', expiresAtEpochMs: 0 },
    ]);
    expect(scenario.run({ type: 'RevokeApiKey', account, keyId: 'short-0' })).toMatchObject([{ code: 'api_key_not_found' }]);
    expect(scenario.run(key('last'))).toMatchObject([{ type: 'ApiKeyIssued' }]);
    expect(scenario.run(key('one too many'))).toMatchObject([{ code: 'too_many_api_keys' }]);
  });

  test('changes the snapshot layout only while such a key exists', () => {
    // A market with averages would have a later layout.
    const scenario = new Scenario({ ...RISK_RULES, averagesMark: false });
    scenario.populate(1);
    scenario.run(key('first'));
    const before = scenario.venue.snapshot();
    scenario.run(until('short', scenario.now + 1_000));
    expect(scenario.venue.snapshot()).not.toEqual(before);
    expect([before[0], scenario.venue.snapshot()[0]]).toEqual([4, 5]);
    scenario.run({ type: 'RevokeApiKey', account, keyId: 'short' });
    expect(scenario.venue.snapshot()).toEqual(before);
  });
});

test('bounds the sum of deposits', () => {
  const scenario = Scenario.withAccounts(1);
  const credit = (amountAtoms: number) =>
    scenario.run({ type: 'CreditCash', account, amountAtoms: amountAtoms as QuoteAtoms, reference: 'test' });
  const remaining = MAX_DEPOSITS_ATOMS - 10_000_000_000;
  expect(credit(remaining + 1)).toMatchObject([{ code: 'amount_out_of_bounds', bound: remaining }]);
  expect(credit(0)).toMatchObject([{ code: 'amount_out_of_bounds' }]);
  expect(credit(remaining)).toMatchObject([{ type: 'CashPosted', kind: 'deposit' }]);
  expect(scenario.limit(1, 'buy', 9_900, 1).at(-1)).toMatchObject({ type: 'OrderRested', market: BTC });
});
