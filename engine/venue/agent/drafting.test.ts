import { describe, expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import { owned } from '#venue/owner/testing/owners.ts';
import type { Turn } from '#venue/turn.ts';
import { draftSizeOf, MAX_DRAFTED_SIZE, MAX_DRAFTS, MAX_OWNER_DRAFTED_SIZE, MAX_SCRIPT_LENGTH } from './draft.ts';
import { planDraft } from './drafting.ts';
import { agentOwner, change, deployment, draft, REVIEW_DIGEST, reviewed, TEXT_DIGEST } from './testing/agents.ts';

const refused = (code: string) => [{ type: 'CommandRefused', code }];
const review = (account: AccountOrdinal, of: number, reviewDigest = REVIEW_DIGEST) =>
  ({ type: 'ReviewAgentScript', account, draft: of as AgentDraftOrdinal, reviewDigest }) as const;
const remove = (account: AccountOrdinal, of: number) =>
  ({ type: 'RemoveAgentDraft', account, draft: of as AgentDraftOrdinal }) as const;

describe('a draft', () => {
  test('stores a script of an owner under the next number, also after one was removed', () => {
    const scenario = Scenario.withAccounts(0);
    const account = owned(scenario, 1);
    const stored = { account, name: 'breakout', text: 'strategy("x")', textDigest: TEXT_DIGEST };
    expect(scenario.run({ type: 'DraftAgentScript', ...stored })).toEqual([{ type: 'AgentScriptDrafted', draft: 1, ...stored }]);
    expect(scenario.run(remove(account, 1))).toEqual([{ type: 'AgentDraftRemoved', draft: 1, account }]);
    expect(scenario.run(draft(account))).toMatchObject([{ draft: 2 }]);
    expect([...scenario.venue.state.agents.drafts.values()]).toEqual([
      { draft: 2, ...stored, reviewDigest: '', createdAtEpochMs: scenario.now },
    ]);
  });

  test.each([
    ['no text', { text: '' }],
    ['a text that is too long', { text: 'x'.repeat(MAX_SCRIPT_LENGTH + 1) }],
    ['no name', { name: '' }],
    ['a name that is too long', { name: 'x'.repeat(65) }],
    ['another digest', { textDigest: 'A'.repeat(64) }],
  ])('is refused with %s', (_, changes) => {
    const scenario = Scenario.withAccounts(0);
    expect(scenario.run(draft(owned(scenario, 1), changes))).toMatchObject(refused('agent_script_invalid'));
  });

  test('is refused of accounts without an owner, of retired ones, while intake is paused, and while agents are off', () => {
    const scenario = Scenario.withAccounts(1);
    const account = owned(scenario, 1);
    expect(scenario.run(draft(1 as AccountOrdinal))).toMatchObject(refused('owner_not_found'));
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(scenario.run(draft(account))).toMatchObject(refused('intake_paused'));
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(scenario.run(draft(account))).toMatchObject(refused('capability_unavailable'));
    scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(draft(account))).toMatchObject(refused('account_retired'));
  });

  test("is refused beyond the size of its owner's drafts, without removed ones", () => {
    const scenario = Scenario.withAccounts(0);
    const [account, other] = [owned(scenario, 1), owned(scenario, 2)];
    const text = 'x'.repeat(MAX_SCRIPT_LENGTH);
    for (let size = 0; size < MAX_OWNER_DRAFTED_SIZE; size += MAX_SCRIPT_LENGTH)
      expect(scenario.run(draft(account, { text }))).toMatchObject([{ type: 'AgentScriptDrafted' }]);
    const full = { code: 'too_many_agent_drafts', bound: MAX_OWNER_DRAFTED_SIZE };
    expect(scenario.run(draft(account))).toMatchObject([full]);
    expect(scenario.run(draft(other))).toMatchObject([{ type: 'AgentScriptDrafted' }]);
    scenario.run(remove(account, 1));
    expect(scenario.run(draft(account, { text }))).toMatchObject([{ type: 'AgentScriptDrafted' }]);
  });

  test('is refused beyond the bounds of an owner and of the venue', () => {
    const scenario = Scenario.withAccounts(0);
    scenario.snapshotEvery = MAX_DRAFTS;
    const account = owned(scenario, 1);
    for (let count = 0; count < MAX_DRAFTS; count += 1) scenario.run(draft(account));
    expect(scenario.run(draft(account))).toMatchObject([{ code: 'too_many_agent_drafts', bound: MAX_DRAFTS }]);
    scenario.run(remove(account, 1));
    const { state } = scenario.venue;
    const turnOf = (draftedSize: number) =>
      ({
        state: {
          ...state,
          account: () => state.account(account),
          agents: { draftedSize, draftCountOf: () => 0, draftedSizeOf: () => 0 },
        },
      }) as never as Turn;
    const size = draftSizeOf(draft(account));
    expect(planDraft(turnOf(MAX_DRAFTED_SIZE - size), draft(account))).toBeUndefined();
    const full = { code: 'capability_unavailable', bound: MAX_DRAFTED_SIZE };
    expect(planDraft(turnOf(MAX_DRAFTED_SIZE - size + 1), draft(account))).toEqual(full);
  });

  test('counts the size of the drafts that are there, a short one as 1,024', () => {
    const scenario = Scenario.withAccounts(0);
    // A restored state counts again.
    scenario.snapshotEvery = 1_000;
    const account = owned(scenario, 1);
    scenario.run(draft(account, { text: 'x'.repeat(MAX_SCRIPT_LENGTH) }));
    scenario.run(draft(account, { text: 'y'.repeat(10) }));
    scenario.run(remove(account, 1));
    expect(scenario.venue.state.agents.draftedSize).toBe(1_024);
  });
});

describe('a review', () => {
  test('is confirmed by its owner with its exact digest, and may be confirmed again', () => {
    const scenario = Scenario.withAccounts(0);
    const account = owned(scenario, 1);
    const other = owned(scenario, 2);
    scenario.run(draft(account));
    expect(scenario.run(review(other, 1))).toMatchObject(refused('agent_draft_not_found'));
    expect(scenario.run(review(account, 2))).toMatchObject(refused('agent_draft_not_found'));
    expect(scenario.run(review(account, 1, ''))).toMatchObject(refused('agent_script_invalid'));
    expect(scenario.run(review(account, 1))).toEqual([
      { type: 'AgentScriptReviewed', draft: 1, account, reviewDigest: REVIEW_DIGEST },
    ]);
    scenario.run(review(account, 1, 'c'.repeat(64)));
    expect(scenario.venue.state.agents.drafts.get(1 as AgentDraftOrdinal)!.reviewDigest).toBe('c'.repeat(64));
  });
});

describe('a removal', () => {
  test('waits for the end of the deployments that run the draft, and needs neither agents nor an active account', () => {
    const scenario = Scenario.withAccounts(0);
    const owner = agentOwner(scenario);
    const { account } = owner;
    scenario.run(deployment(owner, { draft: reviewed(scenario, account) }));
    expect(scenario.run(remove(owned(scenario, 2), 1))).toMatchObject(refused('agent_draft_not_found'));
    expect(scenario.run(remove(account, 1))).toMatchObject(refused('agent_draft_in_use'));
    scenario.run(change(1, 'stopped', 1));
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    scenario.run({ type: 'RetireAccount', account });
    expect(scenario.run(remove(account, 1))).toMatchObject([{ type: 'AgentDraftRemoved' }]);
    expect(scenario.run(remove(account, 1))).toMatchObject(refused('agent_draft_not_found'));
  });
});
