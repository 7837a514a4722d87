/** A provider of OpenID Connect: its good answer, each wrong one, and its failures. The stand-in provider is a real server on loopback. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { createAttemptSecret, flowSecretsOf } from './attempt-secret.ts';
import { OidcProvider, PROVIDER_TIMEOUT_MS } from './oidc-provider.ts';
import { ProviderConditions } from './provider-condition.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';
import { CLIENT, type StandInProvider, startStandInProvider } from './testing/stand-in-provider.ts';

const redirectUri = () => 'https://venue.example/app';
const METADATA = '/.well-known/openid-configuration';

let time: ManualTime;
let standIn: StandInProvider;
let provider: OidcProvider;
let conditions: ProviderConditions;
const logged: string[] = [];
let secrets: ReturnType<typeof flowSecretsOf>;

beforeEach(async () => {
  time = new ManualTime();
  standIn = await startStandInProvider();
  logged.length = 0;
  conditions = new ProviderConditions((line) => logged.push(line));
  provider = new OidcProvider(
    { id: 'stand-in', issuer: standIn.issuer, ...CLIENT },
    { timers: time, steadyClock: time, redirectUri, conditions },
  );
  secrets = flowSecretsOf(createAttemptSecret().attempt);
});
afterEach(() => standIn.close());

async function visit(subject?: string): Promise<string> {
  return standIn.visit(await provider.authorizationUrl(secrets), subject);
}

function withParameter(callback: string, name: string, value: string): string {
  const changed = new URLSearchParams(callback);
  changed.set(name, value);
  return changed.toString();
}

test('sends the browser to the provider with state, nonce and the challenge of PKCE, and requests no personal data', async () => {
  const url = new URL(await provider.authorizationUrl(secrets));
  expect(`${url.origin}${url.pathname}`).toBe(`${standIn.issuer}/authorize`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'venue',
    redirect_uri: redirectUri(),
    scope: 'openid',
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(url.href).not.toContain(secrets.codeVerifier);
});

test('returns the subject that the provider proves', async () => {
  expect(await provider.subjectOf(secrets, await visit('subject-7'))).toEqual({ subject: 'subject-7' });
});

describe('rejects', () => {
  test.each<[string, (callback: string) => string]>([
    ['another state', (callback) => withParameter(callback, 'state', 'another')],
    ['no state', (callback) => withParameter(callback, 'state', '')],
    ['another code', (callback) => withParameter(callback, 'code', 'another')],
    ['another issuer in the response', (callback) => withParameter(callback, 'iss', 'https://other.example')],
    ['an error of the provider', () => `error=access_denied&state=${secrets.state}&iss=${encodeURIComponent(standIn.issuer)}`],
    ['an empty callback', () => ''],
  ])('%s', async (_, change) => {
    const callback = change(await visit());
    expect(await provider.subjectOf(secrets, callback)).toHaveProperty('rejection');
  });

  test('a code that was used before', async () => {
    const callback = await visit();
    await provider.subjectOf(secrets, callback);
    expect(await provider.subjectOf(secrets, callback)).toEqual({ rejection: 'it does not accept the code' });
  });

  test('the answer to another attempt', async () => {
    const callback = await visit();
    const other = flowSecretsOf(createAttemptSecret().attempt);
    expect(await provider.subjectOf(other, callback)).toHaveProperty('rejection');
    // With the state of the other attempt, the verifier of PKCE differs.
    expect(await provider.subjectOf(other, withParameter(callback, 'state', other.state))).toHaveProperty('rejection');
  });

  test.each<[string, object]>([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://other.example' } }],
    ['another audience', { claims: { aud: 'another client' } }],
    ['an expired token', { claims: { exp: 1_700_000_000 } }],
    ['a token that is not valid yet', { claims: { nbf: 9_999_999_999 } }],
    ['a token with another signature', { isForged: true }],
    ['an empty subject', { claims: { sub: '' } }],
    ['a subject that is too long', { claims: { sub: 'a'.repeat(256) } }],
  ])('an ID token with %s', async (_, faults) => {
    const callback = await visit();
    standIn.faults = faults;
    expect(await provider.subjectOf(secrets, callback)).toHaveProperty('rejection');
  });
});

describe('is unavailable', () => {
  test.each([
    ['metadata', METADATA],
    ['token endpoint', '/token'],
    ['keys', '/keys'],
  ])('while its %s fails, and works afterwards', async (_, path) => {
    standIn.faults = { status: { [path]: 500 } };
    const failing = async () => provider.subjectOf(secrets, await visit());
    await expect(failing()).rejects.toThrow(ProviderUnavailable);
    standIn.faults = {};
    expect(await provider.subjectOf(secrets, await visit())).toEqual({ subject: 'subject-1' });
  });

  test('if it does not know the venue', async () => {
    const { issuer } = standIn;
    const stranger = new OidcProvider(
      { id: 'stand-in', issuer, clientId: 'venue' },
      { timers: time, steadyClock: time, redirectUri, conditions },
    );
    const callback = standIn.visit(await stranger.authorizationUrl(secrets));
    await expect(stranger.subjectOf(secrets, callback)).rejects.toThrow(ProviderUnavailable);
  });

  test.each([
    ['metadata', METADATA],
    ['token endpoint', '/token'],
  ])('if its %s does not respond in time', async (_, path) => {
    const callback = path === METADATA ? '' : await visit();
    standIn.faults = { hangs: [path] };
    const before = standIn.requests.length;
    const requested = path === METADATA ? provider.authorizationUrl(secrets) : provider.subjectOf(secrets, callback);
    const rejected = expect(requested).rejects.toThrow(ProviderUnavailable);
    await eventually(() => expect(standIn.requests.length).toBeGreaterThan(before));
    await time.advance(PROVIDER_TIMEOUT_MS);
    await rejected;
  });

  test('if its response is too large', async () => {
    standIn.faults = { size: { [METADATA]: 300_000 } };
    await expect(provider.authorizationUrl(secrets)).rejects.toThrow(ProviderUnavailable);
  });

  test('if its metadata names another issuer', async () => {
    const elsewhere = standIn.issuer.replace('127.0.0.1', 'localhost');
    const other = new OidcProvider(
      { id: 'stand-in', issuer: elsewhere, ...CLIENT },
      { timers: time, steadyClock: time, redirectUri, conditions },
    );
    await expect(other.authorizationUrl(secrets)).rejects.toThrow(ProviderUnavailable);
  });

  test('if it is down', async () => {
    await standIn.close();
    await expect(provider.authorizationUrl(secrets)).rejects.toThrow(ProviderUnavailable);
  });

  test('beyond the maximum of sign-ins that wait for it', async () => {
    standIn.faults = { hangs: [METADATA] };
    const waiting = Array.from({ length: 65 }, () => provider.authorizationUrl(secrets).catch((error: unknown) => error));
    expect(await waiting[64]).toBeInstanceOf(ProviderUnavailable);
    await eventually(() => expect(standIn.requests).toEqual([METADATA]));
    await time.advance(PROVIDER_TIMEOUT_MS);
    await Promise.all(waiting);
  });
});

test('reads the metadata again after an hour, and once for concurrent sign-ins', async () => {
  await Promise.all([provider.authorizationUrl(secrets), provider.authorizationUrl(secrets)]);
  time.pass(3_599_999);
  await provider.authorizationUrl(secrets);
  expect(standIn.requests).toEqual([METADATA]);
  time.pass(1);
  await provider.authorizationUrl(secrets);
  expect(standIn.requests).toEqual([METADATA, METADATA]);
});

describe('reports to the operator', () => {
  const strangerAt = (issuer: string, client: { clientId: string; clientSecret?: string } = CLIENT) =>
    new OidcProvider({ id: 'stand-in', issuer, ...client }, { timers: time, steadyClock: time, redirectUri, conditions });

  async function signInTwice(of: OidcProvider): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      const callback = standIn.visit(await of.authorizationUrl(secrets));
      await expect(of.subjectOf(secrets, callback)).rejects.toThrow(ProviderUnavailable);
    }
  }

  const REFUSED = 'it does not accept the client of the venue: check clientId and clientSecretFile';

  test('a wrong client secret once, until somebody has signed in', async () => {
    await signInTwice(strangerAt(standIn.issuer, { ...CLIENT, clientSecret: 'a wrong secret' }));
    expect(logged).toEqual([`sign-in provider stand-in: ${REFUSED}; owners cannot sign in with it`]);
    expect(conditions.faults).toEqual([{ provider: 'stand-in', fault: REFUSED }]);
    // Neither its metadata nor an answer that a client made up shows that it accepts the venue now.
    time.pass(3_600_000);
    await provider.check();
    await provider.subjectOf(secrets, `error=access_denied&state=${secrets.state}&iss=${encodeURIComponent(standIn.issuer)}`);
    expect(conditions.faults).toHaveLength(1);
    await provider.subjectOf(secrets, await visit());
    expect(logged.slice(1)).toEqual(['sign-in provider stand-in: available again']);
    expect(conditions.faults).toEqual([]);
  });

  test('that it challenges the client of the venue', async () => {
    standIn.faults = { challenges: ['/token'] };
    await signInTwice(provider);
    expect(conditions.faults).toEqual([{ provider: 'stand-in', fault: REFUSED }]);
  });

  test('another issuer in its metadata', async () => {
    await strangerAt(standIn.issuer.replace('127.0.0.1', 'localhost')).check();
    expect(conditions.faults).toMatchObject([
      { fault: 'its metadata has another issuer than the configuration: correct issuer' },
    ]);
  });

  test('each change of the cause', async () => {
    standIn.faults = { status: { [METADATA]: 500 } };
    await provider.check();
    await provider.check();
    standIn.faults = { hangs: [METADATA] };
    const hanging = provider.check();
    await eventually(() => expect(standIn.requests).toHaveLength(3));
    await time.advance(PROVIDER_TIMEOUT_MS);
    await hanging;
    standIn.faults = {};
    await provider.check();
    const gone = await startStandInProvider();
    await gone.close();
    await strangerAt(gone.issuer).check();
    const of = 'sign-in provider stand-in:';
    expect(logged).toEqual([
      `${of} it does not respond as OpenID Connect prescribes (OAUTH_RESPONSE_IS_NOT_CONFORM); owners cannot sign in with it`,
      `${of} it does not respond in time; owners cannot sign in with it`,
      `${of} available again`,
      `${of} it cannot be reached (ECONNREFUSED); owners cannot sign in with it`,
    ]);
  });

  test.each([
    ['a code that the provider does not know', (callback: string) => withParameter(callback, 'code', 'a'.repeat(2_000))],
    ['a token of another flow', (callback: string) => withParameter(callback, 'token', 'made up')],
    ['an ID token of another flow', (callback: string) => withParameter(callback, 'id_token', 'made up')],
    ['two codes', (callback: string) => `${callback}&code=another`],
  ])('nothing if a client makes up %s', async (_, change) => {
    expect(await provider.subjectOf(secrets, change(await visit()))).toHaveProperty('rejection');
    expect([logged, conditions.faults]).toEqual([[], []]);
  });
});
