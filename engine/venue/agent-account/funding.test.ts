import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Command, CreateAgentFunding } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import { owned, passkey } from '#venue/owner/testing/owners.ts';
import { holdingsOf } from '#venue/testing/outcome.ts';
import { MAX_AGENT_FUNDING_LIFETIME_MS, MAX_PENDING_AGENT_FUNDINGS } from './funding.ts';

const CASH = 10_000;
const LIFETIME_MS = 1_000;
const DIGEST = 'd'.repeat(64);
const FIRST = 'transfer-of-test-1';
const refused = (code: string) => [{ type: 'CommandRefused', code }];

/** An owner with cash, and its agent account. */
class Owner {
  readonly scenario = Scenario.withAccounts(1);
  readonly account = owned(this.scenario, 1, 'present');
  readonly agent = this.openAgent();

  constructor() {
    this.run({ type: 'CreditCash', account: this.account, amountAtoms: CASH as QuoteAtoms, reference: '' });
  }

  openAgent(): AccountOrdinal {
    this.run({ type: 'OpenAgentAccount', account: this.account, label: '', digestSeed: 1 });
    return (this.scenario.venue.state.accounts.length - 1) as AccountOrdinal;
  }

  run(command: Command): VenueEvent[] {
    const events = this.scenario.run(command);
    checkInvariants(this.scenario.venue.state);
    return events;
  }

  create(change: Partial<Record<keyof CreateAgentFunding, unknown>> = {}): VenueEvent[] {
    const expiresAtEpochMs = (this.scenario.now + LIFETIME_MS) as EpochMs;
    const terms = { direction: 'owner_to_agent', amountAtoms: 100 as QuoteAtoms, expiresAtEpochMs } as const;
    const created = { type: 'CreateAgentFunding', account: this.account, agentAccount: this.agent, transferId: FIRST, ...terms };
    return this.run({ ...created, ...change } as CreateAgentFunding);
  }

  approve(transferId = FIRST, credentialId = 'passkey-1', account = this.account): VenueEvent[] {
    return this.run({ type: 'ApproveAgentFunding', account, transferId, credentialId, intentDigest: DIGEST });
  }

  move(transferId = FIRST, account = this.account): VenueEvent[] {
    return this.run({ type: 'MoveAgentFunding', account, transferId });
  }

  get cash(): readonly number[] {
    return [this.account, this.agent].map((account) => holdingsOf(this.scenario.venue.state, account).cash);
  }
}

