/** The frame of every view: header, navigation, the view, and the status line for screen readers. */
import { html, nothing } from 'lit-html';
import type { App } from '../app/app.ts';
import type { Owner } from '../app/owner.ts';
import { listOf, VIEWS } from '../app/views.ts';
import { agentsView } from './agents.ts';
import { connectView } from './connect.ts';
import { deploymentView } from './deployment.ts';
import { draftView } from './draft.ts';
import { fundsView } from './funds.ts';
import { button, type Content } from './parts.ts';
import { passkeysView } from './passkeys.ts';
import { setupView } from './setup.ts';
import { signInView } from './sign-in.ts';
import { strategiesView } from './strategies.ts';

const WITHOUT_PASSKEY =
  'You signed in without a passkey: you can look. To move money or connect programs, sign out and sign in with your passkey.';

export function shell(app: App): Content {
  const { owner } = app;
  return html`
    <header>
      <p class="brand">OpenPerp</p>
      ${owner === undefined ? nothing : signedIn(app, owner)}
    </header>
    ${owner === undefined ? nothing : navigation(app, owner)}
    <main>
      ${owner?.session.signedInBy === 'social' ? html`<p class="notice">${WITHOUT_PASSKEY}</p>` : nothing}
      ${owner === undefined ? signInView(app) : ownerView(app, owner)}
    </main>
    <footer><a href="/docs">The interface for programs</a></footer>
  `;
}

function signedIn(app: App, { session }: Owner): Content {
  return html`<p class="account">Account <span class="code">${session.accountId}</span></p>
    ${button('Sign out', () => app.signOut(), { kind: 'quiet' })}`;
}

function navigation({ view }: App, { setup, agents }: Owner): Content {
  const shown = VIEWS.filter((it) => {
    if ('within' in it || ('isOfAgents' in it && agents === undefined)) return false;
    return it.id !== 'setup' || !setup.isComplete || view === 'setup';
  });
  return html`<nav aria-label="Account">
    ${shown.map(({ id, name }) => html`<a href="#${id}" aria-current=${id === listOf(view) ? 'page' : nothing}>${name}</a>`)}
  </nav>`;
}

function ownerView(app: App, owner: Owner): Content {
  switch (app.view) {
    case 'setup':
      return setupView(owner.setup);
    case 'connect':
      return connectView(owner.connect, owner.apiKeys);
    case 'passkeys':
      return passkeysView(owner.passkeys, () => app.signOutEverywhere());
    default:
      return agentView(app, owner) ?? fundsView(owner);
  }
}

/** `undefined` for any other view. */
function agentView({ view }: App, owner: Owner): Content | undefined {
  const { agents } = owner;
  if (agents === undefined) return undefined;
  switch (view) {
    case 'strategies':
      return strategiesView(agents);
    case 'draft':
      return draftView(agents);
    case 'agents':
      return agentsView(owner, agents);
    case 'deployment':
      return deploymentView(agents);
    default:
      return undefined;
  }
}
