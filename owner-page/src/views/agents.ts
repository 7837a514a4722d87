/** The view of agents: deployments, agent accounts, and the money of one of them. */
import { html, nothing } from 'lit-html';
import type { AgentsOfOwner } from '../app/agents-of-owner.ts';
import type { Owner } from '../app/owner.ts';
import { shownAmount } from '../money.ts';
import type { AgentAccountsPanel } from '../panels/agent-accounts.ts';
import type { AgentFundingsPanel } from '../panels/agent-fundings.ts';
import type { DeploymentsPanel } from '../panels/deployments.ts';
import type { AgentAccount, Deployment } from '../venue/agent-resources.ts';
import { agentFundingSection } from './agent-funding.ts';
import { stateTag } from './deployment-state.ts';
import { field } from './fields.ts';
import { button, type Content, condition, onSubmit, shownTime, submit, viewTitle } from './parts.ts';

export function agentsView({ setup, account }: Owner, { deployments, accounts, fundings }: AgentsOfOwner): Content {
  const canOpen = setup.binding === undefined || setup.binding.status === 'active';
  return html`
    ${viewTitle('Agents')}
    ${canOpen ? nothing : html`<p class="notice">Before you can open an agent account, <a href="#setup">set up your account</a>.</p>`}
    <section class="card" tabindex="-1" aria-labelledby="deployments-title">
      <h2 id="deployments-title">Deployments</h2>
      ${deploymentList(deployments)}
      ${condition(deployments)}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="agent-accounts-title">
      <h2 id="agent-accounts-title">Agent accounts</h2>
      <p class="hint">Accounts of their own for automation. Only you move money to them and back.</p>
      ${accountList(accounts, fundings)}
      ${condition(accounts)}
      ${canOpen && accounts.accounts !== undefined ? openForm(accounts) : nothing}
    </section>
    ${agentFundingSection(fundings, account.snapshot?.availableForOrdersAtoms)}
  `;
}

function deploymentList(panel: DeploymentsPanel): Content {
  const { deployments } = panel;
  if (deployments === undefined) return nothing;
  if (deployments.length === 0)
    return html`<p class="hint">Nothing is deployed. <a href="#strategies">Draft a strategy</a>, read its review, and deploy it on paper.</p>`;
  return html`
    <ul class="list">${deployments.map((deployment) => deploymentItem(deployment, panel.nameOf(deployment)))}</ul>
    ${panel.hasMore ? button('Show older deployments', () => panel.showMore(), { isBusy: panel.isBusy, kind: 'quiet' }) : nothing}
  `;
}

function deploymentItem({ deploymentId, marketId, state, parameters, createdAtEpochMs }: Deployment, name: string): Content {
  return html`<li class="entry">
    <div>
      <strong><a href="#deployment=${deploymentId}" aria-label="${name} on ${marketId}, deployment ${deploymentId}">${name} on ${marketId}</a></strong>
      <p class="hint">${stateTag(state)} ${parameters.timeframe}, deployment ${deploymentId}, ${shownTime(createdAtEpochMs)}</p>
    </div>
  </li>`;
}

function accountList({ accounts }: AgentAccountsPanel, fundings: AgentFundingsPanel): Content {
  if (accounts === undefined) return nothing;
  if (accounts.length === 0) return html`<p class="hint" id="agent-accounts" tabindex="-1">You have no agent account.</p>`;
  return html`<ul class="list" id="agent-accounts" tabindex="-1">${accounts.map((account) => accountItem(account, fundings))}</ul>`;
}

const STATUSES: Readonly<Record<AgentAccount['status'], string>> = {
  identity_ready: 'ready',
  consent_missing: 'your consent is missing: money only returns',
  retired: 'retired: money only returns',
};

function accountItem(account: AgentAccount, fundings: AgentFundingsPanel): Content {
  const { agentAccountId, label, status, cashBalanceAtoms } = account;
  return html`<li class="entry">
    <div>
      <strong>${label}</strong>
      <p class="hint">
        <span class="tag ${status === 'identity_ready' ? 'good' : ''}">${STATUSES[status]}</span>
        <span class="code unbroken">${agentAccountId}</span>, cash ${shownAmount(cashBalanceAtoms)}
      </p>
    </div>
    ${button('Move money', () => fundings.open(account), { isBusy: fundings.isBusy, kind: 'quiet', name: `Move money of ${label}, ${agentAccountId}` })}
  </li>`;
}

function openForm(accounts: AgentAccountsPanel): Content {
  return html`<form class="apart" @submit=${onSubmit(async (fields, form) => {
    if (await accounts.open(fields('label'))) form.reset();
  })}>
    ${field({ label: 'Label of a new agent account', name: 'label', id: 'agent-label', maxLength: 64, hint: 'Such as the strategy that it is for. Accounts stay: only the operator can retire one.' })}
    ${submit('Open an agent account', accounts.isBusy)}
  </form>`;
}
