/** Shows something that takes several steps: which are done, and what is due next. */
import { html, nothing } from 'lit-html';
import type { FlowPanel } from '../panels/flow-panel.ts';
import { button, type Content, condition } from './parts.ts';

export interface Step {
  readonly step: string;
  readonly name: string;
}

type StepState = 'done' | 'current' | 'later';
const STATE_TEXTS: Readonly<Record<StepState, string>> = { done: 'done', current: 'now', later: 'later' };

/** `step`: the current one; the first if `undefined`. */
export function stepList(steps: readonly Step[], step: string | undefined, isDone: boolean): Content {
  const current = Math.max(
    0,
    steps.findIndex((it) => it.step === step),
  );
  const stateAt = (index: number) => (isDone || index < current ? 'done' : index === current ? 'current' : 'later');
  return html`<ol class="steps">${steps.map(({ name }, index) => stepItem(name, stateAt(index)))}</ol>`;
}

function stepItem(name: string, state: StepState): Content {
  return html`<li class=${state} aria-current=${state === 'current' ? 'step' : nothing}>
    <span>${name}</span> <span class="state">${STATE_TEXTS[state]}</span>
  </li>`;
}

/** What is due. `signs` says for each step what the owner's signature does. */
export function dueNow(panel: FlowPanel, signs: Readonly<Record<string, string>>): Content {
  const { due } = panel;
  return html`
    ${due === undefined || due.by === 'venue' ? nothing : html`<div class="due ${due.by}" id=${panel.focusId} tabindex="-1">${dueContent()}</div>`}
    ${condition(panel)}
  `;

  function dueContent(): Content {
    if (due?.by !== 'owner') return html`<p>${due?.by === 'none' ? due.message : ''}</p>`;
    return html`
      <h3>Your signature is due</h3>
      <p>${signs[due.step] ?? 'You approve the next step.'}</p>
      ${button('Approve with your passkey', () => panel.approve(), { isBusy: panel.isBusy })}
    `;
  }
}
