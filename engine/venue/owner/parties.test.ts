import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { owned, ownerOf, SETUP_STEPS, type SetupStep, setupCommand } from './testing/owners.ts';

const operators = 1 as AccountOrdinal;
const refused = (code: string) => [{ type: 'CommandRefused', code }];

/** The steps that each state of a setup permits; every other one is refused with the code of its own. */
const PERMITTED: readonly (readonly [after: SetupStep | undefined, steps: readonly SetupStep[]])[] = [
  [undefined, ['start']],
  ['start', ['allocate']],
  ['allocate', ['activate']],
  ['activate', ['wallet', 'submit']],
  ['wallet', ['submit']],
  ['submit', ['present']],
  ['present', []],
];
const CONFLICTS: Readonly<Record<SetupStep, readonly string[]>> = {
  start: ['party_state_conflict'],
  allocate: ['party_state_conflict'],
  activate: ['party_state_conflict'],
  wallet: ['party_state_conflict', 'wallet_exists'],
  submit: ['party_state_conflict', 'consent_state_conflict'],
  present: ['consent_state_conflict'],
};

describe.each(PERMITTED)('after %s', (after, steps) => {
  test.each(SETUP_STEPS)('%s is taken if it is due', (step) => {
    const scenario = Scenario.withAccounts(1);
    const account = owned(scenario, 1, after);
    const [event] = scenario.run(setupCommand(step, account));
    if (steps.includes(step)) expect(event!.type).not.toBe('CommandRefused');
    else expect(CONFLICTS[step]).toContain(event!.type === 'CommandRefused' && event!.code);
  });
});

test('a setup is complete with an active party, a wallet and a consent', () => {
  const scenario = Scenario.withAccounts(1);
  const account = owned(scenario, 1);
  const states = SETUP_STEPS.map((step) => {
    scenario.run(setupCommand(step, account));
    return ownerOf(scenario, account).setup;
  });
  expect(states).toEqual(['pending', 'pending', 'pending', 'pending', 'pending', 'complete']);
});

describe('a party', () => {
  test('carries its key and id through its events, and lets the account trade once it is active', () => {
    const scenario = Scenario.withAccounts(1);
    const account = owned(scenario, 1);
    scenario.run({ type: 'CreditCash', account, amountAtoms: 1_000_000_000 as QuoteAtoms, reference: '' });
    const party = { type: 'PartyChanged', account, ledgerKey: `party-key-${account}` };
    const partyId = `owner-party-${account}`;
    expect(scenario.run(setupCommand('start', account))).toEqual([{ ...party, status: 'allocating', partyId: '' }]);
    expect(scenario.run(setupCommand('allocate', account))).toEqual([{ ...party, status: 'allocated', partyId }]);
    expect(scenario.limit(account, 'buy', 9_900, 1)).toMatchObject(refused('account_not_enabled'));
    expect(scenario.venue.state.account(account)!.partyId).toBe('');
    expect(scenario.run(setupCommand('activate', account))).toEqual([{ ...party, status: 'active', partyId }]);
    expect(scenario.venue.state.account(account)!.partyId).toBe(partyId);
    expect(scenario.limit(account, 'buy', 9_900, 1)).toMatchObject([{ type: 'OrderAccepted' }, {}]);
  });

  test.each([1, Number.POSITIVE_INFINITY])(
    'belongs to one account, also while it is only allocated (a restore each %d)',
    (every) => {
      const scenario = new Scenario();
      scenario.snapshotEvery = every;
      scenario.populate(1);
      const [first, second] = [owned(scenario, 1, 'allocate'), owned(scenario, 2, 'start')];
      const allocate = (partyId: string) => scenario.run({ type: 'AllocateParty', account: second, partyId });
      expect(allocate(`owner-party-${first}`)).toMatchObject(refused('party_exists'));
      expect(allocate('party-1')).toMatchObject(refused('party_exists'));
      expect(allocate('another')).toMatchObject([{ type: 'PartyChanged' }]);
    },
  );

  test('is not started for an account of the operator, which trades without it', () => {
    const scenario = Scenario.withAccounts(1);
    expect(scenario.run(setupCommand('start', operators))).toMatchObject(refused('owner_not_found'));
    expect(scenario.run(setupCommand('start', 9 as AccountOrdinal))).toMatchObject(refused('account_not_found'));
    expect(scenario.limit(operators, 'buy', 9_900, 1)).toMatchObject([{ type: 'OrderAccepted' }, {}]);
  });

  test('is refused with ids that the ledger cannot have', () => {
    const scenario = Scenario.withAccounts(0);
    const account = owned(scenario, 1);
    const steps: readonly (readonly [Command, SetupStep])[] = [
      [{ type: 'StartParty', account, ledgerKey: '' }, 'start'],
      [{ type: 'AllocateParty', account, partyId: '' }, 'allocate'],
      [{ type: 'CreateSigningWallet', account, walletId: 'x'.repeat(256) }, 'activate'],
    ];
    expect(scenario.run(steps[0]![0])).toMatchObject(refused('ledger_reference_invalid'));
    scenario.run(setupCommand('start', account));
    expect(scenario.run(steps[1]![0])).toMatchObject(refused('ledger_reference_invalid'));
    scenario.run(setupCommand('allocate', account));
    scenario.run(setupCommand('activate', account));
    expect(scenario.run(steps[2]![0])).toMatchObject(refused('ledger_reference_invalid'));
  });

  test('of a retired account is allocated if it was started, and not activated', () => {
    const scenario = Scenario.withAccounts(0);
    const [started, allocated] = [owned(scenario, 1, 'start'), owned(scenario, 2, 'allocate')];
    for (const account of [started, allocated]) scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(setupCommand('allocate', started))).toMatchObject([{ type: 'PartyChanged', status: 'allocated' }]);
    expect(scenario.run({ type: 'ActivateParty', account: allocated })).toMatchObject(refused('account_retired'));
    const legacy = owned(scenario, 3);
    scenario.run({ type: 'RetireAccount', account: legacy, isLegacy: true });
    expect(scenario.run(setupCommand('start', legacy))).toMatchObject(refused('account_legacy_excluded'));
  });
});
