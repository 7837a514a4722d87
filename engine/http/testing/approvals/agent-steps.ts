/** The step of an agent account's funding that an owner approves by a signature. */
import { expect } from 'vitest';
import { AgentOwner } from '#http/testing/agent-owner.ts';
import { type ApprovedStep, type Due, dueOf, type PreparedStep } from './approved-step.ts';

/** By account: its agent account. */
const agents = new Map<string, Promise<AgentOwner>>();

function agentOf({ approver: { venue, owner } }: Pick<PreparedStep, 'approver'>): Promise<AgentOwner> {
  const key = `${venue.port} ${owner.accountId}`;
  const known = agents.get(key) ?? AgentOwner.of(venue, owner);
  agents.set(key, known);
  return known;
}

async function fundingDue(agent: AgentOwner, transferId: string): Promise<Due> {
  const { body } = await agent.initiate(transferId);
  return dueOf(body, (approval, by) => agent.confirm(transferId, { action: 'complete', ...approval }, by));
}

const AMOUNT = '40';

const another =
  (amount: string) =>
  async (prepared: PreparedStep): Promise<Due> => {
    const agent = await agentOf(prepared);
    const { challenge } = await fundingDue(agent, await agent.created(amount));
    return { ...(await prepared.due()), challenge };
  };

export const agentFunding: ApprovedStep = {
  operation: 'confirmAgentFunding',
  name: 'a funding of an agent account',
  signers: 'passkey',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    const agent = await agentOf({ approver });
    const transferId = await agent.created(AMOUNT);
    return { approver, itemId: transferId, due: () => fundingDue(agent, transferId) };
  },
  others: {
    'a funding of another amount': another('4'),
    'another funding of the same amount': another(AMOUNT),
  },
  commands: ['RecordPasskeyUse', 'ApproveAgentFunding', 'MoveAgentFunding'],
  ledgerSteps: [],
  verify: async (prepared) => {
    const agent = await agentOf(prepared);
    expect(await agent.cash()).toEqual(['960', AMOUNT]);
    expect(await agent.status(prepared.itemId!)).toMatchObject({ status: 'credited' });
  },
  repeated: { status: 'credited', challenge: null },
};
