/** Whether the refusal of a command of drafts and deployments is possible, as far as the events show. */
import type { Command } from '#venue/command.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { AuditedAgents } from './agents.ts';

type AgentRefusal = Extract<
  RefusalCode,
  | 'too_many_agent_drafts'
  | 'agent_draft_not_found'
  | 'agent_draft_not_reviewed'
  | 'agent_draft_in_use'
  | 'too_many_agent_deployments'
  | 'agent_deployment_not_found'
  | 'agent_deployment_ended'
  | 'agent_order_repeated'
>;

export function agentRefusalIsPossible(agents: AuditedAgents, code: AgentRefusal, command: Command): boolean {
  switch (code) {
    case 'too_many_agent_drafts':
      return command.type === 'DraftAgentScript' && !agents.mayDraft(command.account, command.text);
    case 'agent_draft_not_found':
      return 'draft' in command && !agents.hasDraft(command.draft, command.account);
    case 'agent_draft_not_reviewed':
      return command.type === 'CreateAgentDeployment' && !agents.isReviewed(command.draft);
    case 'agent_draft_in_use':
      return command.type === 'RemoveAgentDraft' && agents.isDeployed(command.draft);
    case 'too_many_agent_deployments':
      return command.type === 'CreateAgentDeployment' && agents.openCountOf(command.account) === 20;
    case 'agent_deployment_not_found':
      return 'deployment' in command && !agents.wasCreated(command.deployment);
    case 'agent_deployment_ended':
      return 'deployment' in command && agents.wasCreated(command.deployment) && !agents.isOpen(command.deployment);
    case 'agent_order_repeated':
      return command.type === 'PlacePaperOrder' && agents.isRepeated(command.deployment, command.barEpochMs, command.index);
    default:
      return code satisfies never;
  }
}
