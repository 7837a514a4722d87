/** The explorer as a browser sees it: every file that the page names exists, and its policy allows what it does. */
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openApiDocument } from '#contract/openapi.ts';
import { everyRate } from '#http/testing/stage.ts';
import type { VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { EXPLORER_PATHS } from './explorer-files.ts';

let venue: VenueUnderTest;

beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`http://127.0.0.1:${venue.port}${path}`, { method, headers });
}

const policyOf = ({ headers }: Response): Map<string, string[]> =>
  new Map(
    (headers.get('content-security-policy') ?? '').split('; ').map((rule) => [rule.split(' ')[0]!, rule.split(' ').slice(1)]),
  );

describe('the page at /docs', () => {
  test('names only paths that are served here, and contains nothing that its policy forbids', async () => {
    const response = await get('/docs');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await response.text();
    const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
    expect(named).toEqual(expect.arrayContaining(EXPLORER_PATHS.filter((path) => path !== '/docs')));
    expect(named).toContain('/openapi.json');
    for (const path of named) expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect(html).not.toMatch(/<style|style=|<script>|\son\w+=|https?:/);
  });

  test('may load from and call this venue only', async () => {
    const policy = policyOf(await get('/docs'));
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    for (const what of ['script-src', 'style-src', 'connect-src']) expect(policy.get(what)).toEqual(["'self'"]);
    expect([...policy.values()].flat().sort()).not.toContain("'unsafe-inline'");
  });

  test('loads the contract of this venue, stores no key, and accepts no URL from its own address', async () => {
    const script = await (await get('/docs/explorer.js')).text();
    expect(script).toContain("url: '/openapi.json'");
    expect(script).toContain('persistAuthorization: false');
    expect(script).toContain('queryConfigEnabled: false');
    expect(script).toContain('validatorUrl: null');
    const served = await (await get('/openapi.json')).json();
    expect(served).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });
});

describe.each(['/', '/docs/'])('a visit to %s', (path) => {
  test('is redirected to the page, and accepts no other method', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`http://127.0.0.1:${venue.port}${path}?from=there`, { method, redirect: 'manual' });
      expect([response.status, response.headers.get('location'), await response.text()]).toEqual([302, '/docs', '']);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get(path)).url).toBe(`http://127.0.0.1:${venue.port}/docs`);
    const refused = await get(path, {}, 'POST');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

