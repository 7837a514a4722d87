/** What the senders of a test world know of agents and the fundings of their accounts, derived from events. */
import type { VenueEvent } from '#venue/event.ts';

export interface SeenDraft {
  readonly draft: number;
  readonly account: number;
  isReviewed: boolean;
}

/** An open deployment. */
export interface SeenDeployment {
  readonly deployment: number;
  readonly account: number;
  readonly agentAccount: number;
  readonly market: number;
  state: string;
  stateVersion: number;
  lastBarEpochMs: number;
  lastIndex: number;
  position: number;
}

export interface SeenFunding {
  readonly transferId: string;
  readonly account: number;
  readonly agentAccount: number;
  readonly expiresAtEpochMs: number;
  isApproved: boolean;
}

export class AgentView {
  /** The owners of agent accounts. */
  readonly agentAccounts = new Map<number, number>();
  readonly drafts = new Map<number, SeenDraft>();
  readonly deployments = new Map<number, SeenDeployment>();
  /** Those that have not moved, by transfer id. */
  readonly fundings = new Map<string, SeenFunding>();

  /** Applies an event. Ignores other events. */
  take(event: VenueEvent): void {
    switch (event.type) {
      case 'AgentAccountOpened':
        this.agentAccounts.set(event.agentAccount, event.account);
        break;
      case 'AgentScriptDrafted':
        this.drafts.set(event.draft, { draft: event.draft, account: event.account, isReviewed: false });
        break;
      case 'AgentScriptReviewed':
        this.drafts.get(event.draft)!.isReviewed = true;
        break;
      case 'AgentDraftRemoved':
        this.drafts.delete(event.draft);
        break;
      case 'AgentDeploymentCreated': {
        const { deployment, account, agentAccount, market } = event;
        const before = { state: 'pending', stateVersion: 1, lastBarEpochMs: 0, lastIndex: -1, position: 0 };
        this.deployments.set(deployment, { deployment, account, agentAccount, market, ...before });
        break;
      }
      case 'AgentDeploymentChanged': {
        const { deployment, state, stateVersion } = event;
        if (state === 'running') Object.assign(this.deployments.get(deployment)!, { state, stateVersion });
        else this.deployments.delete(deployment);
        break;
      }
      case 'PaperOrderPlaced': {
        const { deployment, barEpochMs: lastBarEpochMs, index: lastIndex, ledger } = event;
        Object.assign(this.deployments.get(deployment)!, { lastBarEpochMs, lastIndex, position: ledger.positionBaseAtoms });
        break;
      }
      case 'AgentFundingCreated':
        this.fundings.set(event.transferId, {
          transferId: event.transferId,
          account: event.account,
          agentAccount: event.agentAccount,
          expiresAtEpochMs: event.expiresAtEpochMs,
          isApproved: false,
        });
        break;
      case 'AgentFundingApproved':
        this.fundings.get(event.transferId)!.isApproved = true;
        break;
      case 'AgentFundingMoved':
      case 'AgentFundingRefused':
        this.fundings.delete(event.transferId);
        break;
    }
  }
}
