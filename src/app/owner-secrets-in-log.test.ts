/**
 * The secrets of an owner's whole way (registration with a provider, setup, deposit, withdrawal, a program's key): no log line, metric
 * or address contains one, also if a request is malformed, a handler fails, the provider fails or the ledger refuses. The venue logs at
 * `debug`.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SITE } from '#http/testing/owner-client.ts';
import { approveGrant } from '#http/testing/owner-requests.ts';
import type { SoftwareOwner } from '#http/testing/software-owner.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { Challenges } from '#identity/challenges.ts';
import { flowSecretsOf } from '#identity/sign-in/attempt-secret.ts';
import { CLIENT, type StandInProvider, startStandInProvider } from '#identity/sign-in/testing/stand-in-provider.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { StructuredLog } from '#observability/structured-log.ts';
import { approvedBytes, depositCommand } from '#settlement/coordinator/ledger-steps.ts';
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import { CommandRefused } from '#settlement/port/ledger.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { parseAccountId, parseDepositId } from '#units/ids.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';
import { callsTo, type Exchange } from './testing/venue-calls.ts';

/** Fields of requests and responses; each is a class of secrets. */
const FIELDS = [
  'accessToken',
  'apiKey',
  'attempt',
  'attestationObject',
  'authenticatorData',
  'callback',
  'clientData',
  'deviceCode',
  'passphrase',
  'publicKey',
  'signature',
  'ticket',
  'userCode',
];
/** What no client of the venue sends or receives under its name, with the names of the venue and of OpenID Connect. */
const OTHERS = ['code', 'state', 'nonce', 'code_verifier', 'id_token', 'client_secret', 'userHandle', 'clientDataJSON'];
const OF_COMMANDS = ['ledgerKey', 'commandId', 'preparedCommand', 'commandDigest'];
const CLASSES = [...FIELDS, ...OTHERS, ...OF_COMMANDS];

const secrets = new Map<string, Set<string>>(CLASSES.map((name) => [name, new Set()]));
const urls: string[] = [];
const lines: string[] = [];
/** Moved ahead so that no rate limit is met, also not that of logged errors. */
let passedMs = 0;
const steadyClock = { elapsedMs: () => systemTime.steadyClock.elapsedMs() + passedMs };
const log = new StructuredLog('debug', { write: (line) => lines.push(line) });
const directory = temporaryDirectory();
let standIn: StandInProvider;
let venue: TestVenue;
let call: ReturnType<typeof callsTo>;
let owner: TestOwner;

beforeAll(async () => {
  standIn = await startStandInProvider();
  const signInProviders = join(directory.path, 'providers.json');
  writeFileSync(join(directory.path, 'secret'), CLIENT.clientSecret);
  const { issuer } = standIn;
  const provider = { provider: 'stand-in', name: 'Stand-in', issuer, clientId: CLIENT.clientId, clientSecretFile: 'secret' };
  writeFileSync(signInProviders, JSON.stringify([provider]));
  const folder = temporaryDirectory();
  directories.push(directory, folder);
  venue = await startTestVenue(testConfig(folder.path, { signInProviders, publicOrigin: SITE.origin }), {
    steadyClock,
    log: (line) => log.line(line),
    logRequests: (operation) => log.requests(operation, false),
    onInternalError: (error, where) => log.internalError(error, where),
    onFatalError: (error, where) => log.fatal(error, where),
  });
  call = callsTo(venue.url, learn);
  owner = await wholeWay();
});
const directories: { remove(): void }[] = [];
afterAll(async () => {
  await venue.stop();
  await standIn.close();
  for (const each of directories) each.remove();
});

function learnOne(name: string, secret: string): void {
  if (secret !== '') secrets.get(name)!.add(secret);
}

function learnFields(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    if (FIELDS.includes(name) && typeof inner === 'string') learnOne(name, inner);
    else learnFields(inner);
}

function learn({ url, request, response }: Exchange): void {
  urls.push(url);
  learnFields(request.body);
  learnFields(response.body);
}

