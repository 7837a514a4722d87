/** The view of passkeys and sessions. */
import { html, nothing } from 'lit-html';
import type { PasskeysPanel } from '../panels/passkeys.ts';
import type { Passkey } from '../venue/resources.ts';
import { field } from './fields.ts';
import { button, type Content, condition, onSubmit, shownDate, submit, viewTitle } from './parts.ts';
import { removal } from './removal.ts';

export function passkeysView(passkeys: PasskeysPanel, signOutEverywhere: () => unknown): Content {
  return html`
    ${viewTitle('Passkeys')}
    <section class="card" tabindex="-1" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Your passkeys</h2>
      ${passkeys.entries?.filter(({ kind }) => kind === 'passkey').length === 1 ? html`<p class="notice">You have one passkey. The venue cannot restore a lost one: add a second, on another device.</p>` : nothing}
      ${passkeys.entries === undefined ? nothing : list(passkeys, passkeys.entries)}
      ${condition(passkeys)}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="add-title">
      <h2 id="add-title">Add a passkey</h2>
      <form @submit=${onSubmit((fields, form) => add(passkeys, fields('name'), form))}>
        ${field({ label: 'Name of the new passkey', name: 'name', id: 'passkey-name', maxLength: 64, hint: 'Such as the device that keeps it.' })}
        ${submit('Add a passkey', passkeys.isBusy)}
      </form>
    </section>
    <section class="card" tabindex="-1" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <p class="row">
        <span>A session lasts an hour. You can end all of them now, in every browser.</span>
        ${button('Sign out everywhere', signOutEverywhere, { isBusy: passkeys.isBusy, kind: 'quiet' })}
      </p>
    </section>
  `;
}

async function add(passkeys: PasskeysPanel, name: string, form: HTMLFormElement): Promise<void> {
  await passkeys.add(name);
  if (passkeys.failure === undefined) form.reset();
}

function list(passkeys: PasskeysPanel, entries: readonly Passkey[]): Content {
  return html`<ul class="list" id="passkeys" tabindex="-1">${entries.map((entry) => item(entry, passkeys))}</ul>`;
}

function item({ passkeyId, name, createdAt, relyingPartyId, status, kind }: Passkey, passkeys: PasskeysPanel): Content {
  return html`<li class="entry">
    <div>
      <strong>${name}</strong>
      <p class="hint">
        <span class="tag">${kindText(kind, status === 'usable_here' ? 'usable here' : `only at ${relyingPartyId}`)}</span>
        since ${shownDate(createdAt)}
      </p>
    </div>
    ${removal(passkeys, passkeyId, { verb: 'Remove', name, warning: 'The sessions that it opened end, and it can never be added again.' })}
  </li>`;
}

function kindText(kind: Passkey['kind'], place: string): string {
  return kind === 'passkey' ? place : 'key of the set-up';
}
