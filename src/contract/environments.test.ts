import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import {
  byEnvironment,
  DEFAULT_ENVIRONMENT,
  ENVIRONMENTS,
  type Environment,
  type EnvironmentScope,
  existsIn,
  PARTIAL_FEATURES,
} from './environments.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS, operationsIn } from './operations.ts';
import type { Channel } from './realtime-channel.ts';
import { CHANNELS, channelsIn } from './realtime-channels.ts';

describe('a declaration', () => {
  test('without environments exists in all of them', () => {
    expect(ENVIRONMENTS.filter((environment) => existsIn(environment, {}))).toEqual([...ENVIRONMENTS]);
  });

  test.each(Object.entries(PARTIAL_FEATURES))('of %s exists in exactly its environments', (_, { environments }) => {
    const found = ENVIRONMENTS.filter((environment) => existsIn(environment, { environments }));
    expect([...found].sort()).toEqual([...environments].sort());
    expect(found.length).toBeLessThan(ENVIRONMENTS.length);
  });

  test('with an empty list exists nowhere', () => {
    expect(ENVIRONMENTS.filter((environment) => existsIn(environment, { environments: [] }))).toEqual([]);
  });
});

test('declarations are listed by environment, in their order', () => {
  const planted: readonly (EnvironmentScope & { readonly id: string })[] = [
    { id: 'everywhere' },
    { id: 'faucet', environments: PARTIAL_FEATURES.faucet.environments },
    { id: 'log', environments: PARTIAL_FEATURES.agentActionLog.environments },
    { id: 'last' },
  ];
  const lists = Object.entries(byEnvironment(planted)).map(([name, list]) => [name, list.map(({ id }) => id)]);
  expect(Object.fromEntries(lists)).toEqual({
    local: ['everywhere', 'faucet', 'last'],
    development: ['everywhere', 'faucet', 'log', 'last'],
    testnet: ['everywhere', 'log', 'last'],
    mainnet: ['everywhere', 'last'],
  } satisfies Record<Environment, string[]>);
});

describe.each(ENVIRONMENTS)('the documents of %s', (environment) => {
  test('list exactly its operations and channels', () => {
    const { paths, 'x-openperp-environment': named } = openApiDocument(undefined, environment);
    const operations = Object.values(paths).flatMap((path) => Object.values(path) as { operationId: string }[]);
    expect(named).toBe(environment);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(idsOf(operationsIn(environment)));
    const { channels, 'x-openperp-environment': realtime } = asyncApiDocument(undefined, environment);
    expect(realtime).toBe(environment);
    expect(Object.keys(channels as object).sort()).toEqual(
      ['session', ...channelsIn(environment).map(({ name }) => name)].sort(),
    );
  });

  test('refer from a channel with a source only to reads that exist', () => {
    const reads = new Set<string>(operationsIn(environment).map(({ method, path }) => `${method} ${path}`));
    for (const { name, snapshotSource, historySource } of channelsIn(environment).filter(({ data }) => data !== undefined))
      for (const source of [snapshotSource, historySource])
        if (source !== undefined && source !== 'none') expect(reads, name).toContain(source);
  });
});

test('a declaration for some environments refers to a feature, so that docs/environments.md lists it', () => {
  const features = new Set<EnvironmentScope['environments']>(
    Object.values(PARTIAL_FEATURES).map(({ environments }) => environments),
  );
  const declared: readonly EnvironmentScope[] = [...Object.values<Operation>(OPERATIONS), ...Object.values<Channel>(CHANNELS)];
  expect(declared.filter(({ environments }) => environments !== undefined && !features.has(environments))).toEqual([]);
});

test('development has every declaration, because the tests of the contract run there', () => {
  expect(operationsIn(DEFAULT_ENVIRONMENT)).toEqual(Object.values(OPERATIONS));
  expect(channelsIn(DEFAULT_ENVIRONMENT)).toEqual(Object.values(CHANNELS));
});

function idsOf(operations: readonly Operation[]): string[] {
  return operations.map(({ id }) => id).sort();
}