/** Registers with the provider. Returns the owner's first session. */
async function register(): Promise<TestOwner> {
  const started = (await call('registerWithProvider', { body: { provider: 'stand-in', action: 'initiate' } })).body;
  const callback = standIn.visit(started.authorizationUrl);
  const { attempt } = started;
  const { state, nonce, codeVerifier } = flowSecretsOf(attempt);
  const code = new URLSearchParams(callback).get('code')!;
  const { clientSecret } = CLIENT;
  const known = { state, nonce, code_verifier: codeVerifier, code, client_secret: clientSecret };
  for (const [name, secret] of Object.entries(known)) learnOne(name, secret);
  const answer = { provider: 'stand-in', action: 'complete', attempt, callback };
  const { creation } = (await call('registerWithProvider', { body: answer })).body;
  for (const token of standIn.issuedTokens) learnOne('id_token', token);
  learnOne('userHandle', creation.user.id);
  const authenticator = new SoftwareAuthenticator();
  const credential = authenticator.register({ challenge: creation.challenge, ...SITE });
  // The browser's name of it.
  learnOne('clientDataJSON', credential.clientData);
  const { challengeIdentifier } = creation;
  const body = { attempt, challengeIdentifier, passkeyName: 'laptop', credential };
  const session = (await call('completeRegistration', { body })).body;
  const { accountId, sessionId, accessToken: key } = session;
  const software: SoftwareOwner = { authenticator, local: { name: 'unused', passphrase: 'unused' } };
  const bot = { account: parseAccountId(accountId)!, accountId, keyId: `session-${sessionId}`, key, owner: software };
  return TestOwner.register({ call, owner: async () => bot, signIn: async () => bot } as never);
}

async function setUpKey(by: TestOwner): Promise<void> {
  const { creation } = await by.body('setUpKey', { action: 'initiate' });
  const { challengeIdentifier, challenge } = creation;
  const credential = new SoftwareSetupKey().register(challenge);
  const approving = await by.body('setUpKey', { action: 'approve', challengeIdentifier, credential });
  await by.body('setUpKey', { action: 'complete', credential, ...by.approval(approving.challenge) });
}

async function connect(by: TestOwner): Promise<void> {
  const { userCode, deviceCode } = (await call('startDeviceGrant', { body: { label: 'bot', scopes: ['read'] } })).body;
  learnOne('userCode', userCode.replace('-', ''));
  await approveGrant({ call, signIn: async () => by.bot } as never, by.bot, userCode);
  expect((await call('collectDeviceGrant', { body: { deviceCode } })).status).toBe(200);
}

/** The keys, ids and bytes of the ledger commands of everything that the account has begun. */
function learnCommands(by: TestOwner, depositId: string): void {
  const { party, consent } = venue.owners.owner(by.bot.account)!;
  for (const { ledgerKey } of [party, consent, ...venue.owners.openDeposits(), ...venue.owners.openWithdrawals()])
    learnOne('ledgerKey', ledgerKey);
  const command = depositCommand(venue.owners.deposit(parseDepositId(depositId)!)!, 'owner_account_acceptance');
  learnOne('commandId', command.commandId);
  const bytes = approvedBytes(venue.owners.ledger()!, command);
  learnOne('preparedCommand', JSON.stringify(command));
  learnOne('commandDigest', createHash('sha256').update(bytes).digest('hex'));
}

async function wholeWay(): Promise<TestOwner> {
  const by = await register();
  const local = { name: 'alice', passphrase: 'correct horse battery' };
  await call('registerWithProvider', { body: { provider: 'local', action: 'initiate', local } });
  await by.signIn();
  await by.activate();
  await setUpKey(by);
  await by.createWallet();
  await by.consent();
  const { depositId } = await by.prepareDeposit();
  learnCommands(by, depositId);
  await by.confirmDeposit(depositId);
  const { withdrawalId } = (await by.requestWithdrawal('2500')).body;
  learnCommands(by, depositId);
  await by.settleWithdrawal(withdrawalId);
  await connect(by);
  expect((await by.call('mintRealtimeTicket')).status).toBe(200);
  return by;
}

