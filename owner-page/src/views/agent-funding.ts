/** Money of an agent account: the form, what is due of a funding, and the list of them. */
import { html, nothing } from 'lit-html';
import { FUNDING_STEPS } from '../flows/agent-funding.ts';
import { shownAmount, shownDecimal } from '../money.ts';
import type { AgentFundingsPanel } from '../panels/agent-fundings.ts';
import type { AgentAccount, AgentFunding, FundingDirection } from '../venue/agent-resources.ts';
import { choice, field } from './fields.ts';
import { dueNow, stepList } from './flow.ts';
import { button, type Content, condition, onSubmit, shownTime, submit } from './parts.ts';

const SIGNS = { approval: 'You approve that exactly this amount moves, once.' } as const;

const DIRECTIONS: Readonly<Record<FundingDirection, string>> = {
  owner_to_agent: 'To the agent account',
  agent_to_owner: 'Back to your account',
};

const KINDS: Readonly<Record<AgentFunding['status'], string>> = { prepared: '', submitted: '', credited: 'good', refused: 'bad' };

/** `availableAtoms`: of the owner; `undefined` before it was read. */
export function agentFundingSection(fundings: AgentFundingsPanel, availableAtoms: string | undefined): Content {
  const { account, funding, review, due } = fundings;
  if (account === undefined) return nothing;
  const isOpen = funding !== undefined && due?.by !== 'none';
  return html`<section class="card" tabindex="-1" aria-labelledby="agent-funding-title">
    <h2 id="agent-funding-title" tabindex="-1">Money of “${account.label}”</h2>
    ${funding === undefined ? condition(fundings) : current(fundings, funding)}
    ${review === undefined ? nothing : reviewed(fundings, account)}
    ${isOpen || review !== undefined || availableAtoms === undefined ? nothing : form(fundings, account, availableAtoms)}
    ${list(fundings)}
    <p>${button('Close', () => fundings.close(), { kind: 'quiet', name: `Close the money of ${account.label}` })}</p>
  </section>`;
}

function form(fundings: AgentFundingsPanel, account: AgentAccount, ownersAtoms: string): Content {
  const { direction } = fundings;
  const availableAtoms = direction === 'owner_to_agent' ? ownersAtoms : account.cashBalanceAtoms;
  const directions =
    account.status === 'identity_ready' ? (['owner_to_agent', 'agent_to_owner'] as const) : (['agent_to_owner'] as const);
  return html`<form novalidate @submit=${onSubmit((fields) => fundings.prepare(fields('amount'), availableAtoms))}>
    ${choice({
      label: 'Direction',
      name: 'direction',
      id: 'agent-direction',
      chosen: direction,
      options: directions.map((value) => ({ value, text: DIRECTIONS[value] })),
      onChange: (value) => fundings.choose(value as FundingDirection),
    })}
    ${field({
      label: 'Amount to move in USD.E',
      name: 'amount',
      id: 'agent-amount',
      inputmode: 'decimal',
      maxLength: 22,
      hint: `Available: ${shownAmount(availableAtoms)}.`,
      failure: fundings.inputFailure,
    })}
    ${submit('Check the movement', fundings.isBusy)}
  </form>`;
}

function reviewed(fundings: AgentFundingsPanel, { label, agentAccountId }: AgentAccount): Content {
  const { review, isBusy } = fundings;
  if (review === undefined) return nothing;
  return html`<div class="due owner" id="agent-funding-review" tabindex="-1">
    <h3>Check the movement</h3>
    <dl class="facts">
      <dt>Amount</dt><dd>${shownDecimal(review.amount)}</dd>
      <dt>${DIRECTIONS[review.direction]}</dt><dd>${label} <span class="code">${agentAccountId}</span></dd>
    </dl>
    <p>You approve it with your passkey next, within an hour.</p>
    <p class="row">
      ${button('Continue to the approval', () => fundings.create(), { isBusy })}
      ${button('Change', () => fundings.cancelReview(), { isBusy, kind: 'quiet' })}
    </p>
  </div>`;
}

function current(fundings: AgentFundingsPanel, { amountAtoms, direction, expiresAtEpochMs }: AgentFunding): Content {
  const { due, step, failure } = fundings;
  const isCredited = due?.by === 'none' && due.result === 'done';
  return html`
    <p><strong>${shownAmount(amountAtoms)}</strong> ${lowerCase(DIRECTIONS[direction])}</p>
    ${stepList(FUNDING_STEPS, step, isCredited)}
    ${due?.by === 'owner' ? html`<p class="hint">Approve it until ${shownTime(expiresAtEpochMs)}.</p>` : nothing}
    ${dueNow(fundings, SIGNS)}
    ${failure === undefined || due?.by === 'owner' ? nothing : retry(fundings)}
  `;
}

function retry(fundings: AgentFundingsPanel): Content {
  return button('Try again', () => fundings.resume(fundings.funding!), { isBusy: fundings.isBusy, kind: 'quiet' });
}

function list(fundings: AgentFundingsPanel): Content {
  const { fundings: listed, isBusy } = fundings;
  return html`<h3>Fundings</h3>
    ${listed.length === 0 ? (isBusy ? nothing : html`<p class="hint">None yet.</p>`) : html`<ul class="list">${listed.map((funding) => item(fundings, funding))}</ul>`}
    ${fundings.hasMore ? button('Show older fundings', () => fundings.showMore(), { isBusy, kind: 'quiet' }) : nothing}`;
}

function item(fundings: AgentFundingsPanel, funding: AgentFunding): Content {
  const { transferId, direction, amountAtoms, status, createdAtEpochMs, expiresAtEpochMs } = funding;
  const amount = shownAmount(amountAtoms);
  const isOpen = fundings.isOpen(funding);
  const isShown = fundings.funding?.transferId === transferId && fundings.due?.by !== 'none';
  const shownStatus = status === 'prepared' && !isOpen ? 'expired' : status;
  return html`<li class="entry">
    <div>
      <strong>${amount}</strong> ${lowerCase(DIRECTIONS[direction])}
      <p class="hint">
        <span class="tag ${KINDS[status]}">${shownStatus}</span> ${shownTime(createdAtEpochMs)}
        ${status === 'prepared' ? `, ${isOpen ? 'expires' : 'expired'} ${shownTime(expiresAtEpochMs)}` : nothing}
        <span class="code">${transferId}</span>
      </p>
    </div>
    ${isOpen && !isShown ? button('Continue', () => fundings.resume(funding), { isBusy: fundings.isBusy, kind: 'quiet', name: `Continue the funding of ${amount}, ${transferId}` }) : nothing}
  </li>`;
}

function lowerCase(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