describe('a funding', () => {
  test('moves cash once, after the owner approved it', () => {
    const owner = new Owner();
    const { account, agent: agentAccount } = owner;
    const expiresAtEpochMs = owner.scenario.now + LIFETIME_MS;
    const terms = { direction: 'owner_to_agent', amountAtoms: 100, expiresAtEpochMs };
    expect(owner.create()).toEqual([{ type: 'AgentFundingCreated', transferId: FIRST, account, agentAccount, ...terms }]);
    expect(owner.move()).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.approve()).toEqual([
      { type: 'AgentFundingApproved', transferId: FIRST, account, credentialId: 'passkey-1', intentDigest: DIGEST },
    ]);
    expect(owner.approve()).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.cash).toEqual([CASH, 0]);
    expect(owner.move()).toEqual([
      { type: 'AgentFundingMoved', transferId: FIRST, account, agentAccount },
      { type: 'CashTransferred', from: account, to: agentAccount, amountAtoms: 100, reference: FIRST },
      { type: 'CashPosted', account, kind: 'transfer_out', amountAtoms: -100, cashAtoms: CASH - 100 },
      { type: 'CashPosted', account: agentAccount, kind: 'transfer_in', amountAtoms: 100, cashAtoms: 100 },
    ]);
    for (const again of [() => owner.move(), () => owner.approve()])
      expect(again()).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.create()).toMatchObject(refused('agent_funding_exists'));
    expect(owner.cash).toEqual([CASH - 100, 100]);
  });

  test('returns cash of the agent account to its owner', () => {
    const owner = new Owner();
    owner.create();
    owner.approve();
    owner.move();
    owner.create({ transferId: 'transfer-of-test-2', direction: 'agent_to_owner', amountAtoms: 60 });
    owner.approve('transfer-of-test-2');
    expect(owner.move('transfer-of-test-2')[1]).toMatchObject({ from: owner.agent, to: owner.account, amountAtoms: 60 });
    expect(owner.cash).toEqual([CASH - 40, 40]);
  });

  test('expires unless it is approved; an approved one never expires', () => {
    const owner = new Owner();
    owner.create();
    owner.create({ transferId: 'transfer-of-test-2' });
    owner.scenario.wait(LIFETIME_MS - 4);
    owner.approve();
    owner.scenario.wait(MAX_AGENT_FUNDING_LIFETIME_MS);
    expect(owner.approve('transfer-of-test-2')).toMatchObject(refused('agent_funding_expired'));
    // The next creation drops the expired one, and not the approved one. Its id stays used.
    owner.create({ transferId: 'transfer-of-test-3' });
    expect([...owner.scenario.venue.state.agentFundings.open()].map(({ transferId }) => transferId)).toEqual([
      FIRST,
      'transfer-of-test-3',
    ]);
    expect(owner.move()).toMatchObject([{ type: 'AgentFundingMoved' }, {}, {}, {}]);
    expect(owner.approve('transfer-of-test-2')).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.create({ transferId: 'transfer-of-test-2' })).toMatchObject(refused('agent_funding_exists'));
  });

  test.each([
    [-1, [{ type: 'AgentFundingApproved' }]],
    [0, refused('agent_funding_expired')],
  ])('can be approved until its expiry: %i ms from it', (fromExpiryMs, outcome) => {
    const owner = new Owner();
    const expiresAtEpochMs = owner.scenario.now + LIFETIME_MS;
    owner.create({ expiresAtEpochMs });
    // The command is sequenced a millisecond later.
    owner.scenario.wait(expiresAtEpochMs + fromExpiryMs - 1 - owner.scenario.now);
    expect(owner.approve()).toMatchObject(outcome);
  });

  test('is restored with all of its state, open or ended', () => {
    const owner = new Owner();
    owner.scenario.snapshotEvery = 1;
    for (const number of [1, 2, 3]) owner.create({ transferId: `transfer-of-test-${number}` });
    for (const number of [1, 2]) owner.approve(`transfer-of-test-${number}`);
    owner.move('transfer-of-test-2');
    expect(owner.move('transfer-of-test-2')).toMatchObject(refused('agent_funding_state_conflict'));
    expect([...owner.scenario.venue.state.agentFundings.open()]).toMatchObject([
      { transferId: FIRST, isApproved: true },
      { transferId: 'transfer-of-test-3', isApproved: false },
    ]);
    expect([...owner.scenario.venue.state.agentFundings.ended()]).toEqual(['transfer-of-test-2']);
  });

  test.each(['agent', 'account'] as const)('is refused for good when its %s is retired, unless it returns money', (retired) => {
    const owner = new Owner();
    const { account, agent: agentAccount } = owner;
    const other = owner.openAgent();
    owner.create();
    owner.approve();
    owner.move();
    for (const [transferId, change] of [
      ['approved-to-agent-1', {}],
      ['prepared-to-agent-1', {}],
      ['approved-to-agent-2', { agentAccount: other }],
      ['returning-to-owner', { direction: 'agent_to_owner' }],
    ] as const) {
      owner.create({ transferId, ...change });
      if (transferId !== 'prepared-to-agent-1') owner.approve(transferId);
    }
    owner.create({ transferId: 'expired-to-agent-1', expiresAtEpochMs: owner.scenario.now + 5 });
    owner.scenario.wait(10);
    const events = owner.run({ type: 'RetireAccount', account: owner[retired] });
    const ended = (transferId: string, to: AccountOrdinal) => ({
      type: 'AgentFundingRefused',
      transferId,
      account,
      agentAccount: to,
    });
    expect(events).toEqual([
      { type: 'AccountRetired', account: owner[retired] },
      ended('approved-to-agent-1', agentAccount),
      ended('prepared-to-agent-1', agentAccount),
      ...(retired === 'account' ? [ended('approved-to-agent-2', other)] : []),
    ]);
    expect(owner.move('approved-to-agent-1')).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.create({ transferId: 'approved-to-agent-1', direction: 'agent_to_owner' })).toMatchObject(
      refused('agent_funding_exists'),
    );
    expect(owner.move('returning-to-owner')).toMatchObject([{ type: 'AgentFundingMoved' }, {}, {}, {}]);
    expect(owner.cash).toEqual([CASH, 0]);
  });

  test('that returns money is refused for good when an account is excluded as legacy', () => {
    const owner = new Owner();
    owner.create({ direction: 'agent_to_owner' });
    expect(owner.run({ type: 'RetireAccount', account: owner.agent, isLegacy: true })).toMatchObject([
      { type: 'AccountRetired' },
      { type: 'AgentFundingRefused', transferId: FIRST },
    ]);
  });

  test('has a bounded number for each owner; moved and expired ones do not count', () => {
    const owner = new Owner();
    const create = (number: number) => owner.create({ transferId: `transfer-of-test-${number}`, amountAtoms: 1 });
    for (let number = 1; number <= MAX_PENDING_AGENT_FUNDINGS; number += 1)
      expect(create(number)).toMatchObject([{ type: 'AgentFundingCreated' }]);
    expect(create(1_000)).toMatchObject([{ code: 'too_many_agent_fundings', bound: MAX_PENDING_AGENT_FUNDINGS }]);
    owner.approve();
    owner.move();
    expect(create(1_001)).toMatchObject([{ type: 'AgentFundingCreated' }]);
    expect(create(1_002)).toMatchObject(refused('too_many_agent_fundings'));
    owner.scenario.wait(LIFETIME_MS);
    expect(create(1_003)).toMatchObject([{ type: 'AgentFundingCreated' }]);
  });
});

