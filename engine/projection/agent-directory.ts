/**
 * Drafts and open deployments in the writer's own thread. Starts from the core's state after recovery, which is durable then, and applies
 * the few records of each group that change it.
 */
import type { AgentDeployment, AgentDirectory, AgentDraft } from '#reads/agent-directory.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, Sequence } from '#units/ids.ts';
import type { Agents } from '#venue/agent/agents.ts';
import type { VenueState } from '#venue/state.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { isOfAgents } from './agent-fold.ts';

export class VenueAgentDirectory implements AgentDirectory {
  readonly #agents: Agents;
  #sequence: Sequence;

  /** `state` is that after the record `sequence`, which is durable. */
  constructor(state: VenueState, sequence: Sequence) {
    this.#agents = state.agents.copy();
    this.#sequence = sequence;
  }

  /** Takes the records up to `last` whose commands are among `AGENT_COMMANDS`. */
  follow(last: Sequence, records: readonly CommittedRecord[]): void {
    if (last <= this.#sequence) return;
    for (const { sequence, epochMs, events } of records) {
      if (sequence > this.#sequence) for (const event of events) if (isOfAgents(event)) this.#agents.take(event, epochMs);
    }
    this.#sequence = last;
  }

  sequence(): Sequence {
    return this.#sequence;
  }

  draft(draft: AgentDraftOrdinal): AgentDraft | undefined {
    return this.#agents.drafts.get(draft);
  }

  openDeployment(deployment: AgentDeploymentOrdinal): AgentDeployment | undefined {
    return this.#agents.deployments.get(deployment);
  }

  openDeploymentsOf(account: AccountOrdinal): readonly AgentDeployment[] {
    return this.#agents.deploymentsOf(account);
  }

  openDeployments(): readonly AgentDeployment[] {
    return [...this.#agents.deployments.values()];
  }
}
