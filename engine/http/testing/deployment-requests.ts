/**
 * Valid requests of the operations of drafts and deployments. The account must have an owner with an active party; its consent, an agent
 * account, a reviewed draft and a deployment are made first.
 */
import { randomBytes } from 'node:crypto';
import type { OperationId } from '#contract/operations.ts';
import type { AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { Bot, DrivenVenue } from './driven-venue.ts';
import type { MadeRequest } from './settlement-requests.ts';

type Venue = Pick<DrivenVenue, 'call' | 'operate' | 'signIn'>;

/** Below the maximum of an owner. */
const MAX_OPEN = 10;
const MAX_KEPT_DRAFTS = 80;

let requests = 0;

const keyed = (request: MadeRequest): MadeRequest => {
  requests += 1;
  return { ...request, idempotencyKey: `deployment-${requests}` };
};

/** By operation. */
export const DEPLOYMENT_REQUESTS: { readonly [Id in OperationId]?: (venue: Venue, by: Bot) => Promise<MadeRequest> } = {
  draftAgentScript: async (venue, by) => {
    await removeDrafts(venue, by);
    return keyed({ params: of(by), body: { name: `draft ${requests}`, strategyId: 'donchian-breakout' } });
  },
  getAgentDraft: async (venue, by) => ({ params: { ...of(by), draftId: (await draftOf(venue, by)).draftId } }),
  confirmAgentReview: async (venue, by) => {
    const { draftId, reviewDigest } = await draftOf(venue, by);
    return { params: { ...of(by), draftId }, body: { reviewDigest } };
  },
  removeAgentDraft: async (venue, by) => ({ params: { ...of(by), draftId: (await draftOf(venue, by)).draftId } }),
  createAgentDeployment: async (venue, by) => {
    await stopDeployments(venue, by);
    const terms = { agentAccountId: await openAgentAccount(venue, by), draftId: await reviewedDraft(venue, by) };
    const run = { marketId: 'BTC-USD-PERP', timeframe: '1m', historyBars: 300 + (requests % 100), orderSizeAtoms: '10' };
    return keyed({ params: of(by), body: { ...terms, ...run } });
  },
  getAgentDeployment: async (venue, by) => ({ params: await deploymentOf(venue, by) }),
  stopAgentDeployment: async (venue, by) => ({ params: await deploymentOf(venue, by) }),
  listAgentActions: async (venue, by) => ({ params: await deploymentOf(venue, by) }),
  mintAgentTicket: async (venue, by) => ({ params: await deploymentOf(venue, by) }),
  listAgentPositions: async (venue, by) => ({ params: await deploymentOf(venue, by) }),
};

/** A pending deployment of the account, which exists until then or is created. */
export async function deploymentOf(
  venue: Venue,
  by: Bot,
): Promise<{ readonly accountId: string; readonly deploymentId: string }> {
  const made = await DEPLOYMENT_REQUESTS.createAgentDeployment!(venue, by);
  const { status, body } = await venue.call('createAgentDeployment', { ...made, bot: await venue.signIn(by) });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...of(by), deploymentId: body.deployment.deploymentId };
}

/** A new draft whose review is not confirmed. */
async function draftOf(venue: Venue, by: Bot): Promise<{ readonly draftId: string; readonly reviewDigest: string }> {
  const made = await DEPLOYMENT_REQUESTS.draftAgentScript!(venue, by);
  const { status, body } = await venue.call('draftAgentScript', { ...made, bot: await venue.signIn(by) });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function reviewedDraft(venue: Venue, by: Bot): Promise<string> {
  const { draftId, reviewDigest } = await draftOf(venue, by);
  const draft = Number(draftId) as AgentDraftOrdinal;
  await venue.operate({ type: 'ReviewAgentScript', account: by.account, draft, reviewDigest }, 'AgentScriptReviewed');
  return draftId;
}

const agentAccounts = new WeakMap<Venue['operate'], Map<string, string>>();

/** The agent account of the owner, who has a consent then. */
export async function openAgentAccount(venue: Venue, { account, accountId }: Bot): Promise<string> {
  const opened = agentAccounts.get(venue.operate) ?? new Map<string, string>();
  agentAccounts.set(venue.operate, opened);
  const known = opened.get(accountId);
  if (known !== undefined) return known;
  // A venue with a ledger may have recorded the consent before.
  const submitted = { account, ledgerKey: randomBytes(16).toString('hex'), replacesConsentId: '' };
  await venue.operate({ type: 'SubmitPartyConsent', ...submitted }, 'PartyConsentChanged').catch(() => undefined);
  const present = { account, consent: 'present', consentId: `consent-${account}`, reason: '' } as const;
  await venue.operate({ type: 'RecordPartyConsent', ...present }, 'PartyConsentChanged').catch(() => undefined);
  const event = await venue.operate({ type: 'OpenAgentAccount', account, label: 'agent', digestSeed: 7 }, 'AgentAccountOpened');
  const agentAccountId = renderAccountId(event.agentAccount);
  opened.set(accountId, agentAccountId);
  return agentAccountId;
}

/** An owner has a maximum number of open deployments. */
async function stopDeployments(venue: Venue, by: Bot): Promise<void> {
  const { body } = await venue.call('listAgentDeployments', { bot: await venue.signIn(by), params: of(by) });
  const open = (body.deployments as { state: string; deploymentId: string; stateVersion: number }[]).filter(
    ({ state }) => state === 'pending' || state === 'running',
  );
  if (open.length < MAX_OPEN) return;
  for (const { deploymentId, stateVersion: expectedStateVersion } of open) {
    const deployment = Number(deploymentId) as AgentDeploymentOrdinal;
    const change = { type: 'ChangeAgentDeployment', deployment, state: 'stopped', reason: '', expectedStateVersion } as const;
    await venue.operate(change, 'AgentDeploymentChanged');
  }
}

/** The same of drafts; those of open deployments stay. */
async function removeDrafts(venue: Venue, by: Bot): Promise<void> {
  const { body } = await venue.call('listAgentDrafts', { bot: await venue.signIn(by), params: of(by) });
  if (body.drafts.length < MAX_KEPT_DRAFTS) return;
  for (const { draftId } of body.drafts) {
    const draft = Number(draftId) as AgentDraftOrdinal;
    await venue.operate({ type: 'RemoveAgentDraft', account: by.account, draft }, 'AgentDraftRemoved').catch(() => undefined);
  }
}

function of({ accountId }: Bot): { readonly accountId: string } {
  return { accountId };
}