describe('a funding is not created', () => {
  test.each([
    ['of nothing', { amountAtoms: 0 }, 'amount_out_of_bounds'],
    ['with an invalid id', { transferId: 'short' }, 'agent_funding_invalid'],
    ['that has expired', { expiresAtEpochMs: 0 }, 'agent_funding_invalid'],
    ['of an unknown owner', { account: 9 }, 'account_not_found'],
    ['of an account without an owner', { account: 1 }, 'owner_not_found'],
    ['for an account that is no agent account', { agentAccount: 1 }, 'agent_account_not_found'],
    ['for an agent account without an owner', { direction: 'agent_to_owner', agentAccount: 1 }, 'agent_account_not_found'],
  ])('%s', (_, change, code) => {
    expect(new Owner().create(change)).toMatchObject(refused(code));
  });

  test('that lives too long', () => {
    const owner = new Owner();
    // The command is sequenced a millisecond later.
    const create = (lifetimeMs: number) => owner.create({ expiresAtEpochMs: owner.scenario.now + 1 + lifetimeMs });
    expect(create(MAX_AGENT_FUNDING_LIFETIME_MS + 1)).toMatchObject(refused('agent_funding_invalid'));
    expect(create(MAX_AGENT_FUNDING_LIFETIME_MS)).toMatchObject([{ type: 'AgentFundingCreated' }]);
  });
});

