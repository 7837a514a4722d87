/** The operations of agent accounts, and of the money that an owner moves to them and back. */
import type { AgentAccount, AgentFunding, AgentFundingPage, AgentFundingSigning, FundingDirection } from './agent-resources.ts';
import type { VenueClient } from './client.ts';
import type { Approval } from './resources.ts';

export interface FundingRequest {
  readonly direction: FundingDirection;
  /** A decimal string. */
  readonly amount: string;
}

export class AgentMoneyOperations {
  readonly #client: VenueClient;
  readonly #path: string;

  constructor(client: VenueClient, accountId: string) {
    this.#client = client;
    this.#path = `/v1/accounts/${accountId}/agent-accounts`;
  }

  /** Oldest first. */
  async accounts(): Promise<readonly AgentAccount[]> {
    const listed = await this.#client.send<{ agentAccounts: readonly AgentAccount[] }>({ method: 'GET', path: this.#path });
    return listed.agentAccounts;
  }

  openAccount(label: string, idempotencyKey: string): Promise<{ readonly agentAccountId: string }> {
    return this.#client.send({ method: 'POST', path: this.#path, body: { label }, idempotencyKey });
  }

  /** Newest first. */
  fundings(agentAccountId: string, cursor: string | null): Promise<AgentFundingPage> {
    const page = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.#client.send({ method: 'GET', path: `${this.#fundings(agentAccountId)}?limit=20${page}` });
  }

  createFunding(agentAccountId: string, funding: FundingRequest, idempotencyKey: string): Promise<AgentFunding> {
    return this.#client.send({ method: 'POST', path: this.#fundings(agentAccountId), body: funding, idempotencyKey });
  }

  /** What is due, and moves what is approved; with an approval, approves it first. */
  confirmFunding(agentAccountId: string, transferId: string, approval?: Approval): Promise<AgentFundingSigning> {
    const body = approval === undefined ? { action: 'initiate' } : { action: 'complete', ...approval };
    const path = `${this.#fundings(agentAccountId)}/${encodeURIComponent(transferId)}/confirm`;
    return this.#client.send({ method: 'POST', path, body });
  }

  #fundings(agentAccountId: string): string {
    return `${this.#path}/${encodeURIComponent(agentAccountId)}/fundings`;
  }
}
