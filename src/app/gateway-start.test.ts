/** The process that serves /v2 in front of a venue: its options, its output, and its end. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { GATEWAY_HELP, readGatewayConfig } from './gateway-config.ts';

const ENTRY = join(import.meta.dirname, '..', 'openperp.mjs');
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Resolves with its output once it runs, or with all of it once it has ended. */
async function gateway(...options: string[]) {
  const child = spawn(execPath, [ENTRY, 'gateway', ...options]);
  undo.push(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  await new Promise<void>((resolve) => {
    child.stdout.on('data', () => output.includes('Ctrl-C stops it') && resolve());
    child.once('close', () => resolve());
  });
  return { child, output: () => output, url: /(http:\/\/localhost:[0-9]+)\/v2\/markets/.exec(output)?.[1] ?? '' };
}

async function listening(status: number, body = 'hello'): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the options', () => {
  test('are parsed, and have defaults', () => {
    expect(readGatewayConfig(['--upstream', 'https://venue.example/'])).toEqual({
      upstream: 'https://venue.example',
      port: 8090,
      host: 'localhost',
      trustedProxies: [],
    });
    const line =
      '--upstream http://10.0.0.7:8080/perp/ --port 0 --host 0.0.0.0 --metrics-port 9100 --trusted-proxy 10.0.0.0/8,::1';
    expect(readGatewayConfig(line.split(' '))).toEqual({
      upstream: 'http://10.0.0.7:8080/perp',
      port: 0,
      host: '0.0.0.0',
      metricsPort: 9100,
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
    // Parsed as for a venue.
    expect(readGatewayConfig(['--upstream', 'http://v', '--port', '008090'])).toMatchObject({ port: 8090 });
    expect(readGatewayConfig(['--help'])).toBe('help');
    for (const option of ['upstream', 'port', 'metrics-port', 'host', 'trusted-proxy', 'help'])
      expect(GATEWAY_HELP).toContain(`--${option} `);
    for (const row of GATEWAY_HELP.split('\n')) expect(row.length).toBeLessThanOrEqual(130);
  });

  test.each([
    ['', '--upstream is missing: give the URL of the venue; see npm run gateway -- --help'],
    [
      '--upstream venue.example',
      '--upstream: expected the URL of a venue, such as http://localhost:8080, without credentials or query',
    ],
    [
      '--upstream ws://venue.example',
      '--upstream: expected the URL of a venue, such as http://localhost:8080, without credentials or query',
    ],
    [
      '--upstream https://a:b@venue.example',
      '--upstream: expected the URL of a venue, such as http://localhost:8080, without credentials or query',
    ],
    ['--upstream http://v --port 65536', '--port 65536: expected an integer from 0 to 65535'],
    ['--upstream http://v --metrics-port x', '--metrics-port x: expected an integer from 0 to 65535'],
    ['--upstream http://v --port x', '--port x: expected an integer from 0 to 65535'],
    ['--upstream http://v --host=', '--host is empty'],
    ['--upstream http://v --trusted-proxy x', '--trusted-proxy x: expected an address, or a network such as 10.0.0.0/8'],
    ['--upstream http://v --seed 1', "Unknown option '--seed'; see npm run gateway -- --help"],
  ])('refuses "%s" in one line', (line, message) => {
    expect(() => readGatewayConfig(line === '' ? [] : line.split(' '))).toThrow(
      expect.objectContaining({ name: 'UsageFault', message }),
    );
  });
});

describe('the process', () => {
  test('prints its URL and its venue, serves, and ends on a signal', async () => {
    const venue = await startVenue();
    undo.push(() => venue.close());
    const upstream = `http://127.0.0.1:${venue.port}`;
    const { child, output, url } = await gateway('--upstream', upstream, '--port', '0');
    expect(output()).toContain(`venue         ${upstream} (1 markets)`);
    const markets = (await (await fetch(`${url}/v2/markets`)).json()) as { symbol: string }[];
    expect(markets.map(({ symbol }) => symbol)).toEqual(['BTC/USD.E:USD.E']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('starts before its venue', async () => {
    const { output, url } = await gateway('--upstream', 'http://127.0.0.1:9', '--port', '0');
    expect(output()).toContain('it does not respond yet; until it does, requests get 503');
    expect((await fetch(`${url}/v2/markets`)).status).toBe(503);
  });

  test('starts while only the proxy of its venue responds', async () => {
    expect((await gateway('--upstream', await listening(502), '--port', '0')).output()).toContain('it does not respond yet');
  });

  test('refuses an upstream that is not a venue, and a port in use', async () => {
    let port = '';
    for (const body of ['hello', '{}', 'null', '{"markets":[]}', '{"version":"external-market-catalog/v1"}']) {
      const nowhere = await listening(200, body);
      const refused = await gateway('--upstream', nowhere, '--port', '0');
      expect(refused.output()).toBe(`openperp: there is no venue at ${nowhere}: another service answers there\n`);
      ({ port } = new URL(nowhere));
    }
    const taken = await gateway('--upstream', 'http://127.0.0.1:9', '--host', '127.0.0.1', '--port', port);
    expect(taken.output()).toBe(`openperp: port ${port} is taken: stop what uses it, or choose another with --port\n`);
    expect(taken.child.exitCode).toBe(1);
  });

  test('refuses a path within its venue', async () => {
    const venue = await startVenue();
    undo.push(() => venue.close());
    const root = `http://127.0.0.1:${venue.port}`;
    for (const path of ['/v1', '/perp/']) {
      const { child, output } = await gateway('--upstream', `${root}${path}`, '--port', '0');
      const within = `${root}${path}`.replace(/\/$/, '');
      expect(output()).toBe(
        `openperp: --upstream ${within} is a path within a venue: give its base URL, such as ${root}, without /v1\n`,
      );
      expect(child.exitCode).toBe(1);
    }
  });

  test('refuses another gateway, which has no /v1', async () => {
    const { url } = await gateway('--upstream', 'http://127.0.0.1:9', '--port', '0');
    const { child, output } = await gateway('--upstream', url, '--port', '0');
    expect(output()).toBe(`openperp: --upstream ${url} has no /v1: give the base URL of a venue, not of another gateway\n`);
    expect(child.exitCode).toBe(1);
  });

  test.each([
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '0.0.0.0'],
    ['127.0.0.1', '::'],
  ])('refuses itself at %s when it listens on %s', async (name, host) => {
    const { child, output } = await gateway('--upstream', `http://${name}:9`, '--port', '9', '--host', host);
    expect(output()).toBe(
      `openperp: --upstream http://${name}:9 is this gateway's own address: give the URL of a venue, or choose another --port\n`,
    );
    expect(child.exitCode).toBe(1);
  });

  test('says in one line that its host has no address, also when it compares it with the address of the venue', async () => {
    for (const upstreamPort of [9, 10]) {
      const { child, output } = await gateway('--upstream', `http://127.0.0.1:${upstreamPort}`, '--port', '9', '--host', 'a..b');
      expect(output()).toBe('openperp: cannot listen on port 9: getaddrinfo ENOTFOUND a..b\n');
      expect(child.exitCode).toBe(1);
    }
  });

  test('has a help of its own, and appears in the general help', () => {
    const printed = (...args: string[]) => spawnSync(execPath, [ENTRY, ...args], { encoding: 'utf8' }).stdout;
    expect(printed('gateway', '--help')).toBe(`${GATEWAY_HELP}\n`);
    expect(printed('--help')).toContain('npm run gateway -- --help');
  });
});
