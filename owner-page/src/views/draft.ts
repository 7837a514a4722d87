/** The view of a draft: its review, its script, and its deployment. */
import { html, nothing } from 'lit-html';
import type { AgentsOfOwner } from '../app/agents-of-owner.ts';
import { boundsOf } from '../panels/deploy-form.ts';
import type { DraftPanel } from '../panels/draft.ts';
import type { Draft, ScriptParameter, ScriptReview } from '../venue/agent-resources.ts';
import { deploySection } from './deploy.ts';
import { button, type Content, condition, viewTitle } from './parts.ts';
import { refusalList, scriptText } from './script.ts';

export function draftView(agents: AgentsOfOwner): Content {
  const { draft: panel } = agents;
  const draft = panel?.draft;
  return html`
    ${viewTitle(draft?.name ?? 'Draft')}
    <p><a class="back" href="#strategies">All strategies and drafts</a></p>
    ${panel === undefined || draft === undefined ? html`<section class="card" tabindex="-1" aria-labelledby="view-title">${panel === undefined ? nothing : condition(panel)}</section>` : shown(agents, panel, draft)}
  `;
}

function shown(agents: AgentsOfOwner, panel: DraftPanel, draft: Draft): Content {
  return html`
    <section class="card" tabindex="-1" aria-labelledby="review-title">
      <h2 id="review-title">Review</h2>
      ${draft.review === null ? unreviewed(draft) : reviewed(panel, draft.review)}
      ${condition(panel)}
      ${scriptText(draft.text, 'Script')}
      <p><a href="#strategies" @click=${() => agents.drafts.startFrom({ name: draft.name, script: draft.text })}>Change a copy</a></p>
    </section>
    ${panel.isConfirmed && draft.review !== null ? deploySection(agents, draft, draft.review) : nothing}
  `;
}

function unreviewed({ text, scriptRefusals }: Draft): Content {
  return html`<div class="failure">
    <p>This release of the venue refuses the script, so it cannot be deployed. Change a copy of it.</p>
    ${refusalList(text, scriptRefusals)}
  </div>`;
}

function reviewed(panel: DraftPanel, review: ScriptReview): Content {
  const { title, languageVersion, sentences, parameters, ignored, warnings, warmUpBars } = review;
  return html`
    <p>“${title}”, Pine Script ${languageVersion}. What it will do:</p>
    <ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
    ${warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
    ${parameters.length === 0 ? html`<p>It has no inputs.</p>` : parameterTable(parameters)}
    ${ignored.length === 0 ? nothing : html`<h3>Without effect</h3><ul>${ignored.map(({ name, reason }) => html`<li><span class="code">${name}</span>: ${reason}</li>`)}</ul>`}
    <p class="hint">With these defaults its indicators need ${warmUpBars} candles first.</p>
    ${
      panel.isConfirmed
        ? html`<p><span class="tag good">Confirmed</span> You have confirmed this review.</p>`
        : html`<div class="due owner">
            <h3>Have you read the review?</h3>
            <p>Only a script whose review you confirm can be deployed.</p>
            ${button('Confirm the review', () => panel.confirm(), { isBusy: panel.isBusy })}
          </div>`
    }
  `;
}

function parameterTable(parameters: readonly ScriptParameter[]): Content {
  return html`<table>
    <caption>Inputs</caption>
    <thead><tr><th scope="col">Input</th><th scope="col">Default</th><th scope="col">Values</th></tr></thead>
    <tbody>
      ${parameters.map(
        (parameter) => html`<tr>
          <th scope="row">${parameter.title === '' ? parameter.name : parameter.title}</th>
          <td>${String(parameter.default)}</td>
          <td>${boundsOf(parameter)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
