/** Every row of 7.3 of the interface that is about agent funding, by name. Nothing moves, and what was approved can be finished. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_FUNDING_LIFETIME_MS } from '#contract/agent-funding.ts';
import { AGENT_REFUSALS } from '#contract/error-envelope.ts';
import { AgentOwner, OWNER_CASH } from '#http/testing/agent-owner.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type PlantedFaults, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { Command } from '#venue/command.ts';
import { WriterBusy } from '#writer/port/submit.ts';

let venue: VenueUnderTest;
beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly agentRefusal?: string;
}

interface Row {
  readonly condition: string;
  readonly refused: Refusal;
  /** How it comes about, for a funding of 1 that is prepared, or approved. */
  readonly provoke: (agent: AgentOwner) => Promise<unknown>;
  /** How it ends; absent if it lasts. */
  readonly end?: (agent: AgentOwner) => Promise<unknown>;
  readonly planted?: PlantedFaults;
}

const run = (command: Command) => venue.operate(command, EVENT_OF[command.type as keyof typeof EVENT_OF]);
const EVENT_OF = {
  SetVenueStatus: 'VenueStatusChanged',
  SetCapability: 'CapabilitySet',
  DebitCash: 'WithdrawalSettled',
  CreditCash: 'CashPosted',
  RetireAccount: 'AccountRetired',
  RecordPartyConsent: 'PartyConsentChanged',
} as const;
const cash = (agent: AgentOwner, type: 'DebitCash' | 'CreditCash') =>
  run({ type, account: agent.owner.bot.account, amountAtoms: (OWNER_CASH * 1_000_000) as never, reference: 'test' });
const status = (to: 'open' | 'halted' | 'intake_paused') => () => run({ type: 'SetVenueStatus', status: to });
const capability = (name: 'transfers' | 'agents', isOn: boolean) => () => run({ type: 'SetCapability', capability: name, isOn });

/** Every gate stops both, a funding that is prepared and one that is approved. */
const ROWS: readonly Row[] = [
  {
    condition: 'more than the account may move now',
    refused: { status: 409, code: 'insufficient_cash', agentRefusal: 'transfer_eligibility_insufficient' },
    provoke: (agent) => cash(agent, 'DebitCash'),
    end: (agent) => cash(agent, 'CreditCash'),
  },
  {
    condition: 'the owner has revoked the consent of its party',
    refused: { status: 409, code: 'agent_account_not_ready', agentRefusal: 'transfer_blocked' },
    provoke: ({ owner: { bot } }) => {
      const { consentId } = venue.owners.owner(bot.account)!.consent;
      return run({ type: 'RecordPartyConsent', account: bot.account, consent: 'revoked', consentId, reason: '' });
    },
  },
  {
    condition: 'the agent account is retired',
    refused: { status: 409, code: 'account_retired', agentRefusal: 'account_unavailable' },
    provoke: ({ agentAccount }) => run({ type: 'RetireAccount', account: agentAccount }),
  },
  {
    condition: 'a retired legacy account',
    refused: { status: 409, code: 'account_legacy_excluded', agentRefusal: 'account_unavailable' },
    provoke: ({ agentAccount }) => run({ type: 'RetireAccount', account: agentAccount, isLegacy: true }),
  },
  {
    condition: 'the venue is halted',
    refused: { status: 503, code: 'venue_halted', agentRefusal: 'venue_halted' },
    provoke: status('halted'),
    end: status('open'),
  },
  {
    condition: 'the intake is paused',
    refused: { status: 503, code: 'intake_paused' },
    provoke: status('intake_paused'),
    end: status('open'),
  },
  {
    condition: 'the transfer capability is unavailable',
    refused: { status: 503, code: 'capability_unavailable', agentRefusal: 'account_transfer_unavailable' },
    provoke: capability('transfers', false),
    end: capability('transfers', true),
  },
  {
    condition: 'transfers to agent accounts are not enabled',
    refused: { status: 503, code: 'capability_unavailable', agentRefusal: 'account_transfer_not_enabled' },
    provoke: capability('agents', false),
    end: capability('agents', true),
  },
  {
    condition: 'the view of the engine is unavailable',
    refused: { status: 503, code: 'venue_busy', agentRefusal: 'engine_view_unavailable' },
    provoke: async () => undefined,
    planted: {
      beforeRead: () => {
        throw new WriterBusy('planted');
      },
    },
  },
];

