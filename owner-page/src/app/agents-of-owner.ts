/** The panels of an owner's agents, on a venue that admits them. */
import type { Signer } from '../ceremonies/signer.ts';
import { AgentAccountsPanel } from '../panels/agent-accounts.ts';
import { AgentFundingsPanel } from '../panels/agent-fundings.ts';
import { DeployPanel } from '../panels/deploy.ts';
import { DeploymentPanel, type DeploymentParts } from '../panels/deployment.ts';
import { DeploymentsPanel } from '../panels/deployments.ts';
import { DraftPanel } from '../panels/draft.ts';
import { DraftsPanel } from '../panels/drafts.ts';
import type { PageServices } from '../panels/panel.ts';
import { StrategiesPanel } from '../panels/strategies.ts';
import { AgentMoneyOperations } from '../venue/agent-money-operations.ts';
import { AgentOperations } from '../venue/agent-operations.ts';
import type { VenueClient } from '../venue/client.ts';
import type { OpenSocket } from '../venue/realtime-feed.ts';
import { RealtimeOperations } from '../venue/realtime-operations.ts';

export interface AgentParts {
  readonly client: VenueClient;
  readonly accountId: string;
  readonly signer: Signer;
  readonly openSocket: OpenSocket;
}

export class AgentsOfOwner {
  readonly strategies: StrategiesPanel;
  readonly drafts: DraftsPanel;
  /** The one that is shown, or was shown last. */
  draft: DraftPanel | undefined;
  readonly deploy: DeployPanel;
  readonly deployments: DeploymentsPanel;
  /** The one that is shown. */
  deployment: DeploymentPanel | undefined;
  readonly accounts: AgentAccountsPanel;
  readonly fundings: AgentFundingsPanel;
  readonly #page: PageServices;
  readonly #parts: DeploymentParts;

  constructor(page: PageServices, { client, accountId, signer, openSocket }: AgentParts) {
    const operations = new AgentOperations(client, accountId);
    this.#page = page;
    this.#parts = { operations, realtime: new RealtimeOperations(client), openSocket };
    const money = new AgentMoneyOperations(client, accountId);
    this.strategies = new StrategiesPanel(page, operations);
    this.drafts = new DraftsPanel(page, operations);
    this.deploy = new DeployPanel(page, operations, money);
    this.deployments = new DeploymentsPanel(page, operations);
    this.accounts = new AgentAccountsPanel(page, money);
    this.fundings = new AgentFundingsPanel(page, signer, money);
  }

  openDraft(draftId: string): void {
    const draft = new DraftPanel(this.#page, this.#parts.operations, draftId);
    draft.onReady = () => void this.deploy.load();
    this.draft = draft;
    void draft.load();
  }

  openDeployment(deploymentId: string): void {
    this.closeDeployment();
    this.deployment = new DeploymentPanel(this.#page, this.#parts, deploymentId);
    void this.deployment.load();
  }

  /** Ends the following of its log. */
  closeDeployment(): void {
    this.deployment?.close();
    this.deployment = undefined;
  }
}
