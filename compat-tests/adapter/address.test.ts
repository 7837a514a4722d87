/**
 * The targets of requests and sockets: http to this machine only unless a URL says otherwise, and the sandbox at its own URL
 * only.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import ccxt, { NotSupported } from 'ccxt';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { CATALOGUE } from '#compat/testing/canned.ts';

const REST = 'https://venue.example/perp';
const WS = 'wss://live.venue.example/';

/** The URLs that a call requests, given the realtime server that the venue publishes. */
function listenTo(exchange: OpenPerp, server: object = {}): string[] {
  const requested: string[] = [];
  exchange.fetch = async (url) => {
    requested.push(url);
    return url.endsWith('/asyncapi.json') ? { servers: { venue: server } } : CATALOGUE;
  };
  return requested;
}

async function restOf(config: object): Promise<string> {
  const exchange = new OpenPerp(config);
  const requested = listenTo(exchange);
  await exchange.fetchMarkets();
  return requested[0]!.replace('/v1/markets', '');
}

describe('a hostname', () => {
  test.each([
    ['localhost', 'http://localhost'],
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['LocalHost:8080', 'http://LocalHost:8080'],
    ['127.1.2.3', 'http://127.1.2.3'],
    ['[::1]', 'http://[::1]'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['venue.example', 'https://venue.example'],
    ['venue.example:8080', 'https://venue.example:8080'],
    ['192.168.1.5:8080', 'https://192.168.1.5:8080'],
    ['0.0.0.0:8080', 'https://0.0.0.0:8080'],
    ['[::2]:8080', 'https://[::2]:8080'],
    ['localhost.venue.example', 'https://localhost.venue.example'],
    ['127.venue.example', 'https://127.venue.example'],
    ['127.0.0.1.venue.example', 'https://127.0.0.1.venue.example'],
    ['localhost:80@venue.example', 'https://localhost:80@venue.example'],
  ])('%s is %s', async (hostname, url) => expect(await restOf({ hostname })).toBe(url));

  test.each(['http://localhost:8080', 'venue.example/perp'])('is refused as a hostname: %s', async (hostname) => {
    await expect(restOf({ hostname })).rejects.toThrow('set urls.api.rest');
  });

  test('of a venue without a certificate names the setting to change', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '0.0.0.0');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const exchange = new OpenPerp({ hostname: `0.0.0.0:${(server.address() as AddressInfo).port}` });
    await expect(exchange.fetchTime()).rejects.toThrow(/^openperp GET https:.*SSL.*set urls\.api\.rest to the http url/s);
  });

  test('is not needed for a venue on this machine', async () => expect(await restOf({})).toBe('http://localhost:8080'));

  test.each(['http://venue.example:8080', 'https://localhost:8443', 'http://{hostname}'])(
    'uses the URL %s as it is written',
    async (rest) => {
      const url = rest.replace('{hostname}', 'venue.example');
      expect(await restOf({ hostname: 'venue.example', urls: { api: { rest } } })).toBe(url);
    },
  );
});

test.each(['https://venue.example/perp/', 'https://venue.example/perp//'])('accepts a URL that ends like %s', async (rest) => {
  expect(await restOf({ urls: { api: { rest } } })).toBe('https://venue.example/perp');
});

test.each(['localhost:8080', '', 'venue.example', 'ws://venue.example', '//venue.example'])(
  'refuses the URL %j',
  async (rest) => {
    const call = restOf({ urls: { api: { rest } } });
    await expect(call).rejects.toThrow(ccxt.BadRequest);
    await expect(call).rejects.toThrow('set urls.api.rest');
  },
);

describe('a socket', () => {
  const ws = { protocol: 'ws', host: 'venue.example:8081', pathname: '/' };
  test.each([
    ['https://venue.example', ws, 'wss://venue.example:8081/'],
    ['https://venue.example', { ...ws, protocol: 'wss' }, 'wss://venue.example:8081/'],
    ['http://venue.example', ws, 'ws://venue.example:8081/'],
    ['https://localhost:8443', { ...ws, host: 'localhost:8081' }, 'ws://localhost:8081/'],
  ])('of a venue at %s that publishes %j goes to %s', async (rest, server, url) => {
    const exchange = new OpenPerpPro({ urls: { api: { rest } } });
    listenTo(exchange, server);
    expect(await exchange.loadRealtimeUrl()).toBe(url);
  });

  test('uses a URL of its own as it is written', async () => {
    const exchange = new OpenPerpPro({ hostname: 'venue.example', urls: { api: { ws: 'ws://{hostname}:8081' } } });
    expect(await exchange.loadRealtimeUrl()).toBe('ws://venue.example:8081');
  });
});

describe.each([
  ['OpenPerp', OpenPerp],
  ['OpenPerpPro', OpenPerpPro],
])('the sandbox of %s', (_, Exchange) => {
  const api = { rest: REST, ws: WS };

  test.each(['sandbox', 'testnet'])('is refused by the constructor without a test URL: %s', (key) => {
    for (const config of [{ [key]: true }, { options: { [key]: true } }])
      expect(() => new Exchange({ urls: { api }, ...config })).toThrow(NotSupported);
  });

  test.each([
    ['no test URL', { api }],
    ['no test URL for REST', { api, test: { ws: WS } }],
  ])('throws NotSupported with %s, and the URL stays', (_, urls) => {
    const exchange = new Exchange({ urls });
    expect(() => exchange.setSandboxMode(true)).toThrow(NotSupported);
    expect(exchange.urls.api).toEqual(api);
    expect(exchange.isSandboxModeEnabled).toBe(false);
    exchange.setSandboxMode(false);
    expect(exchange.urls.api).toEqual(api);
  });

  test('uses urls.test.rest when set in the constructor', async () => {
    const exchange = new Exchange({ urls: { test: { rest: 'https://test.venue.example' } }, sandbox: true });
    const requested = listenTo(exchange);
    await exchange.fetchMarkets();
    expect(requested).toEqual(['https://test.venue.example/v1/markets']);
  });

  test('uses urls.test, and opens no socket to the live venue', () => {
    const exchange = new Exchange({ urls: { api, test: { rest: 'https://test.venue.example' } } });
    exchange.setSandboxMode(true);
    expect(exchange.urls.api).toEqual({ rest: 'https://test.venue.example' });
    exchange.setSandboxMode(false);
    expect(exchange.urls.api).toEqual(api);
  });
});