/** Its accounts never pass the gate again, so the funding has ended. */
function isForGood({ code }: { readonly code: string }): boolean {
  return code === 'account_retired' || code === 'account_legacy_excluded';
}

describe.each(ROWS)('$condition', ({ refused, provoke, end, planted = {} }) => {
  test.each(['prepared', 'approved'] as const)('refuses a %s funding, and nothing moves', async (stage) => {
    const agent = await AgentOwner.register(venue);
    const transferId = stage === 'prepared' ? await agent.created('1') : await approved(agent);
    const [signable] = await challenged(agent);
    const before = await agent.cash();
    await provoke(agent);
    try {
      const initiated = await whilePlanted(venue.planted, planted, () => agent.initiate(transferId));
      expectRefused(initiated, refused);
      const completion = { action: 'complete', ...signable };
      expectRefused(await whilePlanted(venue.planted, planted, () => agent.confirm(transferId, completion)), refused);
      const read = await agent.status(transferId);
      const kept = stage === 'prepared' ? 'prepared' : 'submitted';
      expect(read.funding.status).toBe(isForGood(refused) ? 'refused' : kept);
      expect(read.funding.refusalReason).toBe(refused.status === 409 ? refused.agentRefusal : null);
    } finally {
      await end?.(agent);
    }
    if (end === undefined && planted.beforeRead === undefined) return;
    expect(await agent.cash()).toEqual(before);
    const done = stage === 'prepared' ? await agent.complete(transferId) : await agent.initiate(transferId);
    expect(done.body).toMatchObject({ status: 'credited', funding: { refusalReason: null } });
    expect((await agent.cash())[1]).toBe('1');
  });

  test('refuses a new funding likewise, unless it depends on the amount or the view', async () => {
    if (refused.code === 'insufficient_cash' || refused.code === 'venue_busy') return;
    const agent = await AgentOwner.register(venue);
    await provoke(agent);
    try {
      expectRefused(await agent.create('1'), refused);
    } finally {
      await end?.(agent);
    }
  });
});

describe('the owner signature is invalid', () => {
  test('refuses the funding, which the owner can sign again', async () => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const { body } = await agent.initiate(transferId);
    const { challengeIdentifier, firstFactor } = agent.owner.approval(body.challenge);
    const unsigned = { ...firstFactor.credentialAssertion, signature: 'AAAA' };
    const completion = { action: 'complete', challengeIdentifier, firstFactor: { kind: 'Fido2', credentialAssertion: unsigned } };
    const refused = await agent.confirm(transferId, completion);
    expectRefused(refused, { status: 409, code: 'signature_rejected', agentRefusal: 'owner_signature_invalid' });
    const read = await agent.status(transferId);
    expect(read).toMatchObject({ status: 'approval_required', funding: { refusalReason: 'owner_signature_invalid' } });
    expect((await agent.initiate(transferId)).body.funding.refusalReason).toBeNull();
    expect((await agent.complete(transferId)).body).toMatchObject({ status: 'credited' });
  });
});

describe('the funding intent has expired', () => {
  test('refuses every action but status', async () => {
    let agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const [signable] = await challenged(agent, transferId);
    venue.pass(AGENT_FUNDING_LIFETIME_MS);
    agent = await agent.on(venue);
    const refused = { status: 409, code: 'agent_funding_expired', agentRefusal: 'agent_funding_expired' };
    expectRefused(await agent.initiate(transferId), refused);
    expectRefused(await agent.confirm(transferId, { action: 'complete', ...signable }), refused);
    expect(await agent.status(transferId)).toMatchObject({ status: 'expired', challenge: null, funding: { status: 'prepared' } });
    await venue.publishIndex(65_000);
  });
});

