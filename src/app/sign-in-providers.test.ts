import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '#contract/environments.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { openSignInProviders, readSignInProviders } from './sign-in-providers.ts';

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
  const ports = { timers: time, steadyClock: time, redirectUri: () => 'https://venue.example/app' };
  const opened = openSignInProviders(read([example], environment), environment, ports);
  const builtIn = environment === 'local' || environment === 'development' ? ['local'] : [];
  expect(opened.map(({ id }) => id)).toEqual([...builtIn, 'example']);
});
