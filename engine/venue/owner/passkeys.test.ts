import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Turn } from '#venue/turn.ts';
import { MAX_CREDENTIALS, MAX_OWNERS, MAX_PASSKEYS, planRegistration } from './passkeys.ts';
import { owned, ownerOf, passkey, registration } from './testing/owners.ts';

const operators = 1 as AccountOrdinal;
const account = 2 as AccountOrdinal;

/** A venue with an account of the operator and one of an owner. */
function withOwner(): Scenario {
  const scenario = Scenario.withAccounts(1);
  owned(scenario, 1);
  return scenario;
}

const add = (credentialId: string, changes = {}) =>
  ({ type: 'AddPasskey', account, passkey: passkey(credentialId, changes) }) as const;
const use = (credentialId: string, signatureCount: number) =>
  ({ type: 'RecordPasskeyUse', account, credentialId, signatureCount }) as const;
const remove = (credentialId: string, relyingPartyId = 'localhost') =>
  ({ type: 'RemovePasskey', account, credentialId, relyingPartyId }) as const;
const refused = (code: string) => [{ type: 'CommandRefused', code }];

describe('a registration', () => {
  test('opens an account without a party, with the owner and the passkey', () => {
    const scenario = Scenario.withAccounts(1);
    const command = {
      type: 'RegisterOwner',
      identityDigest: 'a'.repeat(64),
      provider: 'local',
      label: 'Ada',
      referralCode: 'friend',
      digestSeed: 7,
      passkey: passkey('passkey-1'),
    } as const;
    expect(scenario.run(command)).toEqual([
      { type: 'AccountOpened', account, label: 'Ada', partyId: '' },
      { type: 'OwnerRegistered', account, identityDigest: command.identityDigest, provider: 'local', referralCode: 'friend' },
      { type: 'PasskeyAdded', account, passkey: command.passkey },
    ]);
    const { passkeys, setup } = ownerOf(scenario, account);
    expect([...passkeys.values()]).toEqual([{ ...command.passkey, createdAtEpochMs: scenario.now }]);
    expect(setup).toBe('not_started');
    expect(scenario.limit(account, 'buy', 9_900, 1)).toMatchObject(refused('account_not_enabled'));
  });

  test('is refused for a registered identity, also of a retired account, and for a known passkey', () => {
    const scenario = withOwner();
    scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(registration(1, { passkey: passkey('new') }))).toMatchObject(refused('identity_registered'));
    expect(scenario.run(registration(2, { passkey: passkey('passkey-1') }))).toMatchObject(refused('passkey_exists'));
  });

  test('is refused if registration or its provider is off, or the venue does not take it', () => {
    const scenario = Scenario.withAccounts(0);
    scenario.run({ type: 'SetCapability', capability: 'provider:local', isOn: false });
    expect(scenario.run(registration(1))).toMatchObject(refused('capability_unavailable'));
    expect(scenario.run(registration(1, { provider: 'google' }))).toMatchObject([{ type: 'AccountOpened' }, {}, {}]);
    scenario.run({ type: 'SetCapability', capability: 'registration', isOn: false });
    expect(scenario.run(registration(2, { provider: 'google' }))).toMatchObject(refused('capability_unavailable'));
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(scenario.run(registration(2))).toMatchObject(refused('intake_paused'));
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(scenario.run(registration(2))).toMatchObject(refused('venue_halted'));
  });

  test.each([
    ['an identity that is no digest', { identityDigest: 'ada@example.com' }],
    ['an invalid provider', { provider: 'Not A Provider' }],
    ['a long label', { label: 'x'.repeat(201) }],
    ['a long referral code', { referralCode: 'x'.repeat(65) }],
    ['a setup key', { passkey: passkey('key', { kind: 'setup_key' }) }],
  ])('is refused with %s', (_, changes) => {
    expect(Scenario.withAccounts(0).run(registration(1, changes))).toMatchObject(refused('registration_invalid'));
  });

  test.each([
    ['an empty credential id', { credentialId: '' }],
    ['a credential id that is not base64url', { credentialId: 'a+b' }],
    ['an empty public key', { publicKey: '' }],
    ['a long public key', { publicKey: 'A'.repeat(4_097) }],
    ['a negative counter', { signatureCount: -1 }],
    ['a counter of more than 32 bits', { signatureCount: 2 ** 32 }],
    ['a long name', { name: 'x'.repeat(201) }],
    ['a long origin', { origin: 'x'.repeat(513) }],
  ])('is refused with a passkey with %s', (_, changes) => {
    const command = registration(1, { passkey: passkey('key', changes) });
    expect(Scenario.withAccounts(0).run(command)).toMatchObject(refused('passkey_invalid'));
  });
});