describe('an approval', () => {
  test('is of the owner, by one of its passkeys, for a digest', () => {
    const owner = new Owner();
    const other = owned(owner.scenario, 2, 'present');
    owner.create();
    expect(owner.approve(FIRST, 'passkey-2', other)).toMatchObject(refused('agent_funding_not_found'));
    expect(owner.approve('transfer-unknown-1')).toMatchObject(refused('agent_funding_not_found'));
    expect(owner.approve(FIRST, 'passkey-2')).toMatchObject(refused('passkey_not_found'));
    expect(owner.approve(FIRST, 'passkey-1', 9 as AccountOrdinal)).toMatchObject(refused('account_not_found'));
    const approval = { transferId: FIRST, credentialId: 'passkey-1', intentDigest: 'short' };
    expect(owner.run({ type: 'ApproveAgentFunding', account: owner.account, ...approval })).toMatchObject(
      refused('agent_funding_invalid'),
    );
    owner.run({ type: 'AddPasskey', account: owner.account, passkey: passkey('second') });
    owner.run({ type: 'RemovePasskey', account: owner.account, credentialId: 'passkey-1', relyingPartyId: 'localhost' });
    expect(owner.approve()).toMatchObject(refused('passkey_not_found'));
    expect(owner.approve(FIRST, 'second')).toMatchObject([{ type: 'AgentFundingApproved' }]);
  });

  test('is not by the key of a setup', () => {
    const scenario = Scenario.withAccounts(1);
    const account = owned(scenario, 1, 'activate');
    const setupKey = passkey('venue-setup-key-1', { kind: 'setup_key' });
    expect(scenario.run({ type: 'AddPasskey', account, passkey: setupKey })).toMatchObject([{ type: 'PasskeyAdded' }]);
    scenario.run({ type: 'OpenAgentAccount', account, label: '', digestSeed: 1 });
    const agentAccount = (scenario.venue.state.accounts.length - 1) as AccountOrdinal;
    const amountAtoms = 5 as QuoteAtoms;
    scenario.run({ type: 'CreditCash', account: agentAccount, amountAtoms, reference: '' });
    const expiresAtEpochMs = (scenario.now + LIFETIME_MS) as EpochMs;
    const intent = {
      account,
      agentAccount,
      transferId: FIRST,
      direction: 'agent_to_owner',
      amountAtoms,
      expiresAtEpochMs,
    } as const;
    scenario.run({ type: 'CreateAgentFunding', ...intent });
    const approval = { account, transferId: FIRST, intentDigest: DIGEST };
    const approve = (credentialId: string) => scenario.run({ type: 'ApproveAgentFunding', ...approval, credentialId });
    expect(approve(setupKey.credentialId)).toMatchObject(refused('passkey_not_found'));
    expect(approve('passkey-1')).toMatchObject([{ type: 'AgentFundingApproved' }]);
  });

  test('is not taken for what cannot move, which stays prepared', () => {
    const owner = new Owner();
    owner.create({ amountAtoms: CASH + 1 });
    expect(owner.approve()).toMatchObject([{ code: 'insufficient_cash', bound: CASH }]);
    owner.run({ type: 'CreditCash', account: owner.account, amountAtoms: 1 as QuoteAtoms, reference: '' });
    expect(owner.approve()).toMatchObject([{ type: 'AgentFundingApproved' }]);
  });
});

/** What stops a movement, and what lets it pass again. */
const GATES: readonly (readonly [code: string, stop: Command, open: Command])[] = [
  ['venue_halted', { type: 'SetVenueStatus', status: 'halted' }, { type: 'SetVenueStatus', status: 'open' }],
  ['intake_paused', { type: 'SetVenueStatus', status: 'intake_paused' }, { type: 'SetVenueStatus', status: 'open' }],
  [
    'capability_unavailable',
    { type: 'SetCapability', capability: 'transfers', isOn: false },
    { type: 'SetCapability', capability: 'transfers', isOn: true },
  ],
  [
    'capability_unavailable',
    { type: 'SetCapability', capability: 'agents', isOn: false },
    { type: 'SetCapability', capability: 'agents', isOn: true },
  ],
];