describe('an account is retired after the gate', () => {
  test.each(['ApproveAgentFunding', 'MoveAgentFunding'] as const)('refuses what %s would do, with the reason', async (step) => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const [signable] = await challenged(agent, transferId);
    const beforeSubmit = async ({ type }: Command) => {
      if (type === step) await run({ type: 'RetireAccount', account: agent.agentAccount });
    };
    const completion = { action: 'complete', ...signable };
    const refused = await whilePlanted(venue.planted, { beforeSubmit }, () => agent.confirm(transferId, completion));
    expectRefused(refused, { status: 409, code: 'account_retired', agentRefusal: 'account_unavailable' });
    expect((await agent.cash())[1]).toBe('0');
    const read = await agent.status(transferId);
    expect(read).toMatchObject({ status: 'refused', challenge: null, funding: { refusalReason: 'account_unavailable' } });
    const { body } = await agent.owner.call('listAgentFundings', { params: agent.params, query: { limit: '1' } });
    expect(body.fundings).toMatchObject([{ transferId, status: 'refused' }]);
  });
});

describe('a retired legacy account', () => {
  const refused = { status: 409, code: 'account_legacy_excluded', agentRefusal: 'account_unavailable' };
  const exclude = ({ agentAccount }: AgentOwner) => run({ type: 'RetireAccount', account: agentAccount, isLegacy: true });

  test('is reported before the end of a funding', async () => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    await agent.complete(transferId);
    const [signable] = await challenged(agent);
    await exclude(agent);
    expectRefused(await agent.initiate(transferId), refused);
    expectRefused(await agent.confirm(transferId, { action: 'complete', ...signable }), refused);
    expect(await agent.status(transferId)).toMatchObject({ status: 'credited', funding: { refusalReason: null } });
  });

  test('is reported before the expiry of a funding', async () => {
    const registered = await AgentOwner.register(venue);
    const transferId = await registered.created('1');
    venue.pass(AGENT_FUNDING_LIFETIME_MS);
    const agent = await registered.on(venue);
    await exclude(agent);
    expectRefused(await agent.initiate(transferId), refused);
    expect(await agent.status(transferId)).toMatchObject({ status: 'expired' });
    await venue.publishIndex(65_000);
  });
});

describe('an API key sends complete', () => {
  test('is 403 passkey_required, before any gate', async () => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const [signable] = await challenged(agent, transferId);
    const key = await venue.keyOf(agent.owner.bot, ['funding']);
    await status('halted')();
    const refused = await agent.confirm(transferId, { action: 'complete', ...signable }, key);
    await status('open')();
    expectRefused(refused, { status: 403, code: 'passkey_required' });
  });
});

describe('the signing provider is unavailable', () => {
  test('is 503, and nothing moves', async () => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const [signable] = await challenged(agent, transferId);
    const planted = { submit: new StoreUnavailable('planted', { dependency: 'challenges' }) };
    for (const body of [{ action: 'initiate' }, { action: 'complete', ...signable }]) {
      const refused = await whilePlanted(venue.planted, planted, () => agent.confirm(transferId, body));
      expect(refused.status).toBe(503);
    }
    expect((await agent.cash())[1]).toBe('0');
    expect((await agent.complete(transferId)).body).toMatchObject({ status: 'credited' });
  });
});

test('money returns from an agent account while agents are off', async () => {
  const agent = await AgentOwner.register(venue);
  await agent.complete(await agent.created('2'));
  const transferId = await agent.created('1', 'agent_to_owner');
  await capability('agents', false)();
  try {
    expect((await agent.complete(transferId)).body).toMatchObject({ status: 'credited' });
  } finally {
    await capability('agents', true)();
  }
  expect((await agent.cash())[1]).toBe('1');
});

