import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '#contract/environments.ts';
import { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { startStandInProvider } from '#identity/sign-in/testing/stand-in-provider.ts';
import { callOperator } from '#operator/client.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { openSignInProviders, readSignInProviders } from './sign-in-providers.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const folder = mkdtempSync(join(tmpdir(), 'openperp-providers-'));
const path = join(folder, 'providers.json');
const secretPath = join(folder, 'secret');
afterAll(() => rmSync(folder, { recursive: true }));

const example = { provider: 'example', name: 'Example', issuer: 'https://accounts.example', clientId: 'openperp' };

function read(content: unknown, environment: (typeof ENVIRONMENTS)[number] = 'testnet') {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readSignInProviders(path, environment);
}

test('no file has no providers', () => {
  expect(readSignInProviders(undefined, 'mainnet')).toEqual([]);
});

test('a provider is read with its client secret, from a file beside the list', () => {
  writeFileSync(secretPath, 'a client secret\n');
  const { issuer, clientId, name } = example;
  expect(read([{ ...example, clientSecretFile: 'secret' }])).toEqual([
    { id: 'example', name, issuer, clientId, clientSecret: 'a client secret' },
  ]);
  expect(read([example])).toEqual([{ id: 'example', name, issuer, clientId }]);
});

test('http is for providers on this machine, on local and development', () => {
  const onThisMachine = [{ ...example, issuer: 'http://127.0.0.1:9000' }];
  expect(read(onThisMachine, 'local')).toHaveLength(1);
  expect(read(onThisMachine, 'development')).toHaveLength(1);
  expect(() => read(onThisMachine, 'testnet')).toThrow('issuer must be an https address');
  expect(() => read([{ ...example, issuer: 'http://accounts.example' }], 'local')).toThrow('or http on this machine');
});

describe('a usage fault is', () => {
  test.each<[string, unknown, string]>([
    ['text that is not JSON', '[', 'is not JSON'],
    ['no list', example, 'expected a list of providers'],
    ['an entry that is no object', ['example'], 'provider 1: expected an object'],
    ['an unknown field', [{ ...example, secret: 'x' }], 'provider 1: unknown field secret'],
    ['no name', [{ ...example, name: '' }], 'provider 1: name must be a text'],
    ['another form of id', [{ ...example, provider: 'Example' }], 'provider 1: provider must be a letter'],
    ['the built-in id', [{ ...example, provider: 'local' }], 'the name local belongs to the built-in provider'],
    ['an issuer with a query', [{ ...example, issuer: 'https://accounts.example?a=1' }], 'issuer must be an https address'],
    ['one provider twice', [example, example], 'the provider example is listed twice'],
    ['too many', Array.from({ length: 17 }, (_, at) => ({ ...example, provider: `example-${at}` })), 'at most 16 providers'],
    ['a secret that is missing', [{ ...example, clientSecretFile: 'missing' }], 'clientSecretFile cannot be read (ENOENT)'],
  ])('%s', (_, content, message) => {
    expect(() => read(content)).toThrow(
      expect.objectContaining({ name: 'UsageFault', message: expect.stringContaining(message) }),
    );
  });

  test('an empty secret', () => {
    writeFileSync(secretPath, '\n');
    expect(() => read([{ ...example, clientSecretFile: 'secret' }])).toThrow('clientSecretFile is empty');
  });

  test('a missing file', () => {
    expect(() => readSignInProviders(join(folder, 'none.json'), 'local')).toThrow('cannot be read (ENOENT)');
  });
});

test.each(ENVIRONMENTS)('%s has the built-in provider only if it is for development', (environment) => {
  const time = new ManualTime();
  const ports = {
    timers: time,
    steadyClock: time,
    redirectUri: () => 'https://venue.example/app',
    conditions: new ProviderConditions(() => {}),
  };
  const opened = openSignInProviders(read([example], environment), environment, ports);
  const builtIn = environment === 'local' || environment === 'development' ? ['local'] : [];
  expect(opened.map(({ id }) => id)).toEqual([...builtIn, 'example']);
});

test('a venue reports a provider that does not work, to the operator with the cause', async () => {
  const [directory, standIn] = [temporaryDirectory(), await startStandInProvider()];
  const { issuer } = standIn;
  read(
    [
      { ...example, issuer },
      { ...example, provider: 'wrong', issuer: issuer.replace('127.0.0.1', 'localhost') },
    ],
    'development',
  );
  const venue = await startTestVenue(testConfig(directory.path, { signInProviders: path }));
  await eventually(async () =>
    expect(await (await fetch(`${venue.url}/ready`)).json()).toMatchObject({
      status: 'ready',
      degraded: expect.arrayContaining(['sign_in_provider_unavailable: owners cannot sign in with wrong; passkeys work']),
    }),
  );
  const fault = 'its metadata has another issuer than the configuration: correct issuer';
  expect(await callOperator(directory.path, { action: 'venue.status' })).toMatchObject({
    signInFaults: [{ provider: 'wrong', fault }],
  });
  expect(venue.lines.filter((line) => line.includes('provider'))).toEqual([
    `sign-in provider wrong: ${fault}; owners cannot sign in with it`,
  ]);
  const metrics = await (await fetch(venue.metricsUrl!)).text();
  expect(metrics).toContain('openperp_sign_in_provider_up{provider="example"} 1\n');
  expect(metrics).toContain('openperp_sign_in_provider_up{provider="wrong"} 0\n');
  await venue.stop();
  await standIn.close();
  directory.remove();
});