describe('a passkey', () => {
  test('is added to an active account of an owner', () => {
    const scenario = withOwner();
    expect(scenario.run(add('second'))).toEqual([{ type: 'PasskeyAdded', account, passkey: passkey('second') }]);
    expect([...ownerOf(scenario, account).passkeys.keys()]).toEqual(['passkey-1', 'second']);
    expect(scenario.run(add('second'))).toMatchObject(refused('passkey_exists'));
    expect(scenario.run(add('bad', { publicKey: '=' }))).toMatchObject(refused('passkey_invalid'));
    const others = [
      { ...add('third'), account: operators },
      { ...add('third'), account: 9 as AccountOrdinal },
    ] as const;
    expect(others.flatMap((command) => scenario.run(command))).toMatchObject([
      { code: 'owner_not_found' },
      { code: 'account_not_found' },
    ]);
    scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(add('third'))).toMatchObject(refused('account_retired'));
  });

  test('stores only a growing counter, also for a retired account', () => {
    const scenario = withOwner();
    expect(scenario.run(use('passkey-1', 7))).toEqual([
      { type: 'PasskeyUsed', account, credentialId: 'passkey-1', signatureCount: 7 },
    ]);
    for (const count of [0, 7, 2 ** 32])
      expect(scenario.run(use('passkey-1', count))).toMatchObject([{ code: 'passkey_counter_invalid', bound: 7 }]);
    scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(use('passkey-1', 8))).toMatchObject([{ type: 'PasskeyUsed' }]);
    expect(ownerOf(scenario, account).passkeys.get('passkey-1')).toMatchObject({ signatureCount: 8, name: 'phone' });
    expect(scenario.run(use('other', 1))).toMatchObject(refused('passkey_not_found'));
    expect(scenario.run({ ...use('passkey-1', 9), account: operators })).toMatchObject(refused('owner_not_found'));
  });

  test('is removed for good, except the last one', () => {
    const scenario = withOwner();
    expect(scenario.run(remove('passkey-1'))).toMatchObject(refused('last_passkey'));
    scenario.run(add('second'));
    expect(scenario.run(remove('passkey-1'))).toEqual([{ type: 'PasskeyRemoved', account, credentialId: 'passkey-1' }]);
    expect(scenario.run(remove('passkey-1'))).toMatchObject(refused('passkey_not_found'));
    expect(scenario.run(use('passkey-1', 1))).toMatchObject(refused('passkey_not_found'));
    expect(scenario.run(add('passkey-1'))).toMatchObject(refused('passkey_exists'));
    expect(scenario.run(remove('second'))).toMatchObject(refused('last_passkey'));
  });

  test('is not the last one that signs at the site of its removal', () => {
    const scenario = withOwner();
    for (const name of ['elsewhere', 'elsewhere-2'])
      scenario.run(add(name, { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' }));
    expect(scenario.run(remove('passkey-1'))).toMatchObject(refused('last_passkey'));
    // One of another site cannot sign here, so that removing it never locks the owner out here.
    expect(scenario.run(remove('elsewhere'))).toMatchObject([{ type: 'PasskeyRemoved' }]);
    expect(scenario.run(remove('elsewhere-2', 'testnet.example'))).toMatchObject(refused('last_passkey'));
    expect(scenario.run(remove('passkey-1', 'testnet.example'))).toMatchObject([{ type: 'PasskeyRemoved' }]);
  });

  test('is refused beyond the bounds of active ones and of all ones', () => {
    const scenario = withOwner();
    scenario.snapshotEvery = 500;
    for (let number = 2; number <= MAX_PASSKEYS; number += 1) scenario.run(add(`key-${number}`));
    expect(scenario.run(add('more'))).toMatchObject([{ code: 'too_many_passkeys', bound: MAX_PASSKEYS }]);
    for (let number = 1; number <= MAX_CREDENTIALS - MAX_PASSKEYS; number += 1) {
      scenario.run(remove(number === 1 ? 'passkey-1' : `again-${number - 1}`));
      expect(scenario.run(add(`again-${number}`))).toMatchObject([{ type: 'PasskeyAdded' }]);
    }
    scenario.run(remove('key-2'));
    expect(scenario.run(add('more'))).toMatchObject([{ code: 'too_many_passkeys', bound: MAX_CREDENTIALS }]);
  });
});

describe('a setup key', () => {
  const setupKey = (credentialId: string, of = account) => ({
    ...add(credentialId, { kind: 'setup_key' }),
    account: of,
  });

  test('is one at a time, and may always be removed', () => {
    const scenario = withOwner();
    scenario.run(setupKey('venue-setup-key-1'));
    expect(scenario.run(setupKey('venue-setup-key-2'))).toMatchObject(refused('setup_key_active'));
    expect(scenario.run(remove('passkey-1'))).toMatchObject(refused('last_passkey'));
    expect(scenario.run(remove('venue-setup-key-1'))).toMatchObject([{ type: 'PasskeyRemoved' }]);
    expect(scenario.run(setupKey('venue-setup-key-2'))).toMatchObject([{ type: 'PasskeyAdded' }]);
  });

  test('is refused after the setup, without the package, and after a revocation', () => {
    const scenario = Scenario.withAccounts(1);
    const complete = owned(scenario, 1, 'present');
    expect(scenario.run(setupKey('key-1', complete))).toMatchObject(refused('setup_complete'));
    const submitted = owned(scenario, 2, 'submit');
    const record = { type: 'RecordPartyConsent', account: submitted, consentId: '', reason: 'package_absent' } as const;
    scenario.run({ ...record, consent: 'absent' });
    expect(scenario.run(setupKey('key-2', submitted))).toMatchObject(refused('setup_unavailable'));
    const revoked = { type: 'RecordPartyConsent', account: complete, consent: 'revoked', consentId: 'consent-2' } as const;
    scenario.run({ ...revoked, reason: 'by the owner' });
    expect(scenario.run(setupKey('key-1', complete))).toMatchObject(refused('setup_unavailable'));
    const replacement = { ledgerKey: 'again', replacesConsentId: 'consent-2' } as const;
    scenario.run({ type: 'SubmitPartyConsent', account: complete, ...replacement });
    expect(scenario.run(setupKey('key-1', complete))).toMatchObject(refused('setup_unavailable'));
  });
});

test('a venue has a maximum number of owners', () => {
  const scenario = Scenario.withAccounts(0);
  scenario.run(registration(1));
  const { byAccount } = scenario.venue.state.owners;
  const [owner] = byAccount.values();
  while (byAccount.size < MAX_OWNERS - 1) byAccount.set((byAccount.size + 1_000) as AccountOrdinal, owner!);
  expect(planRegistration({ state: scenario.venue.state } as Turn, registration(2))).toBeUndefined();
  byAccount.set(999 as AccountOrdinal, owner!);
  const full = { code: 'capability_unavailable', bound: MAX_OWNERS };
  expect(planRegistration({ state: scenario.venue.state } as Turn, registration(2))).toEqual(full);
});