describe('the writer', () => {
  test.each([
    ['MoveAgentFunding', 'submitted'],
    ['ApproveAgentFunding', 'prepared'],
  ] as const)('that does not take %s leaves the funding %s', async (type, left) => {
    const agent = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const [signable] = await challenged(agent, transferId);
    const beforeSubmit = (command: Command) => {
      if (command.type === type) throw new WriterBusy('planted');
    };
    const refused = await whilePlanted(venue.planted, { beforeSubmit }, () =>
      agent.confirm(transferId, { action: 'complete', ...signable }),
    );
    expectRefused(refused, { status: 503, code: 'venue_busy', agentRefusal: 'account_transfer_unavailable' });
    expect((await agent.status(transferId)).funding.status).toBe(left);
    expect((await agent.cash())[1]).toBe('0');
  });

  test('that has halted is 503 venue_halted', async () => {
    const halting = await startVenue(UNLIMITED);
    const agent = await AgentOwner.register(halting);
    const transferId = await agent.created('1');
    const { body } = await agent.initiate(transferId);
    const { internalErrors } = halting;
    halting.halt();
    const refused = await agent.confirm(transferId, { action: 'complete', ...agent.owner.approval(body.challenge) });
    expect([refused.status, refused.body.code]).toEqual([503, 'venue_halted']);
    expect(internalErrors).toHaveLength(1);
    await halting.close();
  });
});

describe.each(['local', 'mainnet'] as const)('agents are not admitted in %s', (environment) => {
  test('refuses every action but status, and has no other operation of agents', async () => {
    const other = await startVenue({ ...UNLIMITED, environment });
    const bot = await other.signIn(await other.bot(0));
    const params = { accountId: bot.accountId, agentAccountId: 'acct-1', transferId: 'any' };
    const confirm = (body: object) => other.call('confirmAgentFunding', { bot, params, body });
    const refused = { status: 409, code: 'agents_not_admitted', agentRefusal: 'agents_not_admitted_in_environment' };
    expectRefused(await confirm({ action: 'initiate' }), refused);
    expect((await confirm({ action: 'status' })).body).toMatchObject({ code: 'agent_funding_not_found' });
    await other.close();
  });
});

test('every agentRefusal of 7.3 is provoked here', () => {
  const provoked = new Set([...ROWS.map(({ refused }) => refused.agentRefusal), ...ELSEWHERE]);
  expect(AGENT_REFUSALS.filter((it) => !provoked.has(it))).toEqual([]);
});

/** By tests of their own. */
const ELSEWHERE = ['owner_signature_invalid', 'agent_funding_expired', 'agents_not_admitted_in_environment'];

function expectRefused({ status, body }: VenueResponse, refused: Refusal): void {
  expect({ status, code: body.code, agentRefusal: body.agentRefusal }).toEqual({ agentRefusal: undefined, ...refused });
}

/** The signature of a new challenge for a funding. */
async function challenged(agent: AgentOwner, transferId?: string) {
  const id = transferId ?? (await agent.created('1'));
  const { body } = await agent.initiate(id);
  return [agent.owner.approval(body.challenge), id] as const;
}

/** A funding of 1 that its owner has approved, and whose movement the writer did not take. */
async function approved(agent: AgentOwner): Promise<string> {
  const [signable, transferId] = await challenged(agent);
  const beforeSubmit = ({ type }: Command) => {
    if (type === 'MoveAgentFunding') throw new WriterBusy('planted');
  };
  await whilePlanted(venue.planted, { beforeSubmit }, () => agent.confirm(transferId, { action: 'complete', ...signable }));
  expect((await agent.status(transferId)).status).toBe('submitted');
  return transferId;
}
