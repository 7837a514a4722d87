/** Handlers for deployments of agents, their action log, and the positions of their agent accounts. */
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import type { agentActionOperations } from '#contract/agent-actions.ts';
import type { AgentDeploymentResource, agentDeploymentOperations } from '#contract/agent-deployments.ts';
import { type Environment, existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import { TIMEFRAME_MS } from '#contract/markets.ts';
import type { Part } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import { parseAccountId, parseAgentDeploymentId, renderAccountId, renderOrdinal } from '#units/ids.ts';
import { baseAtoms } from '#units/money.ts';
import type { CreateAgentDeployment } from '#venue/command.ts';
import type { CommitResponse } from '#writer/port/submit.ts';
import { readAccepted } from './accepted-command.ts';
import { draftNamed, readDraft } from './agent-drafts.ts';
import { idempotencyOf } from './idempotency.ts';
import { marketOfBody } from './placement.ts';
import { chosenInputs, judgeScript } from './script-review.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

type Operations = typeof agentDeploymentOperations & typeof agentActionOperations;
type DeploymentRequest = Part<(typeof agentDeploymentOperations)['createAgentDeployment'], 'body'>;

/** Owners draft, review and deploy their scripts here. */
const STRATEGY_SOURCE = 'strategy_lab';
const STOPPED_BY_OWNER = 'stopped by its owner';

export function agentDeploymentHandlers(ports: HttpPorts): Pick<Handlers, keyof Operations> {
  const { submit, findOutcome, environment } = ports;
  return {
    createAgentDeployment: async (call) => {
      const account = ownAccount(call.principal, call.params.accountId);
      const idempotency = idempotencyOf(account, 'createAgentDeployment', call);
      const create = async () => submit({ command: await creation(ports, call.reads, account, call.body), idempotency });
      // A repeated request has its response, also if the draft was removed or the review has changed since.
      const record = (await findOutcome(idempotency)) ?? (await create());
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      const deployment = createdResource(record as CommitResponse, call.body);
      return { body: { version: 'external-agent-deployment/v1', deployment }, headers: record.replayed ? REPLAYED : {} };
    },

    listAgentDeployments: async ({ params, query: { limit, afterDeploymentId }, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const after = afterDeploymentId === undefined ? {} : { after: Number(afterDeploymentId) as AgentDeploymentOrdinal };
      return { body: await reads.agentDeploymentList({ account, limit, ...after }) };
    },

    getAgentDeployment: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      return { body: found(await reads.agentDeployment(account, deploymentNamed(params.deploymentId))) };
    },

    stopAgentDeployment: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const deployment = deploymentNamed(params.deploymentId);
      let isSubmitted = false;
      // Another change may come first. It ends, because the state of a deployment changes twice at most.
      for (;;) {
        const reading = reads.agentDeployment(account, deployment);
        const body = found(await (isSubmitted ? readAccepted(reading) : reading));
        const { state, stateVersion } = parseRendered(body).deployment;
        if (state === 'stopped' || state === 'failed') return { body };
        const change = { type: 'ChangeAgentDeployment', deployment, state: 'stopped', reason: STOPPED_BY_OWNER } as const;
        const refusal = venueRefusal(await submit({ command: { ...change, expectedStateVersion: stateVersion } }));
        isSubmitted = refusal === undefined;
        const hasChanged = refusal?.code === 'agent_state_conflict' || refusal?.code === 'agent_deployment_ended';
        if (refusal !== undefined && !hasChanged) throw refusal;
      }
    },

    listAgentActions: async ({ params, query: { limit, order, afterActionId }, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const deployment = deploymentNamed(params.deploymentId);
      const after = afterActionId === undefined ? {} : { after: Number(afterActionId) as AgentActionOrdinal };
      return { body: found(await reads.agentActionLog(account, { deployment, direction: order, limit, ...after })) };
    },

    listAgentPositions: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      demandAdmitted(environment);
      return { body: found(await reads.agentPositions(account, deploymentNamed(params.deploymentId))) };
    },
  };
}

/** Throws {@link Refused} where the environment admits no agents. */
function demandAdmitted(environment: Environment): void {
  if (existsIn(environment, PARTIAL_FEATURES.agents)) return;
  throw new Refused('agents_not_admitted', undefined, { agentRefusal: 'agents_not_admitted_in_environment' });
}

/** Throws {@link Refused} `agent_deployment_not_found` if the id is malformed. */
export function deploymentNamed(deploymentId: string): AgentDeploymentOrdinal {
  return found(parseAgentDeploymentId(deploymentId));
}

/** Throws {@link Refused} for `undefined`, which the deployment of another account is read as. */
function found<Found>(value: Found | undefined): Found {
  if (value === undefined) throw new Refused('agent_deployment_not_found');
  return value;
}

/** The command of a request whose draft, review, inputs and market were checked. */
async function creation(
  { directory }: HttpPorts,
  reads: RenderedReads,
  account: AccountOrdinal,
  body: DeploymentRequest,
): Promise<CreateAgentDeployment> {
  const draft = draftNamed(body.draftId);
  const { text, textDigest, confirmedReviewDigest } = await readDraft(reads, account, draft);
  const agentAccount = parseAccountId(body.agentAccountId);
  if (agentAccount === undefined) throw new Refused('agent_account_not_found');
  const { market, specification } = marketOfBody(directory, body.marketId);
  const { shown, program } = judgeScript(text);
  if (program === undefined || shown.reviewDigest !== confirmedReviewDigest) throw new Refused('agent_draft_not_reviewed');
  return {
    type: 'CreateAgentDeployment',
    account,
    agentAccount,
    draft,
    market,
    timeframeMs: TIMEFRAME_MS[body.timeframe],
    historyBars: body.historyBars,
    orderSizeAtoms: baseAtoms(Number(body.orderSizeAtoms)),
    parameters: chosenInputs(program, body.inputs, specification),
    strategySource: STRATEGY_SOURCE,
    strategyVersion: textDigest,
    modelId: INTERPRETER_VERSION,
  };
}

/** Depends on the record and the request alone, so that a repeated request gets the same response. */
function createdResource({ events, epochMs, sequence }: CommitResponse, body: DeploymentRequest): AgentDeploymentResource {
  const created = events.find((event) => event.type === 'AgentDeploymentCreated');
  if (created === undefined) throw new Error(`record ${sequence} neither created nor refused its deployment`);
  const inputs = Object.entries(JSON.parse(created.parameters) as Record<string, number | boolean | string>);
  return {
    deploymentId: renderOrdinal(created.deployment),
    ownerAccountId: renderAccountId(created.account),
    agentAccountId: renderAccountId(created.agentAccount),
    draftId: renderOrdinal(created.draft),
    strategySource: created.strategySource,
    strategyVersion: created.strategyVersion,
    reviewDigest: created.reviewDigest,
    marketId: body.marketId,
    mode: 'paper',
    state: 'pending',
    stateVersion: 1,
    stateReason: '',
    parameters: {
      orderSizeAtoms: String(created.orderSizeAtoms),
      timeframe: body.timeframe,
      historyBars: created.historyBars,
      inputs: inputs.map(([name, value]) => ({ name, value })),
    },
    createdAtEpochMs: epochMs,
    updatedAtEpochMs: epochMs,
    modelId: created.modelId,
    fallbackModelId: null,
  };
}
