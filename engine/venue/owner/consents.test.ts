import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { RecordPartyConsent } from '#venue/command.ts';
import { owned, ownerOf, passkey, setupCommand } from './testing/owners.ts';

const account = 1 as AccountOrdinal;
const conflict = [{ type: 'CommandRefused', code: 'consent_state_conflict' }];

const submit = (ledgerKey: string, replacesConsentId: string) =>
  ({ type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId }) as const;
const record = (consent: RecordPartyConsent['consent'], consentId: string, reason = '') =>
  ({ type: 'RecordPartyConsent', account, consent, consentId, reason }) as const;

/** A venue with the account of an owner whose consent is submitted. */
function submitted(): Scenario {
  const scenario = Scenario.withAccounts(0);
  owned(scenario, 1, 'submit');
  return scenario;
}

test('records what the ledger decided, under the key of the submission', () => {
  const scenario = submitted();
  const changed = { type: 'PartyConsentChanged', account, ledgerKey: 'consent-key-1' };
  expect(scenario.run(record('present', 'consent-1'))).toEqual([
    { ...changed, consent: 'present', consentId: 'consent-1', reason: '' },
  ]);
  expect(scenario.run(record('revoked', 'consent-1', 'by the owner'))).toEqual([
    { ...changed, consent: 'revoked', consentId: 'consent-1', reason: 'by the owner' },
  ]);
});

test('is submitted once at a time', () => {
  const scenario = submitted();
  expect(scenario.run(submit('other', ''))).toMatchObject(conflict);
  scenario.run(record('present', 'consent-1'));
  expect(scenario.run(submit('other', ''))).toMatchObject(conflict);
  expect(scenario.run(record('present', 'consent-1'))).toMatchObject(conflict);
});

test('waits for the package of the ledger, and may be submitted again', () => {
  const scenario = submitted();
  scenario.run(setupCommand('wallet', account));
  scenario.run(record('absent', '', 'package_absent'));
  expect(ownerOf(scenario, account)).toMatchObject({ setup: 'waiting_for_package', consent: { state: 'absent' } });
  expect(scenario.run(submit('again', ''))).toEqual([
    { type: 'PartyConsentChanged', account, consent: 'submitted', consentId: '', ledgerKey: 'again', reason: '' },
  ]);
  expect(ownerOf(scenario, account).setup).toBe('pending');
  expect(scenario.run(record('present', 'consent-1'))).toMatchObject([{ consent: 'present', ledgerKey: 'again' }]);
});

describe('a revoked consent', () => {
  function revoked(): Scenario {
    const scenario = submitted();
    scenario.run(record('present', 'consent-1'));
    scenario.run(record('revoked', 'consent-1', 'by the owner'));
    return scenario;
  }

  test('is replaced only by a consent that names it', () => {
    const scenario = revoked();
    for (const replaced of ['', 'consent-2']) expect(scenario.run(submit('again', replaced))).toMatchObject(conflict);
    expect(scenario.run(submit('again', 'consent-1'))).toMatchObject([{ consent: 'submitted', consentId: 'consent-1' }]);
    expect(scenario.run(record('present', 'consent-2'))).toMatchObject([{ consent: 'present', consentId: 'consent-2' }]);
  });

  test('stays revoked if the ledger did not replace it', () => {
    const scenario = revoked();
    scenario.run(submit('again', 'consent-1'));
    expect(scenario.run(record('absent', '', 'package_absent'))).toMatchObject([
      { consent: 'revoked', consentId: 'consent-1', reason: 'package_absent' },
    ]);
    expect(ownerOf(scenario, account).setup).toBe('waiting_for_package');
    expect(scenario.run(submit('again', ''))).toMatchObject(conflict);
  });

  test('ends the setup key, which is no part of what follows', () => {
    const scenario = submitted();
    const setupKey = { type: 'AddPasskey', account, passkey: passkey('venue-setup-key-1', { kind: 'setup_key' }) } as const;
    scenario.run(setupKey);
    scenario.run(record('present', 'consent-1'));
    expect(scenario.run(record('revoked', 'consent-1', 'by the owner'))).toMatchObject([
      { type: 'PartyConsentChanged', consent: 'revoked' },
      { type: 'PasskeyRemoved', account, credentialId: 'venue-setup-key-1' },
    ]);
    expect([...ownerOf(scenario, account).passkeys.keys()]).toEqual(['passkey-1']);
  });

  test('is not that of an earlier consent', () => {
    const scenario = revoked();
    scenario.run(submit('again', 'consent-1'));
    scenario.run(record('present', 'consent-2'));
    expect(scenario.run(record('revoked', 'consent-1', 'late'))).toMatchObject(conflict);
  });
});

test('may be revoked before the venue learned that it was created', () => {
  expect(submitted().run(record('revoked', 'consent-1', 'by the owner'))).toMatchObject([{ consent: 'revoked' }]);
});

test('of a retired account is recorded, and not submitted', () => {
  const scenario = submitted();
  scenario.run({ type: 'RetireAccount', account });
  expect(scenario.run(record('absent', '', 'package_absent'))).toMatchObject([{ consent: 'absent' }]);
  expect(scenario.run(submit('again', ''))).toMatchObject([{ code: 'account_retired' }]);
});

test('is refused with ids that the ledger cannot have', () => {
  const scenario = submitted();
  const invalid = [{ code: 'ledger_reference_invalid' }];
  expect(scenario.run(record('present', ''))).toMatchObject(invalid);
  expect(scenario.run(record('absent', 'consent-1'))).toMatchObject(invalid);
  expect(scenario.run(record('absent', '', 'x'.repeat(256)))).toMatchObject(invalid);
  scenario.run(record('absent', ''));
  expect(scenario.run(submit('', ''))).toMatchObject(invalid);
});
