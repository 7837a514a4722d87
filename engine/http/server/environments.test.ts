/**
 * Every operation in every environment, over the real server and its documents: it is present exactly where it is declared. Some
 * operations are declared for fewer environments here than in the product, so that absence is seen too.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ENVIRONMENTS, type Environment, type EnvironmentScope, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { UNIFIED_OPERATION_IDS } from '#contract/unified.ts';
import { CALLED } from '#gateway/port.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

vi.mock('#contract/leaderboard.ts', async (load) => {
  const real = await load<typeof import('#contract/leaderboard.ts')>();
  const listing = { ...real.leaderboardOperations.getLeaderboard, environments: PARTIAL_FEATURES.faucet.environments };
  return { ...real, leaderboardOperations: { ...real.leaderboardOperations, getLeaderboard: listing } };
});

vi.mock('#contract/favorites.ts', async (load) => {
  const real = await load<typeof import('#contract/favorites.ts')>();
  const adding = { ...real.favoriteOperations.addFavorite, environments: PARTIAL_FEATURES.agentActionLog.environments };
  return { ...real, favoriteOperations: { ...real.favoriteOperations, addFavorite: adding } };
});

const operations: readonly Operation[] = Object.values(OPERATIONS);
const { addFavorite }: Readonly<Record<string, Operation>> = OPERATIONS;

const OF_FAUCET = ['getLeaderboard', 'claimFaucetGrant'];
const OF_AGENTS = [
  'mintAgentTicket',
  'openAgentAccount',
  'listAgentAccounts',
  'createAgentFunding',
  'listAgentFundings',
  'draftAgentScript',
  'listAgentDrafts',
  'getAgentDraft',
  'confirmAgentReview',
  'removeAgentDraft',
  'createAgentDeployment',
  'listAgentDeployments',
  'getAgentDeployment',
  'stopAgentDeployment',
  'listAgentActions',
];
/** Of paths of which no operation exists. */
const ABSENT_PATHS: Readonly<Record<Environment, readonly string[]>> = {
  local: OF_AGENTS,
  development: [],
  testnet: OF_FAUCET,
  mainnet: [...OF_FAUCET, ...OF_AGENTS],
};

describe.each(ENVIRONMENTS)('in %s', (environment) => {
  let venue: VenueUnderTest;
  let documented: Document;

  beforeAll(async () => {
    venue = await startVenue({ ...UNLIMITED, environment });
    await venue.operate({ type: 'SetCapability', capability: 'affiliate', isOn: true }, 'CapabilitySet');
    documented = (await (await send('GET', '/openapi.json')).json()) as Document;
  });
  afterAll(() => venue.close());

  test.each(operations)('$id is present exactly if it is declared', async (operation) => {
    const { id, method, path } = operation;
    const response = await send(method, addressOf(operation));
    const { code } = response.headers.get('content-type')?.includes('json') ? await codeOf(response) : {};
    const isRouted = code !== 'path_not_found' && code !== 'method_not_allowed';
    const isDocumented = documented.paths[path]?.[method.toLowerCase()] !== undefined;
    const isDeclared = isDeclaredIn(environment, operation);
    expect({ id, isRouted, isDocumented }).toEqual({ id, isRouted: isDeclared, isDocumented: isDeclared });
  });

  test('an absent path gets the response of an unknown path', async () => {
    const absent = operations.filter(({ path }) => operations.every((it) => it.path !== path || !isDeclaredIn(environment, it)));
    expect(absent.map(({ id }) => id)).toEqual(ABSENT_PATHS[environment]);
    for (const operation of absent)
      for (const method of [operation.method, 'HEAD', 'OPTIONS', 'PATCH'])
        expect(await shownBy(method, addressOf(operation))).toEqual(await shownBy(method, '/v1/nothing'));
  });

  test('an absent method of a present path is not in its Allow header', async () => {
    const path = addressOf(addFavorite!);
    const { headers } = await send('OPTIONS', path);
    const allowed = isDeclaredIn(environment, addFavorite!) ? 'PUT, DELETE, OPTIONS' : 'DELETE, OPTIONS';
    expect([headers.get('allow'), headers.get('access-control-allow-methods')]).toEqual([allowed, allowed]);
  });

  test('the document names the environment, and says that a group without operations has none', () => {
    expect(documented['x-openperp-environment']).toBe(environment);
    const { description = '' } = documented.tags.find(({ name }) => name === 'Leaderboard')!;
    const hasOperations = operations.some((it) => it.group === 'Leaderboard' && isDeclaredIn(environment, it));
    expect(description.includes('does not support its operations')).toBe(!hasOperations);
  });

  test('the realtime document and the explorer name it or link to it', async () => {
    const realtime = (await (await send('GET', '/asyncapi.json')).json()) as Document;
    expect(realtime['x-openperp-environment']).toBe(environment);
    const page = await (await send('GET', '/docs')).text();
    expect([...page.matchAll(/href="(\/[a-z]+\.json)"/g)].map(([, path]) => path).sort()).toEqual([
      '/asyncapi.json',
      '/openapi.json',
    ]);
  });

  function send(method: string, path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${venue.port}${path}`, { method });
  }

  /** Without what differs between any two responses. */
  async function shownBy(method: string, path: string) {
    const response = await send(method, path);
    const text = await response.text();
    const { requestId: _, occurredAtEpochMs: __, ...envelope } = text === '' ? {} : JSON.parse(text);
    return { status: response.status, allow: response.headers.get('allow'), envelope };
  }
});

test('the gateway translates to operations that every environment has', () => {
  const unified = UNIFIED_OPERATION_IDS.map((id): Operation => OPERATIONS[id]);
  const limited = [...unified, ...Object.values<Operation>(CALLED)].filter(({ environments }) => environments !== undefined);
  expect(limited.map(({ id }) => id)).toEqual([]);
});

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly 'x-openperp-environment': Environment;
}

function isDeclaredIn(environment: Environment, { environments }: EnvironmentScope): boolean {
  return environments?.includes(environment) ?? true;
}

function addressOf({ path }: Pick<Operation, 'path'>): string {
  return path.replace(/\{\w+\}/g, 'x');
}

async function codeOf(response: Response): Promise<{ readonly code?: string }> {
  const text = await response.text();
  return text === '' ? {} : JSON.parse(text);
}
