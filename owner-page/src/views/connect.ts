/** The view of programs: approve one by its code, and the API keys that exist. */
import { html, nothing } from 'lit-html';
import { scopeText } from '../flows/device-code.ts';
import type { ApiKeysPanel } from '../panels/api-keys.ts';
import type { ConnectPanel } from '../panels/connect.ts';
import type { ApiKey, DeviceGrant } from '../venue/resources.ts';
import { field } from './fields.ts';
import { button, type Content, condition, onSubmit, shownTime, submit, viewTitle } from './parts.ts';
import { removal } from './removal.ts';

export function connectView(connect: ConnectPanel, apiKeys: ApiKeysPanel): Content {
  const { request } = connect;
  return html`
    ${viewTitle('Programs')}
    <section class="card" tabindex="-1" aria-labelledby="connect-title">
      <h2 id="connect-title">Connect a program</h2>
      ${request === undefined ? codeForm(connect) : requestShown(connect, request.userCode, request.grant)}
      ${condition(connect)}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="keys-title">
      <h2 id="keys-title">API keys</h2>
      ${keyList(apiKeys)}
      ${condition(apiKeys)}
    </section>
  `;
}

function codeForm(connect: ConnectPanel): Content {
  return html`<form novalidate @submit=${onSubmit(() => connect.describe())}>
    ${field({
      label: 'Code that the program shows',
      name: 'code',
      id: 'user-code',
      value: connect.typed,
      maxLength: 16,
      hint: 'Enter only a code of a program that you started yourself.',
      failure: connect.inputFailure,
      onInput: (value) => {
        connect.typed = value;
      },
    })}
    ${submit('Show what it wants', connect.isBusy)}
  </form>`;
}

const RESULTS = {
  approved: 'Approved. The program receives its key now.',
  denied: 'Denied. The program receives no key.',
} as const;

/** A challenge that was not valid any more leaves the request undecided: the owner approves again. */
function isDecided(status: DeviceGrant['status']): status is keyof typeof RESULTS {
  return status === 'approved' || status === 'denied';
}

function requestShown(connect: ConnectPanel, userCode: string, grant: DeviceGrant): Content {
  const { status } = grant;
  return html`<div class="due ${isDecided(status) ? 'none' : 'owner'}" id="device-request" tabindex="-1">
    ${isDecided(status) ? decided(connect, grant.label, RESULTS[status]) : undecided(connect, userCode, grant)}
  </div>`;
}

function decided(connect: ConnectPanel, label: string, result: string): Content {
  return html`<h3>“${label}”</h3>
    <p>${result}</p>
    ${button('Connect another program', () => connect.cancel(), { kind: 'quiet' })}`;
}

function undecided(connect: ConnectPanel, userCode: string, grant: DeviceGrant): Content {
  const { isBusy } = connect;
  return html`<h3>“${grant.label}” wants an API key of your account</h3>
    <p>It may then:</p>
    <ul>${grant.scopes.map((scope) => html`<li>${scopeText(scope)}</li>`)}</ul>
    <p>The key is valid for ${grant.keyLifetimeDays} days, and you can revoke it here. It was requested at ${shownTime(grant.startedAtEpochMs)}.</p>
    <p>It can never withdraw money or change your passkeys.</p>
    <p>The program must show the code <strong class="code unbroken">${userCode}</strong>. If you did not start it, deny. It waits until ${shownTime(grant.expiresAtEpochMs)}.</p>
    <p class="row">
      ${button('Approve', () => connect.decide('approve'), { isBusy, name: `Approve “${grant.label}”` })}
      ${button('Deny', () => connect.decide('deny'), { isBusy, kind: 'danger', name: `Deny “${grant.label}”` })}
      ${button('Another code', () => connect.cancel(), { isBusy, kind: 'quiet' })}
    </p>`;
}

function keyList(apiKeys: ApiKeysPanel): Content {
  const { entries } = apiKeys;
  if (entries === undefined) return nothing;
  if (entries.length === 0) return html`<p class="hint" id="api-keys" tabindex="-1">No program has a key.</p>`;
  return html`<ul class="list" id="api-keys" tabindex="-1">${entries.map((key) => keyItem(key, apiKeys))}</ul>`;
}

function keyItem({ keyId, label, scopes, status, createdAtEpochMs, expiresAtEpochMs }: ApiKey, apiKeys: ApiKeysPanel): Content {
  const verb = status === 'expired' ? 'expired' : 'expires';
  const expiry = expiresAtEpochMs === null ? 'never expires' : `${verb} ${shownTime(expiresAtEpochMs)}`;
  const name = label === '' ? keyId : label;
  return html`<li class="entry">
    <div>
      <strong>${name}</strong>
      <p class="hint">${scopes.map((scope) => html`<span class="tag">${scope}</span> `)} since ${shownTime(createdAtEpochMs)}, ${expiry}</p>
    </div>
    ${removal(apiKeys, keyId, { verb: 'Revoke', name, warning: 'Its connections end at once.' })}
  </li>`;
}
