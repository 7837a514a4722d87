/** How far the journal knows the external ledger: receipts of parties, consents and steps, and what the operator accepts. */
import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { RecordPartyConsent } from '#venue/command.ts';
import { owned, setupCommand } from '#venue/owner/testing/owners.ts';
import { snapshotScenario } from '#venue/testing/venues.ts';

const LEDGER = { ledgerId: 'ledger', treasuryPartyId: 'treasury', custodyPartyId: 'custody' };
const headOf = ({ venue }: Scenario) => venue.state.settlement.ledgerHead;
const eventAt = (ledgerOffset: number) => ({ ledgerOffset, ledgerEventId: `event-${ledgerOffset}` });
const allocation = (account: AccountOrdinal) => ({ type: 'AllocateParty', account, partyId: 'party' }) as const;

test('records the event of a party’s allocation', () => {
  const scenario = snapshotScenario(1);
  const account = owned(scenario, 1, 'start');
  expect(scenario.run({ ...allocation(account), ledgerEvent: eventAt(3) })).toMatchObject([
    { type: 'PartyChanged', status: 'allocated' },
    { type: 'LedgerEventSeen', ...eventAt(3) },
  ]);
  expect(headOf(scenario)).toEqual({ offset: 3, ledgerEventId: 'event-3' });
});

test('records the events of a consent and of its revocation', () => {
  const scenario = snapshotScenario(1);
  const account = owned(scenario, 1, 'submit');
  const record = (consent: RecordPartyConsent['consent'], offset: number) =>
    scenario.run({
      type: 'RecordPartyConsent',
      account,
      consent,
      consentId: 'consent',
      reason: '',
      ledgerEvent: eventAt(offset),
    });
  expect(record('present', 5)).toMatchObject([{ type: 'PartyConsentChanged' }, { type: 'LedgerEventSeen', ...eventAt(5) }]);
  expect(record('revoked', 9)).toMatchObject([{ type: 'PartyConsentChanged' }, { type: 'LedgerEventSeen', ...eventAt(9) }]);
  expect(headOf(scenario)).toEqual({ offset: 9, ledgerEventId: 'event-9' });
});

test('takes parties and consents without an event, as journals of earlier versions have them', () => {
  const scenario = snapshotScenario(1);
  const account = owned(scenario, 1, 'start');
  for (const step of ['allocate', 'activate', 'wallet', 'submit', 'present'] as const)
    expect(scenario.run(setupCommand(step, account)).map(({ type }) => type)).not.toContain('LedgerEventSeen');
  expect(headOf(scenario)).toEqual({ offset: 0, ledgerEventId: '' });
});

test.each([
  { ledgerOffset: 0, ledgerEventId: 'event' },
  { ledgerOffset: 1, ledgerEventId: '' },
])('refuses an event that is none: %o', (ledgerEvent) => {
  const scenario = snapshotScenario(1);
  const account = owned(scenario, 1, 'start');
  expect(scenario.run({ ...allocation(account), ledgerEvent })).toMatchObject([{ code: 'ledger_reference_invalid' }]);
  for (const step of ['allocate', 'activate', 'submit'] as const) scenario.run(setupCommand(step, account));
  const consent = { type: 'RecordPartyConsent', account, consent: 'present', consentId: 'consent', reason: '' } as const;
  expect(scenario.run({ ...consent, ledgerEvent })).toMatchObject([{ code: 'ledger_reference_invalid' }]);
  scenario.run({ type: 'BindLedger', ...LEDGER });
  expect(scenario.run({ type: 'AcceptLedgerEntries', ...ledgerEvent, reason: '' })).toMatchObject([
    { code: 'ledger_reference_invalid' },
  ]);
});

test('accepts the ledger’s entries up to an event after the known ones', () => {
  const scenario = snapshotScenario(1);
  const accept = (offset: number) => scenario.run({ type: 'AcceptLedgerEntries', ...eventAt(offset), reason: 'restored' });
  expect(accept(7)).toMatchObject([{ code: 'ledger_reference_invalid' }]);
  scenario.run({ type: 'BindLedger', ...LEDGER });
  expect(accept(7)).toEqual([{ type: 'LedgerEntriesAccepted', ...eventAt(7), reason: 'restored' }]);
  for (const offset of [7, 6]) expect(accept(offset)).toMatchObject([{ code: 'ledger_offset_known', bound: 7 }]);
  expect(accept(8)).toMatchObject([{ type: 'LedgerEntriesAccepted' }]);
  expect(headOf(scenario)).toEqual({ offset: 8, ledgerEventId: 'event-8' });
});

test('refuses to accept entries for a reason that no journal takes', () => {
  const scenario = snapshotScenario(1);
  scenario.run({ type: 'BindLedger', ...LEDGER });
  const reason = 'x'.repeat(256);
  expect(scenario.run({ type: 'AcceptLedgerEntries', ...eventAt(1), reason })).toMatchObject([
    { code: 'ledger_reference_invalid' },
  ]);
});
