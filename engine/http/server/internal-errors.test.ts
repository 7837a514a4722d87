/** An exception at each place of the HTTP service: the response is 500, or the connection closes, and the server continues. */
import { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PlantedException, type PlantedExceptions } from '#app/testing/planted-exceptions.ts';
import { Refused } from '#contract/refused.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { bearer, expectRefusal, placement, request, useServer, validBody } from '#http/testing/unreached-venue.ts';
import { IdempotencyConflict } from '#writer/port/submit.ts';

const { planted } = await vi.hoisted(async () => {
  const { PlantedExceptions } = await import('#app/testing/planted-exceptions.ts');
  return { planted: new PlantedExceptions() as PlantedExceptions };
});
vi.mock('#contract/exact-json.ts', async (load) => planted.in(await load()));
vi.mock('#contract/request-limits.ts', async (load) => {
  const limits = await load<typeof import('#contract/request-limits.ts')>();
  return {
    ...limits,
    get MAX_BYTES_READ_PAST() {
      planted.meet('MAX_BYTES_READ_PAST');
      return limits.MAX_BYTES_READ_PAST;
    },
  };
});
vi.mock('#contract/parse.ts', async (load) => planted.in(await load()));
vi.mock('#http/access/access.ts', async (load) => planted.in(await load()));
vi.mock('./address.ts', async (load) => planted.in(await load()));
vi.mock('#http/handlers/idempotency.ts', async (load) => planted.in(await load()));
vi.mock('./refusal-body.ts', async (load) => planted.in(await load()));
vi.mock('./remote-network.ts', async (load) => planted.in(await load()));
vi.mock('./request-id.ts', async (load) => planted.in(await load()));

/** Calls to let pass: a connection and its chunks are counted by network before its request is. */
const COUNTED_BEFORE: Readonly<Record<string, number>> = { remoteNetwork: 2 };

const server = useServer();
const order = placement(validBody);
const health = request('GET /health');
const malformed = 'NONSENSE\r\n\r\n';
const tunnel = 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n';
const expecting = request('GET /health', ['Expect: 200-maybe']);

afterEach(() => {
  planted.clear();
  server.internalErrors.length = 0;
});

async function expectAlive(): Promise<void> {
  const responses = await sendRaw(server.port, health);
  expect(responses.map(({ status }) => status)).toEqual([200]);
}

function expectReported(): void {
  expect(server.internalErrors.length).toBeGreaterThan(0);
  for (const error of server.internalErrors) expect(error).toBeInstanceOf(PlantedException);
}

describe('an exception', () => {
  test.each([
    ['in authentication', 'bearerOf', order],
    ['in admission, of an operation without a key', 'remoteNetwork', request('GET /v1/markets')],
    ['in the parser of bodies', 'parseExactJson', order],
    ['in the validation of a path', 'parsePath', request('GET /v1/orders/7', [bearer])],
    ['in the validation of a query', 'parseQuery', request('GET /v1/markets?limit=5')],
    ['in the validation of a body', 'parseBody', order],
    ['in a handler', 'idempotencyOf', order],
    ['in the hook for unknown paths', 'pathOf', request('GET /nowhere')],
    ['in the admission of an unknown path', 'remoteNetwork', request('GET /nowhere')],
    ['in the admission of a file', 'remoteNetwork', request('GET /docs')],
    ['in the rendering of a refusal', 'refusalBody', placement('{}')],
    ['in the rendering of a refusal before any route', 'refusalBody', request('GET /%zz')],
  ])('%s returns 500 without details', async (_, name, bytes) => {
    server.submit = () => Promise.reject(new IdempotencyConflict('x'));
    await expectAlive();
    planted.plant(name, 1, COUNTED_BEFORE[name]);
    const responses = await sendRaw(server.port, bytes);
    expect(responses).toHaveLength(1);
    expectRefusal(responses[0]!, 'internal_error');
    expect(responses[0]!.body).not.toMatch(/secret|planted/);
    expectReported();
    await expectAlive();
  });

  test.each([
    [
      'in the hook that decides whether a connection stays open',
      'MAX_BYTES_READ_PAST',
      9,
      request('POST /nowhere', ['Content-Length: 9']),
    ],
    ['in reading the request id', 'requestIdOf', 1, health],
    ['in the rendering of every refusal', 'refusalBody', 9, placement('{}')],
    ['in the refusal of malformed HTTP', 'requestIdOf', 1, malformed],
    ['in the refusal of a tunnel', 'requestIdOf', 1, tunnel],
    ['in the refusal of an expectation', 'requestIdOf', 1, expecting],
    ['in the refusal of a malformed URL', 'refusalBody', 9, request('GET /%zz')],
    ['while a connection is counted', 'remoteNetwork', 1, health],
  ])('%s closes the connection', async (_, name, times, bytes) => {
    planted.plant(name, times);
    expect(await sendRaw(server.port, bytes)).toEqual([]);
    expectReported();
    planted.clear();
    await expectAlive();
  });
});

test('an exception in registering a request closes its connection', async () => {
  const { once } = ServerResponse.prototype;
  let throws = 1;
  vi.spyOn(ServerResponse.prototype, 'once').mockImplementation(function (
    this: ServerResponse,
    ...given: Parameters<typeof once>
  ) {
    if (new Error('where').stack?.includes('raw-refusals') && throws-- > 0) throw new PlantedException('once');
    return once.apply(this, given);
  } as typeof once);
  expect(await sendRaw(server.port, health)).toEqual([]);
  vi.restoreAllMocks();
  expectReported();
  await expectAlive();
});

test('a body that cannot be rendered as JSON returns 500', async () => {
  server.status = () => ({
    isReady: true,
    get reasons(): string[] {
      throw new PlantedException('planted');
    },
  });
  const responses = await sendRaw(server.port, request('GET /ready'));
  expectRefusal(responses[0]!, 'internal_error');
  expectReported();
});

test('a header that cannot be written closes the connection', async () => {
  const headers = { 'retry-after': 'a\nb' };
  server.submit = () => Promise.reject(new Refused('venue_busy', undefined, { headers }));
  expect(await sendRaw(server.port, order)).toEqual([]);
  expect(server.internalErrors).toEqual([expect.objectContaining({ code: 'ERR_INVALID_CHAR' })]);
  await expectAlive();
});

test.each([
  ['a handler', health, [200]],
  ['a refusal', request('GET /nowhere'), [404]],
  ['the refusal of a malformed URL', request('GET /%zz'), [400]],
  ['the refusal of malformed HTTP', malformed, [400]],
])('an exception in the observer of %s neither changes nor withholds the response', async (_, bytes, statuses) => {
  server.observed = () => {
    throw new PlantedException('planted');
  };
  const responses = await sendRaw(server.port, bytes);
  server.observed = () => {};
  expect(responses.map(({ status }) => status)).toEqual(statuses);
  expectReported();
  await expectAlive();
});