function expectNone(text: string): void {
  for (const [name, known] of secrets)
    for (const secret of known) expect(text.includes(secret), `${name} in: ${text}`).toBe(false);
}

/** The lines logged meanwhile, of which none contains a secret. */
async function loggedBy(act: () => Promise<unknown>): Promise<string> {
  lines.length = 0;
  passedMs += 600_000;
  await act();
  const text = lines.join('');
  expectNone(text);
  return text;
}

test('the whole way logs its requests and no secret', () => {
  for (const [name, known] of secrets) expect(known.size, name).toBeGreaterThan(0);
  for (const operation of ['completeRegistration', 'confirmDeposit', 'confirmWithdrawal', 'collectDeviceGrant'])
    expect(lines.join('')).toContain(`"operation":"${operation}"`);
  expectNone(lines.join(''));
});

test('the whole way leaves no secret in a metric or in an address', async () => {
  expectNone(await (await fetch(venue.metricsUrl!)).text());
  expect(urls.length).toBeGreaterThan(30);
  expectNone(urls.join('\n'));
});

describe.each(CLASSES)('%s is not logged', (name) => {
  const valuesOf = () => [...secrets.get(name)!];

  test('in a body that is malformed or refused', async () => {
    for (const secret of valuesOf())
      for (const body of [`{"${name}":${JSON.stringify(secret)}`, { [name]: secret }, { provider: 'stand-in', action: secret }]) {
        const logged = await loggedBy(() => call('loginWithProvider', { body }));
        expect(logged).toMatch(/"status":4[0-9]{2}/);
      }
  });

  // As an error of a library may repeat what it was given.
  test.each<[string, (secret: string) => string]>([
    ['JSON', (secret) => JSON.stringify({ [name]: secret })],
    ['an object as Node prints it', (secret) => inspect({ [name]: secret })],
  ])('in an internal error of a handler that repeats it as %s', async (_, repeated) => {
    const given = valuesOf().map(repeated).join();
    const error = new TypeError(`cannot read ${given}`, { cause: new Error(given) });
    vi.spyOn(Challenges.prototype, 'issue').mockRejectedValueOnce(error);
    const logged = await loggedBy(async () => {
      expect((await call('startPasskeyLogin', { body: {} })).status).toBe(500);
    });
    expect(logged).toContain('cannot read');
  });
});

test('the provider’s failure that repeats its request logs no secret', async () => {
  const initiate = { provider: 'stand-in', action: 'initiate' };
  const { attempt, authorizationUrl } = (await call('registerWithProvider', { body: initiate })).body;
  const callback = standIn.visit(authorizationUrl);
  const { codeVerifier, ...others } = flowSecretsOf(attempt);
  for (const [name, secret] of Object.entries({ ...others, code_verifier: codeVerifier })) learnOne(name, secret);
  standIn.faults = { repeats: ['/token'] };
  const body = { provider: 'stand-in', action: 'complete', attempt, callback };
  const logged = await loggedBy(async () => {
    expect((await call('registerWithProvider', { body })).body.code).toBe('dependency_unavailable');
  });
  expect(logged).toContain('sign-in provider stand-in: it does not respond as OpenID Connect prescribes');
  standIn.faults = {};
});

test('the ledger’s refusal that repeats its command logs no secret', async () => {
  const refused = vi.spyOn(LocalLedger.prototype, 'submit').mockImplementationOnce(async (command) => {
    throw new CommandRefused(`cannot take ${JSON.stringify(command)}`);
  });
  const logged = await loggedBy(async () => {
    // Its session has expired meanwhile.
    const by = await owner.signIn();
    const { withdrawalId } = (await by.requestWithdrawal('100')).body;
    for (const { ledgerKey } of venue.owners.openWithdrawals()) learnOne('ledgerKey', ledgerKey);
    await by.settleWithdrawal(withdrawalId);
    await eventually(() => expect(lines.join('')).toContain('cannot take'));
  });
  expect(logged).toContain('it refuses a command of withdrawal');
  expect(refused).toHaveBeenCalled();
});
