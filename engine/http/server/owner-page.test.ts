/** The owner's page as a browser gets it. Its behaviour is tested in owner-page. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyRate } from '#http/testing/stage.ts';
import type { VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { bindOwnerPage, OWNER_PAGE_PATHS } from './owner-page.ts';

let venue: VenueUnderTest;

beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

const get = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${venue.port}${path}`, { redirect: 'manual', ...init });

const policyOf = ({ headers }: Response): ReadonlyMap<string, string> =>
  new Map(
    (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
      const [name = '', ...values] = rule.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('the page at /app', () => {
  test('names only files that are served here', async () => {
    const response = await get('/app');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const named = [...(await response.text()).matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
    expect([...named, '/app', '/app/'].sort()).toEqual([...OWNER_PAGE_PATHS].sort());
    for (const path of named) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test('may run its own script only, with Trusted Types, and call this venue and its realtime service only', async () => {
    const policy = policyOf(await get('/app'));
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect(policy.get(name), name).toBe("'none'");
    for (const name of ['script-src', 'style-src', 'img-src']) expect(policy.get(name), name).toBe("'self'");
    expect(policy.get('connect-src')).toBe("'self' ws://localhost:8081");
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
    expect(policy.get('trusted-types')).toBe('lit-html');
  });

  test('has the common headers, and accepts no other method', async () => {
    const response = await get('/app', { method: 'HEAD' });
    expect([response.status, response.headers.get('x-content-type-options'), response.headers.get('x-frame-options')]).toEqual([
      200,
      'nosniff',
      'DENY',
    ]);
    const refused = await get('/app', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('has one address', async () => {
    const response = await get('/app/');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/app']);
  });

  test('has the rate limit of public reads', async () => {
    const besieged = await startVenue(everyRate({ burst: 1, perSecond: 0.001 }));
    const send = () => fetch(`http://127.0.0.1:${besieged.port}/app`);
    expect([(await send()).status, (await send()).status]).toEqual([200, 429]);
    await besieged.close();
  });
});

test('may not call a realtime service whose address is not published', async () => {
  const server = fastify();
  bindOwnerPage(
    server,
    'ws://0.0.0.0:8081',
    () => undefined,
    () => () => {},
  );
  const { headers } = await server.inject('/app');
  expect(headers['content-security-policy']).toContain("connect-src 'self'; base-uri");
  await server.close();
});

describe('without a complete build', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'openperp-page-'));
    writeFileSync(join(folder, 'page.html'), '<!doctype html>');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(['', 'missing'])('says what to run: folder %j', async (name) => {
    const server = fastify();
    bindOwnerPage(
      server,
      'ws://localhost:8081',
      () => undefined,
      () => () => {},
      pathToFileURL(`${join(folder, name)}/`),
    );
    for (const path of ['/app', '/app/page.js']) {
      const response = await server.inject(path);
      expect([response.statusCode, response.body]).toEqual([503, expect.stringContaining('node owner-page/build.mjs')]);
    }
    await server.close();
  });
});
