/** The view of strategies: the drafts of the owner, the form of a new one, and the catalogue. */
import { html, nothing } from 'lit-html';
import type { AgentsOfOwner } from '../app/agents-of-owner.ts';
import type { DraftsPanel } from '../panels/drafts.ts';
import type { StrategiesPanel } from '../panels/strategies.ts';
import type { ListedDraft, Strategy } from '../venue/agent-resources.ts';
import { draftForm } from './draft-form.ts';
import { button, type Content, condition, elsewhere, shownDate, shownTime, viewTitle } from './parts.ts';
import { removal } from './removal.ts';
import { scriptText } from './script.ts';

export function strategiesView({ drafts, strategies }: AgentsOfOwner): Content {
  return html`
    ${viewTitle('Strategies')}
    <p class="hint">A strategy trades only after you draft its script, read the review, and deploy it on paper.</p>
    <section class="card" tabindex="-1" aria-labelledby="drafts-title">
      <h2 id="drafts-title">Your drafts</h2>
      ${draftList(drafts)}
      ${drafts.entries === undefined ? condition(drafts) : nothing}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="draft-title">
      <h2 id="draft-title">Draft a script</h2>
      ${draftForm(drafts)}
      ${drafts.entries === undefined ? nothing : condition(drafts)}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="catalogue-title">
      <h2 id="catalogue-title">Catalogue</h2>
      <p class="hint">Public strategies of others, described in the words of the venue. None of them is advice.</p>
      ${catalogue(strategies, drafts)}
      ${condition(strategies)}
    </section>
  `;
}

function draftList(drafts: DraftsPanel): Content {
  const { entries } = drafts;
  if (entries === undefined) return nothing;
  if (entries.length === 0)
    return html`<p class="hint" id="drafts" tabindex="-1">You have no drafts. Paste a script below, or start from a strategy of the catalogue.</p>`;
  return html`<ul class="list" id="drafts" tabindex="-1">${entries.map((draft) => draftItem(draft, drafts))}</ul>`;
}

function draftItem({ draftId, name, confirmedReviewDigest, createdAtEpochMs }: ListedDraft, drafts: DraftsPanel): Content {
  const review = confirmedReviewDigest === null ? 'review not confirmed' : 'review confirmed';
  return html`<li class="entry">
    <div>
      <strong><a href="#draft=${draftId}" aria-label="${name}, draft ${draftId}">${name}</a></strong>
      <p class="hint"><span class="tag">${review}</span> draft ${draftId}, ${shownTime(createdAtEpochMs)}</p>
    </div>
    ${removal(drafts, draftId, { verb: 'Remove', name: `${name}, draft ${draftId}`, warning: 'Its script is gone then.' })}
  </li>`;
}

function catalogue({ strategies }: StrategiesPanel, drafts: DraftsPanel): Content {
  if (strategies === undefined) return nothing;
  return html`<ul class="list">${strategies.map((strategy) => html`<li class="strategy">${strategyShown(strategy, drafts)}</li>`)}</ul>`;
}

function strategyShown(strategy: Strategy, drafts: DraftsPanel): Content {
  const { name, family, timeframe, description, script } = strategy;
  return html`<details>
    <summary>
      ${name}
      <span class="tags">
        <span class="tag">${family.replace('_', ' ')}</span> <span class="tag">${timeframe}</span>
        <span class="tag">${script === null ? 'no script' : 'with script'}</span>
      </span>
    </summary>
    <p>${description}</p>
    ${script === null ? html`<p class="notice">It does not ship as a script. ${strategy.pineSubsetFitReason}</p>` : nothing}
    <dl class="facts">
      <dt>Rules</dt><dd>${strategy.rulesText}</dd>
      <dt>Markets</dt><dd>${strategy.marketsHint}</dd>
      ${strategy.parameters.length === 0 ? nothing : html`<dt>Parameters</dt><dd>${parameters(strategy)}</dd>`}
      ${strategy.publicStats.length === 0 ? nothing : html`<dt>What its source states, not verified</dt><dd>${stats(strategy)}</dd>`}
      <dt>Source</dt><dd>${elsewhere(strategy.sourceUrl, strategy.sourceVenue, `source of ${name}`)}</dd>
      <dt>Terms</dt>
      <dd>${strategy.termsSummary} ${elsewhere(strategy.termsUrl, `Read the terms (${strategy.usageAllowed.replace('_', ' ')})`, name)}</dd>
    </dl>
    ${
      script === null
        ? nothing
        : html`${scriptText(script, `Script of ${name}`)}
            <p>${button('Draft from this', () => drafts.startFrom(strategy), { name: `Draft from this: ${name}` })}</p>`
    }
  </details>`;
}

function parameters({ parameters: listed }: Strategy): Content {
  return html`<ul class="plain">
    ${listed.map(({ name, default: value, min, max }) => html`<li><span class="code">${name}</span> ${value}, from ${min} to ${max}</li>`)}
  </ul>`;
}

const METRICS = { apr: 'return of a year', max_drawdown: 'largest loss from a peak' } as const;

function stats({ publicStats }: Strategy): Content {
  return html`<ul class="plain">
    ${publicStats.map(({ metric, value, asOf }) => html`<li>${METRICS[metric]} ${value} %, test until ${shownDate(asOf)}</li>`)}
  </ul>`;
}