interface SentRequest {
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The parts of a Swagger UI plugin's argument that the page uses. */
interface ExplorerSystem {
  readonly specSelectors: { specJson(): object; parameterValues(operation: readonly string[]): Map<string, unknown> };
  readonly specActions: { updateJsonSpec(spec: object): void; changeParam(...given: unknown[]): void };
  readonly oas3Selectors: { requestBodyValue(path: string, method: string): unknown };
  readonly oas3Actions: { setRequestBodyValue(given: object): void };
}

interface PageOptions {
  readonly requestInterceptor: (request: SentRequest) => SentRequest;
  readonly plugins: readonly ((system: ExplorerSystem) => {
    readonly statePlugins: {
      readonly auth: {
        readonly wrapActions: Record<'authorize' | 'logout', (original: (given: unknown) => void) => (given: unknown) => unknown>;
      };
    };
  })[];
}

/** The options of the page's script, run with a stand-in for Swagger UI. */
async function pageOptions(): Promise<PageOptions> {
  const script = await (await get('/docs/explorer.js')).text();
  let options: PageOptions | undefined;
  const fetchHere = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${venue.port}${path}`, init);
  const SwaggerUIBundle = (given: PageOptions) => {
    options = given;
  };
  runInNewContext(script, { crypto, Uint32Array, fetch: fetchHere, SwaggerUIBundle });
  return options!;
}

describe('the account of the examples', () => {
  const path = '/v1/accounts/{accountId}';
  const body = '{ "accountId": "your-account-id", "clientOrderId": "your-account-id-1" }';
  let spec: ReturnType<typeof openApiDocument>;
  let parameter: string;
  let written: string;
  let originals: unknown[];
  let actions: Record<'authorize' | 'logout', (given: unknown) => unknown>;

  beforeEach(async () => {
    [spec, parameter, written, originals] = [JSON.parse(JSON.stringify(openApiDocument())), 'your-account-id', body, []];
    const isShown = (operation: readonly string[]) => operation.join(' ') === `${path} get`;
    const { plugins } = await pageOptions();
    const { authorize, logout } = plugins[0]!({
      specSelectors: {
        specJson: () => spec,
        parameterValues: (operation) => new Map(isShown(operation) ? [['path.accountId', parameter]] : []),
      },
      specActions: {
        updateJsonSpec: (next) => {
          spec = next as typeof spec;
        },
        changeParam: (operation, name, place, value) => {
          expect([isShown(operation as string[]), name, place]).toEqual([true, 'accountId', 'path']);
          parameter = value as string;
        },
      },
      oas3Selectors: { requestBodyValue: (of, method) => (of === '/v1/orders' && method === 'post' ? written : undefined) },
      oas3Actions: {
        setRequestBodyValue: (given) => {
          expect(given).toMatchObject({ pathMethod: ['/v1/orders', 'post'] });
          written = (given as { value: string }).value;
        },
      },
    }).statePlugins.auth.wrapActions;
    const original = (given: unknown) => void originals.push(given);
    actions = { authorize: authorize(original), logout: logout(original) };
  });

  const shown = () => {
    const { paths } = spec as unknown as { paths: Record<string, { get: { parameters: { name: string; example: string }[] } }> };
    return [
      paths[path]!.get.parameters.find(({ name }) => name === 'accountId')!.example,
      parameter,
      JSON.parse(written).accountId,
    ];
  };

  test('is that of the authorized key, of the next one, and the placeholder again after the logout', async () => {
    for (const { key, accountId } of [await venue.bot(), await venue.bot()]) {
      const given = { bearer: { value: key } };
      await actions.authorize(given);
      expect(originals).toEqual([given]);
      expect(shown()).toEqual([accountId, accountId, accountId]);
      expect(JSON.parse(written).clientOrderId).toBe('your-account-id-1');
      originals.length = 0;
    }
    actions.logout(['bearer']);
    expect(originals).toEqual([['bearer']]);
    expect(shown()).toEqual(Array(3).fill('your-account-id'));
    expect(spec).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test('stays unchanged if the venue refuses the key, or the user has entered another', async () => {
    await actions.authorize({ bearer: { value: 'opk_wrong' } });
    expect(shown()).toEqual(Array(3).fill('your-account-id'));
    [parameter, written] = ['acct-9', '{ "accountId": "acct-9" }'];
    const { key, accountId } = await venue.bot();
    await actions.authorize({ bearer: { value: key } });
    expect(shown()).toEqual([accountId, 'acct-9', 'acct-9']);
  });
});

describe('a request of the page', () => {
  const interceptor = async () => (await pageOptions()).requestInterceptor;

  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument()));
  const body = JSON.stringify(paths['/v1/orders'].post.requestBody.content['application/json'].example);
  const { example: key } = components.parameters.IdempotencyKey;

  test('has a new idempotency key and new clientOrderIds each time, in place of the prefilled ones', async () => {
    const intercept = await interceptor();
    const sent = Array.from({ length: 3 }, () => intercept({ url: '/v1/orders', headers: { 'Idempotency-Key': key }, body }));
    const keys = sent.map(({ headers }) => headers?.['Idempotency-Key'] ?? '');
    const references = sent.map((request) => JSON.parse(request.body ?? '').clientOrderId);
    expect(new Set([...keys, ...references, key]).size).toBe(7);
    for (const created of [...keys, ...references]) expect(created).toMatch(/^[0-9-]{7,64}$/);
    const batch = JSON.stringify({ orders: [JSON.parse(body), JSON.parse(body)] });
    const { orders } = JSON.parse(intercept({ url: '/v1/orders/batch', body: batch }).body ?? '');
    expect(orders[0].clientOrderId).not.toBe(orders[1].clientOrderId);
  });

  test('is unchanged if the user has entered values, or it has no placeholders', async () => {
    const intercept = await interceptor();
    const own = { url: '/v1/orders', headers: { 'Idempotency-Key': 'mine' }, body: body.replace(/new-client-order-id/, 'mine') };
    expect(intercept(structuredClone(own))).toEqual(own);
    expect(intercept({ url: '/openapi.json' })).toEqual({ url: '/openapi.json' });
  });

  test('has placeholders for the values of the user', () => {
    for (const [path, operations] of Object.entries<Record<string, { parameters: { name: string; example?: string }[] }>>(paths))
      for (const { parameters } of Object.values(operations))
        for (const { name, example } of parameters)
          if (['accountId', 'orderId', 'clientOrderId'].includes(name) && path.includes(`{${name}}`))
            expect(example, path).toMatch(/^your-[a-z-]+-id$/);
    expect(JSON.parse(body)).toMatchObject({ accountId: 'your-account-id', clientOrderId: 'new-client-order-id' });
  });
});

describe.each([...EXPLORER_PATHS, '/openapi.json', '/asyncapi.json', '/v1/agents/strategies'])('%s', (path) => {
  test('is sent once, compressed, and again only if it has changed', async () => {
    const whole = await get(path, { 'accept-encoding': 'identity' });
    const packed = await get(path, { 'accept-encoding': 'gzip, br' });
    expect([whole.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    expect(await packed.text()).toBe(await whole.text());
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const again = await get(path, { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    // As caches write it that change the compression.
    expect((await get(path, { 'if-none-match': `"another", W/${etag}` })).status).toBe(304);
    expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200);
    expect((await get(path, { 'if-none-match': '*' })).status).toBe(304);
    expect([whole, packed, again].map(({ headers }) => headers.get('vary'))).toEqual(Array(3).fill('accept-encoding'));
  });

  test('has the common headers, responds to HEAD, and refuses other methods', async () => {
    const response = await get(path, {}, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('x-request-id')).toMatch(/./);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const refused = await get(path, {}, 'DELETE');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

test.each([
  ['gzip', 'gzip'],
  ['GZIP;Q=0.5, br', 'gzip'],
  ['*', 'gzip'],
  ['*;q=0, gzip', 'gzip'],
  ['gzip;q=1.0, identity;q=0.5', 'gzip'],
  ['gzip;q=0', null],
  ['br, gzip ; q=0.0', null],
  ['gzip;q=0, *', null],
  ['*;q=0', null],
  ['gzip;q=0.5, identity', null],
  ['gzip;q=none', null],
  ['notgzip, gzip-not', null],
  ['', null],
])('a file is compressed as the client accepts it: %s', async (taken, coding) => {
  expect((await get('/openapi.json', { 'accept-encoding': taken })).headers.get('content-encoding')).toBe(coding);
});

test('the explorer has the rate limit of public reads', async () => {
  const besieged = await startVenue(everyRate({ burst: 1, perSecond: 0.001 }));
  const send = () => fetch(`http://127.0.0.1:${besieged.port}/docs`);
  expect([(await send()).status, (await send()).status]).toEqual([200, 429]);
  await besieged.close();
});
