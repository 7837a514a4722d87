import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { owned, type SetupStep, setupCommand } from '#venue/owner/testing/owners.ts';
import { Turn } from '#venue/turn.ts';
import { checkAgentAccount, checkIdentityReady } from './agent-account-turn.ts';
import { MAX_AGENT_ACCOUNTS } from './opening.ts';

const operators = 1 as AccountOrdinal;
const refused = (code: string) => [{ type: 'CommandRefused', code }];

function venue(last: SetupStep = 'present'): { readonly scenario: Scenario; readonly account: AccountOrdinal } {
  const scenario = Scenario.withAccounts(1);
  return { scenario, account: owned(scenario, 1, last) };
}

function open(scenario: Scenario, account: AccountOrdinal, label = 'agent'): VenueEvent[] {
  return scenario.run({ type: 'OpenAgentAccount', account, label, digestSeed: 5 });
}

const opened = (scenario: Scenario, account: AccountOrdinal): AccountOrdinal => {
  const event = open(scenario, account).find(({ type }) => type === 'AgentAccountOpened');
  if (event?.type !== 'AgentAccountOpened') throw new Error('no agent account was opened');
  return event.agentAccount;
};

describe('an agent account', () => {
  test('is a new account with the party of its owner', () => {
    const { scenario, account } = venue();
    const agentAccount = 3;
    expect(open(scenario, account)).toEqual([
      { type: 'AccountOpened', account: agentAccount, label: 'agent', partyId: `owner-party-${account}` },
      { type: 'AgentAccountOpened', agentAccount, account, label: 'agent' },
    ]);
    expect(scenario.venue.state.agentAccounts.of(account)).toEqual([agentAccount]);
    expect(scenario.venue.state.agentAccounts.ownerOf(agentAccount as AccountOrdinal)).toBe(account);
  });

  test('trades like any account', () => {
    const { scenario, account } = venue();
    const agentAccount = opened(scenario, account);
    scenario.run({ type: 'CreditCash', account: agentAccount, amountAtoms: 1_000_000_000 as QuoteAtoms, reference: '' });
    expect(scenario.limit(agentAccount, 'buy', 9_900, 1)).toMatchObject([{ type: 'OrderAccepted' }, {}]);
  });

  test('is opened only for an active owner with an active party', () => {
    const { scenario, account } = venue('allocate');
    expect(open(scenario, account)).toMatchObject(refused('account_not_enabled'));
    expect(open(scenario, operators)).toMatchObject(refused('owner_not_found'));
    expect(open(scenario, 9 as AccountOrdinal)).toMatchObject(refused('account_not_found'));
    scenario.run(setupCommand('activate', account));
    const agentAccount = opened(scenario, account);
    expect(open(scenario, agentAccount)).toMatchObject(refused('owner_not_found'));
    scenario.run({ type: 'RetireAccount', account });
    expect(open(scenario, account)).toMatchObject(refused('account_retired'));
  });

  test('is not opened while agents are off, or the venue takes no registrations', () => {
    const { scenario, account } = venue();
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(open(scenario, account)).toMatchObject(refused('capability_unavailable'));
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: true });
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(open(scenario, account)).toMatchObject(refused('intake_paused'));
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(open(scenario, account)).toMatchObject(refused('venue_halted'));
  });

  test('has a bounded label, and an owner a bounded number of them, also of retired ones', () => {
    const { scenario, account } = venue();
    expect(open(scenario, account, 'a'.repeat(129))).toMatchObject([{ code: 'agent_account_invalid', bound: 128 }]);
    expect(open(scenario, account, 'a'.repeat(128))).toMatchObject([{ type: 'AccountOpened' }, {}]);
    for (let count = 1; count < MAX_AGENT_ACCOUNTS; count += 1)
      scenario.run({ type: 'RetireAccount', account: opened(scenario, account) });
    expect(open(scenario, account)).toMatchObject([{ code: 'too_many_agent_accounts', bound: MAX_AGENT_ACCOUNTS }]);
    expect(open(scenario, owned(scenario, 2, 'activate'))).toMatchObject([{ type: 'AccountOpened' }, {}]);
  });

  test.each([false, true])('is restored from a snapshot (guarded ledger: %s)', (isGuarded) => {
    const { scenario, account } = venue();
    if (isGuarded) scenario.run({ type: 'GuardLedger' });
    scenario.snapshotEvery = 1;
    const agentAccount = opened(scenario, account);
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    const { state } = scenario.venue;
    expect([...state.agentAccounts.all()]).toEqual([{ agentAccount, account }]);
    expect(state.agentAccounts.of(account)).toEqual([agentAccount]);
    expect(state.settlement.isGuarded).toBe(isGuarded);
  });
});

describe('identity-ready', () => {
  const code = (scenario: Scenario, account: number, agentAccount: number) =>
    checkIdentityReady(new Turn(scenario.venue.state), account as AccountOrdinal, agentAccount as AccountOrdinal)?.code;

  test('is an agent account whose owner has a consent, while neither account is retired', () => {
    const { scenario, account } = venue('submit');
    const agentAccount = opened(scenario, account);
    expect(code(scenario, account, agentAccount)).toBe('agent_account_not_ready');
    scenario.run(setupCommand('present', account));
    expect(code(scenario, account, agentAccount)).toBeUndefined();
    const revoked = { consent: 'revoked', consentId: `consent-${account}`, reason: '' } as const;
    scenario.run({ type: 'RecordPartyConsent', account, ...revoked });
    expect(code(scenario, account, agentAccount)).toBe('agent_account_not_ready');
  });

  test('is no retired account, and none of a retired owner', () => {
    const { scenario, account } = venue();
    const [first, second] = [opened(scenario, account), opened(scenario, account)];
    scenario.run({ type: 'RetireAccount', account: first, isLegacy: true });
    expect(code(scenario, account, first)).toBe('account_legacy_excluded');
    expect(code(scenario, account, second)).toBeUndefined();
    scenario.run({ type: 'RetireAccount', account });
    expect(code(scenario, account, second)).toBe('account_retired');
  });

  test("is no account of the operator, nor another owner's agent account", () => {
    const { scenario, account } = venue();
    const agentAccount = opened(scenario, account);
    const other = owned(scenario, 2, 'present');
    expect(code(scenario, other, agentAccount)).toBe('agent_account_not_found');
    expect(code(scenario, account, operators)).toBe('agent_account_not_found');
    expect(code(scenario, account, account)).toBe('agent_account_not_found');
    const turn = new Turn(scenario.venue.state);
    expect(checkAgentAccount(turn, account, agentAccount)).toBeUndefined();
    expect(checkAgentAccount(turn, other, agentAccount)).toEqual({ code: 'agent_account_not_found' });
  });
});