describe.each(GATES)('%s (%o)', (code, stop, open) => {
  test('stops a movement, which the owner need not approve again', () => {
    const owner = new Owner();
    owner.create();
    owner.create({ transferId: 'transfer-of-test-2' });
    owner.approve();
    owner.run(stop);
    for (const act of [() => owner.create({ transferId: 'transfer-of-test-3' }), () => owner.approve('transfer-of-test-2')])
      expect(act()).toMatchObject(refused(code));
    expect(owner.move()).toMatchObject(refused(code));
    expect(owner.cash).toEqual([CASH, 0]);
    owner.run(open);
    expect(owner.move()).toMatchObject([{ type: 'AgentFundingMoved' }, {}, {}, {}]);
    expect(owner.cash).toEqual([CASH - 100, 100]);
  });
});

describe('an approved funding', () => {
  test('waits for available cash', () => {
    const owner = new Owner();
    owner.create({ amountAtoms: CASH });
    owner.approve();
    const withdrawn = { account: owner.account, amountAtoms: 1 as QuoteAtoms, destination: 'bank' };
    owner.run({ type: 'ReserveWithdrawal', ...withdrawn });
    expect(owner.move()).toMatchObject([{ code: 'insufficient_cash', bound: CASH - 1 }]);
    owner.run({ type: 'CreditCash', account: owner.account, amountAtoms: 1 as QuoteAtoms, reference: '' });
    expect(owner.move()).toMatchObject([{ type: 'AgentFundingMoved' }, {}, {}, {}]);
  });

  test('does not reach an agent account that is not ready, and returns from one', () => {
    const owner = new Owner();
    owner.create();
    owner.approve();
    owner.move();
    owner.create({ transferId: 'transfer-of-test-2' });
    owner.create({ transferId: 'transfer-of-test-3', direction: 'agent_to_owner' });
    for (const number of [2, 3]) owner.approve(`transfer-of-test-${number}`);
    const revoked = { consent: 'revoked', consentId: `consent-${owner.account}`, reason: '' } as const;
    owner.run({ type: 'RecordPartyConsent', account: owner.account, ...revoked });
    expect(owner.move('transfer-of-test-2')).toMatchObject(refused('agent_account_not_ready'));
    owner.run({ type: 'RetireAccount', account: owner.agent });
    owner.run({ type: 'RetireAccount', account: owner.account });
    owner.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(owner.move('transfer-of-test-2')).toMatchObject(refused('agent_funding_state_conflict'));
    expect(owner.create({ transferId: 'transfer-of-test-4' })).toMatchObject(refused('account_retired'));
    expect(owner.move('transfer-of-test-3')).toMatchObject([{ type: 'AgentFundingMoved' }, {}, {}, {}]);
    expect(owner.cash).toEqual([CASH, 0]);
  });

  test.each(['account', 'agent'] as const)('does not move if the %s is legacy, in either direction', (which) => {
    const owner = new Owner();
    owner.create();
    owner.approve();
    owner.move();
    owner.create({ transferId: 'transfer-of-test-2' });
    owner.create({ transferId: 'transfer-of-test-3', direction: 'agent_to_owner' });
    for (const number of [2, 3]) owner.approve(`transfer-of-test-${number}`);
    owner.run({ type: 'RetireAccount', account: owner[which], isLegacy: true });
    for (const number of [2, 3])
      expect(owner.move(`transfer-of-test-${number}`)).toMatchObject(refused('agent_funding_state_conflict'));
    for (const direction of ['owner_to_agent', 'agent_to_owner'])
      expect(owner.create({ transferId: 'transfer-of-test-4', direction })).toMatchObject(refused('account_legacy_excluded'));
  });

  test("is not moved by another owner, nor into another owner's agent account", () => {
    const owner = new Owner();
    const other = owned(owner.scenario, 2, 'present');
    owner.create();
    owner.approve();
    expect(owner.move(FIRST, other)).toMatchObject(refused('agent_funding_not_found'));
    expect(owner.create({ account: other, transferId: 'transfer-of-test-2' })).toMatchObject(refused('agent_account_not_found'));
  });
});
