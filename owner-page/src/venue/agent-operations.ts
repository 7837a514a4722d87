/** The operations of an owner's drafts and deployments, and the catalogue of strategies. */
import type {
  ActionPage,
  Deployment,
  DeploymentPage,
  Draft,
  ListedDraft,
  Market,
  ScriptInput,
  Strategy,
} from './agent-resources.ts';
import type { SentRequest, VenueClient } from './client.ts';

export interface DeploymentTerms {
  readonly agentAccountId: string;
  readonly draftId: string;
  readonly marketId: string;
  readonly timeframe: string;
  readonly historyBars: number;
  readonly orderSizeAtoms: string;
  readonly inputs: readonly ScriptInput[];
}

export interface ScriptText {
  readonly name: string;
  readonly text: string;
}

export class AgentOperations {
  readonly #client: VenueClient;
  readonly #account: string;

  constructor(client: VenueClient, accountId: string) {
    this.#client = client;
    this.#account = `/v1/accounts/${accountId}`;
  }

  async strategies(): Promise<readonly Strategy[]> {
    const path = '/v1/agents/strategies';
    return (await this.#client.send<{ strategies: readonly Strategy[] }>({ method: 'GET', path })).strategies;
  }

  async markets(): Promise<readonly Market[]> {
    return (await this.#client.send<{ markets: readonly Market[] }>({ method: 'GET', path: '/v1/markets' })).markets;
  }

  async drafts(): Promise<readonly ListedDraft[]> {
    return (await this.#send<{ drafts: readonly ListedDraft[] }>('GET', '/agent-drafts')).drafts;
  }

  draft(draftId: string): Promise<Draft> {
    return this.#send('GET', draftPath(draftId));
  }

  createDraft(script: ScriptText, idempotencyKey: string): Promise<Draft> {
    return this.#send('POST', '/agent-drafts', script, idempotencyKey);
  }

  confirmReview(draftId: string, reviewDigest: string): Promise<Draft> {
    return this.#send('POST', `${draftPath(draftId)}/review`, { reviewDigest });
  }

  removeDraft(draftId: string): Promise<void> {
    return this.#send('DELETE', draftPath(draftId));
  }

  /** Newest first, those before `after`. */
  deployments(after: string | null): Promise<DeploymentPage> {
    return this.#send('GET', `/agents?limit=50${after === null ? '' : `&afterDeploymentId=${after}`}`);
  }

  async deploy(terms: DeploymentTerms, idempotencyKey: string): Promise<Deployment> {
    return (await this.#send<{ deployment: Deployment }>('POST', '/agents', terms, idempotencyKey)).deployment;
  }

  async stop(deploymentId: string): Promise<Deployment> {
    return (await this.#send<{ deployment: Deployment }>('POST', `${deploymentPath(deploymentId)}/stop`)).deployment;
  }

  /** A page of the log, which continues after an action in its order. */
  actions(deploymentId: string, order: 'newest_first' | 'oldest_first', after: string | null): Promise<ActionPage> {
    const from = after === null ? '' : `&afterActionId=${after}`;
    return this.#send('GET', `${deploymentPath(deploymentId)}/actions?limit=100&order=${order}${from}`);
  }

  #send<Result>(method: SentRequest['method'], path: string, body?: unknown, idempotencyKey?: string): Promise<Result> {
    return this.#client.send({
      method,
      path: `${this.#account}${path}`,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  }
}

function draftPath(draftId: string): string {
  return `/agent-drafts/${encodeURIComponent(draftId)}`;
}

function deploymentPath(deploymentId: string): string {
  return `/agents/${encodeURIComponent(deploymentId)}`;
}
