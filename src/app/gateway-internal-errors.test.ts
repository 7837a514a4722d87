/**
 * An exception in each edge of a standalone gateway: it responds 500 or closes the connection, counts and logs the error, and
 * goes on.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { GATEWAY_OPERATIONS, gatewayDocument } from '#contract/gateway-document.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { MetricRegistry } from '#observability/metric-registry.ts';
import { type RunningGateway, startGateway } from './gateway-start.ts';
import { PlantedException, type PlantedExceptions } from './testing/planted-exceptions.ts';

const { planted } = await vi.hoisted(async () => {
  const { PlantedExceptions } = await import('./testing/planted-exceptions.ts');
  return { planted: new PlantedExceptions() as PlantedExceptions };
});
vi.mock('#gateway/market-structures.ts', async (load) => planted.in(await load()));
vi.mock('#gateway/declared-refusals.ts', async (load) => planted.in(await load()));
vi.mock('#http/access/access.ts', async (load) => planted.in(await load()));
vi.mock('#http/server/refusal-body.ts', async (load) => planted.in(await load()));
vi.mock('#http/server/remote-network.ts', async (load) => planted.in(await load()));

let venue: VenueUnderTest;
let gateway: RunningGateway;
let key: string;
let before: ReadonlyMap<string, number>;
const logged: unknown[] = [];

beforeAll(async () => {
  venue = await startVenue();
  key = (await venue.bot()).key;
  const config = { upstream: `http://127.0.0.1:${venue.port}`, host: 'localhost', port: 0, trustedProxies: [], metricsPort: 0 };
  gateway = await startGateway(config, (error) => logged.push(error));
});
afterAll(async () => {
  await gateway.stop();
  await venue.close();
});
beforeEach(async () => {
  logged.length = 0;
  before = await counts();
});
afterEach(async () => {
  planted.clear();
  vi.restoreAllMocks();
  expect((await get('/v2/markets')).status).toBe(200);
});

async function get(path: string) {
  const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: await response.json() };
}

async function counts(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(gateway.metricsUrl!)).text();
  const found = text.matchAll(/^openperp_internal_errors_total\{edge="(\w+)"\} ([0-9]+)$/gm);
  return new Map([...found].map(([, edge, count]) => [edge!, Number(count)]));
}

async function expectCounted(edge: string): Promise<void> {
  const now = await counts();
  expect(now.size).toBeGreaterThan(0);
  for (const [name, count] of now) expect([name, count - before.get(name)!]).toEqual([name, name === edge ? logged.length : 0]);
  expect(logged).not.toEqual([]);
  for (const error of logged) expect(error).toBeInstanceOf(PlantedException);
}

describe('an exception', () => {
  test.each([
    ['in the translation of a response', 'unifiedMarket', '/v2/markets'],
    ['in the admission of a request', 'demandBearer', '/v2/markets'],
    ['in the forwarding of response headers', 'declaredHeaders', '/v2/markets'],
    ['in the translation of a refusal', 'declaredRefusal', '/v2/markets/nothing/stats'],
    ['in the rendering of a refusal', 'refusalBody', '/v2/markets/nothing/stats'],
  ])('%s gets status 500 without details', async (_, name, path) => {
    planted.plant(name);
    const { status, body } = await get(path);
    expect({ status, body }).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(JSON.stringify(body)).not.toMatch(/planted|secret/);
    await expectCounted('http');
  });

  test('in the counting of a connection closes it', async () => {
    planted.plant('remoteNetwork');
    const bytes = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(Number(new URL(gateway.url).port), bytes)).toEqual([]);
    await expectCounted('http');
  });

  test('in a scrape gets status 500', async () => {
    vi.spyOn(MetricRegistry.prototype, 'scrape').mockRejectedValueOnce(new PlantedException('planted'));
    expect((await fetch(gateway.metricsUrl!)).status).toBe(500);
    await expectCounted('metrics');
  });
});

describe('the document at /openapi.json', () => {
  test('has the operations of the gateway, without the limits of a venue', async () => {
    const response = await fetch(`${gateway.url}/openapi.json`);
    const document = (await response.json()) as ReturnType<typeof gatewayDocument>;
    expect([response.status, document]).toEqual([200, JSON.parse(JSON.stringify(gatewayDocument()))]);
    expect(Object.keys(document.paths)).toEqual([...new Set(GATEWAY_OPERATIONS.map(({ path }) => path))]);
    expect(document['x-openperp-limits']).toMatchObject({ requestTimeoutMs: 15_000 });
    expect(document['x-openperp-limits']).not.toHaveProperty('rates');
    expect(document.tags.map(({ name }) => name)).toEqual(['System', 'Unified-library v2']);
    const etag = response.headers.get('etag')!;
    expect((await fetch(`${gateway.url}/openapi.json`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('declares both bodies of a 503 of /ready', () => {
    expect(gatewayDocument().paths['/ready']).toMatchObject({
      get: {
        responses: {
          503: {
            content: {
              'application/json': {
                schema: {
                  anyOf: [
                    { $ref: '#/components/schemas/Readiness' },
                    {
                      allOf: [
                        { $ref: '#/components/schemas/Error' },
                        { properties: { code: { enum: ['upstream_unavailable'] } } },
                      ],
                    },
                  ],
                },
              },
            },
          },
        },
      },
    });
  });

  test('is served while the venue is unavailable, and a 404 names it', async () => {
    expect(await get('/v1/markets')).toMatchObject({
      status: 404,
      body: { safeMessage: expect.stringContaining('GET /openapi.json') },
    });
    const alone = await startGateway(
      { upstream: 'http://127.0.0.1:9', host: 'localhost', port: 0, trustedProxies: [] },
      (error) => logged.push(error),
    );
    expect((await fetch(`${alone.url}/openapi.json`)).status).toBe(200);
    await alone.stop();
    expect([alone.metricsUrl, logged]).toEqual([undefined, []]);
  });
});
