/** Signing in and out: which view opens, what the page remembers, and what it forgets. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ENVIRONMENTS, existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { AttemptStore, StoredAttempt } from '#owner-page/src/panels/attempt-store.ts';
import { ScriptedSocket } from '#owner-page/testing/scripted-socket.ts';
import {
  challengeOf,
  MemoryKeyStore,
  RecordedPage,
  ScriptedAuthenticator,
  ScriptedVenue,
} from '#owner-page/testing/scripted-venue.ts';
import { App } from './app.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const PROVIDER = { provider: 'example', name: 'Example', kind: 'oidc' } as const;
const LOCAL = { provider: 'local', name: 'Local', kind: 'local' } as const;
const CAPABILITIES = {
  environment: 'development',
  passkeyLogin: 'available',
  registration: 'open',
  socialRegistration: [LOCAL, PROVIDER],
  socialLogin: [LOCAL, PROVIDER],
};
const SESSION = { accessToken: 'bearer-1', accountId: 'acct-7', signedInBy: 'passkey', expiresAtEpochMs: 2 };
const CREATION = {
  ...challengeOf('creation'),
  relyingParty: { id: 'localhost', name: 'Venue' },
  user: { id: 'AA', name: 'alice', displayName: 'alice' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  excludeCredentials: [],
  userVerification: 'required',
  residentKey: 'required',
};
const PASSKEY_DUE = { status: 'passkey_required', attempt: 'attempt-1', authorizationUrl: null, creation: CREATION };

let venue: ScriptedVenue;
let page: RecordedPage;
let attempt: StoredAttempt | undefined;
let address: { hash: string; search: string; replace: (hash: string) => void };
let left: string[];
let app: App;

const attempts: AttemptStore = {
  save: (saved) => {
    attempt = { ...saved, hash: address.hash };
  },
  find: () => attempt,
  remove: () => {
    attempt = undefined;
  },
};

beforeEach(() => {
  venue = new ScriptedVenue().on('GET /v1/auth/capabilities', CAPABILITIES);
  venue.on(`GET ${ACCOUNT}/party`, { status: 'active', partyId: 'party-7', source: 'owner', setup: 'complete' });
  page = new RecordedPage();
  attempt = undefined;
  left = [];
  address = {
    hash: '',
    search: '',
    replace: (hash) => {
      address.hash = hash;
      address.search = '';
    },
  };
  app = appOf(venue);
});

function appOf({ client }: ScriptedVenue): App {
  return new App({
    client,
    authenticator: new ScriptedAuthenticator(),
    setupKeys: new MemoryKeyStore(),
    attempts,
    openSocket: () => new ScriptedSocket(),
    leaveTo: (url) => left.push(url),
    address,
    page,
  });
}

async function signIn(): Promise<void> {
  venue.on('POST /v1/auth/login/init', { challenge: challengeOf('login') });
  venue.on('POST /v1/auth/login/complete', SESSION);
  await app.start();
  await app.signIn.byPasskey();
  await expect.poll(() => address.hash).not.toBe('');
}

describe('signing in', () => {
  test('opens the funds of an account that is set up, and the set-up of one that is not', async () => {
    await signIn();
    expect([app.view, page.focused.at(-1)]).toEqual(['funds', 'view-title']);
  });

  test('opens the set-up first if it is not complete', async () => {
    venue = new ScriptedVenue();
    venue.on('GET /v1/auth/capabilities', CAPABILITIES);
    venue.on(`GET ${ACCOUNT}/party`, { status: 'absent', partyId: null, source: 'owner', setup: 'not_started' });
    app = appOf(venue);
    await signIn();
    expect(app.view).toBe('setup');
  });

  test('opens the request of the program whose link was followed, and takes its code out of the address', async () => {
    address.hash = '#connect=WDJB-MJHT';
    venue.on(`POST ${ACCOUNT}/agent-connect/approve`, {
      status: 'pending',
      label: 'bot',
      scopes: [],
      startedAtEpochMs: 0,
      expiresAtEpochMs: 1,
      keyLifetimeDays: 90,
    });
    await app.start();
    expect(app.pendingUserCode).toBe('WDJB-MJHT');
    await signIn();
    await expect.poll(() => app.owner?.connect.request?.grant.label).toBe('bot');
    expect([app.view, address.hash]).toEqual(['connect', '#connect']);
  });
});

describe('agents', () => {
  test('have views where the venue admits them, and none elsewhere', async () => {
    for (const environment of ENVIRONMENTS) {
      venue = new ScriptedVenue().on('GET /v1/auth/capabilities', { ...CAPABILITIES, environment });
      venue.on(`GET ${ACCOUNT}/party`, { status: 'active', partyId: 'party-7', source: 'owner', setup: 'complete' });
      address.hash = '#agents';
      app = appOf(venue);
      venue.on('POST /v1/auth/login/init', { challenge: challengeOf('login') });
      venue.on('POST /v1/auth/login/complete', SESSION);
      await app.start();
      await app.signIn.byPasskey();
      await expect.poll(() => app.owner?.setup.isBusy).toBe(false);
      const isAdmitted = existsIn(environment, PARTIAL_FEATURES.agents);
      const expected = isAdmitted ? ['agents', '#agents', true] : ['funds', '#funds', false];
      await expect.poll(() => [app.view, address.hash, app.owner?.agents !== undefined]).toEqual(expected);
    }
  });

  test('keep the deployment of the view in the address, and forget it with the view', async () => {
    venue.on(`GET ${ACCOUNT}/agents/7/actions`, { status: 404, code: 'agent_deployment_not_found' });
    address.hash = '#deployment=7';
    await app.start();
    venue.on('POST /v1/auth/login/init', { challenge: challengeOf('login') });
    venue.on('POST /v1/auth/login/complete', SESSION);
    await app.signIn.byPasskey();
    await expect.poll(() => app.view).toBe('deployment');
    await expect.poll(() => app.owner?.agents?.deployment?.failure).toMatch(/agent_deployment_not_found/);
    expect(address.hash).toBe('#deployment=7');
    app.show('funds');
    expect([app.owner?.agents?.deployment, address.hash]).toEqual([undefined, '#funds']);
  });

  test('end the log of a deployment with the session', async () => {
    await signIn();
    app.show('deployment', '7');
    const { agents } = app.owner!;
    expect(agents?.deployment).toBeDefined();
    app.signOut();
    expect(agents?.deployment).toBeUndefined();
  });

  test('open a new draft and a new deployment', async () => {
    await signIn();
    app.owner!.agents!.drafts.onDrafted('3');
    expect(address.hash).toBe('#draft=3');
    app.owner!.agents!.deploy.onDeployed('7');
    expect(address.hash).toBe('#deployment=7');
  });
});

describe('a session that ends', () => {
  test('signs out at once, also if the venue does not respond', async () => {
    await signIn();
    venue.on('DELETE /v1/auth/session', new TypeError('Failed to fetch'));
    app.signOut();
    expect(app.owner).toBeUndefined();
    await expect.poll(() => app.notice).toMatch(/did not confirm/);
    await venue.client.send({ method: 'GET', path: '/v1/auth/capabilities' });
    expect(venue.sent.at(-1)!.authorization).toBeUndefined();
  });

  test('returns to sign-in when the venue refuses it', async () => {
    await signIn();
    venue.on(`GET ${ACCOUNT}/api-keys`, { status: 401, code: 'unauthorized' });
    app.show('connect');
    await expect.poll(() => app.owner).toBeUndefined();
    expect(app.notice).toMatch(/has ended/);
  });

  test('everywhere: stays signed in if the venue refuses', async () => {
    await signIn();
    venue.on('DELETE /v1/auth/sessions', { status: 403, code: 'passkey_required' });
    await app.signOutEverywhere();
    expect(app.owner?.passkeys.failure).toMatch(/sign in with your passkey/);
  });
});

describe('a provider with its own page', () => {
  test('is visited, and its answer is used once and leaves the address', async () => {
    const url = 'https://id.example/authorize?x=1';
    venue.on(
      'POST /v1/auth/social/register',
      { status: 'redirect', attempt: 'attempt-1', authorizationUrl: url, creation: null },
      PASSKEY_DUE,
    );
    address.hash = '#connect=WDJB-MJHT';
    await app.start();
    await app.registration.start(PROVIDER);
    expect([left, attempt?.attempt]).toEqual([[url], 'attempt-1']);
    address.hash = '';
    address.search = '?code=abc&state=xyz';
    await app.start();
    expect(venue.bodiesOf('POST /v1/auth/social/register').at(-1)).toEqual({
      provider: 'example',
      action: 'complete',
      attempt: 'attempt-1',
      callback: 'code=abc&state=xyz',
    });
    expect([address.search, app.registration.due?.attempt, app.pendingUserCode]).toEqual(['', 'attempt-1', 'WDJB-MJHT']);
  });

  test('is not visited at an address that runs code here', async () => {
    venue.on('POST /v1/auth/social/login', {
      status: 'redirect',
      attempt: 'attempt-1',
      authorizationUrl: 'javascript:alert(1)',
      session: null,
    });
    await app.start();
    await app.signIn.byProvider(PROVIDER);
    expect([left, app.signIn.failure]).toEqual([[], expect.any(String)]);
  });
});

describe('a registration', () => {
  test('ends with a passkey, which signs in', async () => {
    venue.on('POST /v1/auth/social/register', PASSKEY_DUE).on('POST /v1/auth/register/complete', SESSION);
    await app.start();
    await app.registration.start(LOCAL, { name: 'alice', passphrase: 'correct horse' });
    expect(page.focused.at(-1)).toBe('registration-due');
    await app.registration.createPasskey('laptop');
    expect(venue.bodiesOf('POST /v1/auth/register/complete')).toMatchObject([
      { attempt: 'attempt-1', challengeIdentifier: 'creation', passkeyName: 'laptop', credential: { credId: 'passkey-2' } },
    ]);
    expect([app.owner?.session.accountId, attempt]).toEqual(['acct-7', undefined]);
  });

  test('continues after the page was loaded again', async () => {
    attempt = { purpose: 'register', provider: 'local', attempt: 'attempt-1', hash: '' };
    venue.on('POST /v1/auth/social/register/recover', PASSKEY_DUE);
    await app.start();
    expect(app.registration.due?.attempt).toBe('attempt-1');
  });

  test('is not lost with the last response: the owner signs in', async () => {
    venue.on('POST /v1/auth/social/register', PASSKEY_DUE);
    venue.on('POST /v1/auth/register/complete', new TypeError('Failed to fetch'));
    venue.on('POST /v1/auth/social/register/recover', { ...PASSKEY_DUE, status: 'registered', creation: null });
    await app.start();
    await app.registration.start(LOCAL, { name: 'alice', passphrase: 'correct horse' });
    await app.registration.createPasskey('laptop');
    expect([app.registration.notice, app.registration.failure, attempt]).toEqual([
      expect.stringMatching(/exists already/),
      undefined,
      undefined,
    ]);
  });
});
