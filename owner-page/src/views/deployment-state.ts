/** The state of a deployment, in a word and in a sentence. */
import { html } from 'lit-html';
import type { Deployment } from '../venue/agent-resources.ts';
import type { Content } from './parts.ts';

const KINDS: Readonly<Record<Deployment['state'], string>> = { pending: '', running: 'good', stopped: '', failed: 'bad' };

export function stateTag(state: Deployment['state']): Content {
  return html`<span class="tag ${KINDS[state]}">${state}</span>`;
}

export function stateText({ state, stateReason, parameters }: Deployment): string {
  switch (state) {
    case 'pending':
      return `The script sees the last ${parameters.historyBars} candles first. It is tried again with each candle while agents are off or the agent account is not ready.`;
    case 'running':
      return 'Each closed candle can result in a paper order.';
    case 'stopped':
      return 'You stopped it. Its paper position stays as it is. Deploy the draft again to go on.';
    default:
      return `Its run ended: ${stateReason}. Correct the cause, and deploy again.`;
  }
}

/** Whether it can still be stopped. */
export function isOpen({ state }: Deployment): boolean {
  return state === 'pending' || state === 'running';
}
