/** The view of a signed-out owner: sign in, or register. */
import { html, nothing } from 'lit-html';
import type { App } from '../app/app.ts';
import type { Provider } from '../venue/resources.ts';
import type { LocalCredentials } from '../venue/sign-in-operations.ts';
import { field } from './fields.ts';
import { button, type Content, condition, onSubmit, submit, viewTitle } from './parts.ts';

export function signInView(app: App): Content {
  const { signIn, registration, pendingUserCode, notice } = app;
  return html`
    ${viewTitle(registration.due === undefined ? 'Sign in' : 'Register')}
    ${notice === undefined ? nothing : html`<p class="notice">${notice}</p>`}
    ${pendingUserCode === undefined ? nothing : html`<p class="notice">A program with the code <strong class="code unbroken">${pendingUserCode}</strong> waits for you. Sign in to see what it wants.</p>`}
    ${registration.due === undefined ? html`${existing(app)} ${newAccount(app)}` : passkeyDue(app)}
    ${signIn.capabilities === undefined && !signIn.isBusy ? button('Try again', () => signIn.load()) : nothing}
  `;
}

function existing({ signIn }: App): Content {
  const { capabilities, isBusy } = signIn;
  return html`<section class="card" tabindex="-1" aria-labelledby="existing-title">
    <h2 id="existing-title">You have an account</h2>
    ${condition(signIn)}
    ${
      capabilities?.passkeyLogin === 'available'
        ? html`<p>${button('Sign in with a passkey', () => signIn.byPasskey(), { isBusy })}</p>`
        : nothing
    }
    ${capabilities?.socialLogin.length ? html`<p class="hint">Without your passkey you can look, but not move money or connect programs:</p>` : nothing}
    ${(capabilities?.socialLogin ?? []).map((provider) =>
      providerEntry(provider, {
        id: `login-${provider.provider}`,
        title: `Sign in with ${provider.name}`,
        isBusy,
        enter: (local) => signIn.byProvider(provider, local),
      }),
    )}
  </section>`;
}

function newAccount({ signIn, registration }: App): Content {
  const { capabilities } = signIn;
  if (capabilities === undefined) return nothing;
  return html`<section class="card" tabindex="-1" aria-labelledby="new-title">
    <h2 id="new-title">You are new</h2>
    ${condition(registration)}
    ${registration.notice === undefined ? nothing : html`<p class="notice" role="status">${registration.notice}</p>`}
    ${
      capabilities.registration === 'closed'
        ? html`<p>Registration is closed now.</p>`
        : html`<p class="hint">Prove who you are, then make a passkey: it signs you in and approves what moves your money.</p>
            ${capabilities.socialRegistration.map((provider) =>
              providerEntry(provider, {
                id: `register-${provider.provider}`,
                title: `Register with ${provider.name}`,
                isBusy: registration.isBusy,
                enter: (local) => registration.start(provider, local),
              }),
            )}`
    }
  </section>`;
}

interface ProviderEntry {
  readonly id: string;
  readonly title: string;
  readonly isBusy: boolean;
  readonly enter: (local?: LocalCredentials) => unknown;
}

/** A form for the local provider, a button for one with its own page. */
function providerEntry({ kind }: Provider, { id, title, isBusy, enter }: ProviderEntry): Content {
  if (kind === 'oidc') return html`<p>${button(title, () => enter(), { isBusy, kind: 'quiet' })}</p>`;
  const isRegistration = id.startsWith('register');
  const submitted = onSubmit((fields) => enter({ name: fields('name'), passphrase: fields('passphrase') }));
  return html`<details ?open=${isRegistration}>
    <summary>${title}</summary>
    <form aria-label=${title} @submit=${submitted}>
      ${field({ label: 'Name', name: 'name', id: `${id}-name`, autocomplete: 'username' })}
      ${field({
        label: 'Passphrase',
        name: 'passphrase',
        id: `${id}-passphrase`,
        type: 'password',
        autocomplete: isRegistration ? 'new-password' : 'current-password',
      })}
      ${submit(isRegistration ? 'Register' : 'Sign in', isBusy)}
    </form>
  </details>`;
}

function passkeyDue({ registration }: App): Content {
  return html`<section class="card" tabindex="-1" aria-labelledby="registration-due">
    <h2 id="registration-due" tabindex="-1">Make your passkey</h2>
    <p>It is the key to your account. The venue cannot restore it: add a second one after you have signed in.</p>
    <form @submit=${onSubmit((fields) => registration.createPasskey(fields('name')))}>
      ${field({ label: 'Name of the passkey', name: 'name', id: 'new-passkey-name', maxLength: 64, hint: 'Such as the device that keeps it.' })}
      ${submit('Make the passkey', registration.isBusy)}
    </form>
    ${condition(registration)}
  </section>`;
}
