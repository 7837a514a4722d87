/** The view that sets the account up. */
import { html } from 'lit-html';
import { SETUP_STEPS } from '../flows/setup.ts';
import type { SetupPanel } from '../panels/setup.ts';
import { dueNow, stepList } from './flow.ts';
import { button, type Content, viewTitle } from './parts.ts';

const SIGNS = {
  party: 'You approve your party on the external ledger.',
  wallet: 'You approve the wallet that signs for your party.',
  consent: 'You consent that the venue prepares ledger commands for you. It moves no money: you sign each one.',
  renew_consent: 'The consent was revoked. You consent again.',
  retry_consent:
    'The external ledger did not take the consent, or lacked its package. Trading does not need it. You may consent again now or later.',
} as const;

export function setupView(setup: SetupPanel): Content {
  return html`
    ${viewTitle('Set up your account')}
    <section class="card" tabindex="-1" aria-labelledby="view-title">
      <p>Your money is kept for a party of your own on the external ledger. Setting it up moves no money.</p>
      ${stepList(SETUP_STEPS, setup.current, setup.isComplete)}
      ${setup.isComplete ? complete(setup) : unfinished(setup)}
    </section>
  `;
}

function unfinished(setup: SetupPanel): Content {
  const canStart = setup.due?.by !== 'owner' && !setup.isBusy && setup.binding !== undefined;
  const label = setup.binding?.setup === 'not_started' ? 'Set up the account' : 'Continue the set-up';
  return html`
    ${dueNow(setup, SIGNS)}
    ${canStart ? html`<p>${button(label, () => setup.start(), { id: 'start-setup' })}</p>` : ''}
    ${setup.due === undefined && canStart ? html`<p class="hint">Your passkey approves it once. This browser then signs the remaining steps by a key that ends with the set-up.</p>` : ''}
  `;
}

function complete({ binding, focusId }: SetupPanel): Content {
  return html`
    <div class="due none" id=${focusId} tabindex="-1">
      <p>Your account is set up: you can deposit and trade.</p>
      <p><a class="next" href="#funds">Go to your funds</a></p>
    </div>
    <dl class="facts"><dt>Your party</dt><dd class="code">${binding?.partyId ?? ''}</dd></dl>
  `;
}
