import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isNetwork, TrustedProxies } from './trusted-proxies.ts';

function clientOf(trusted: readonly string[], remoteAddress: string | undefined, forwardedFor?: string): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return new TrustedProxies(trusted).clientOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('a request', () => {
  test.each([
    ['from an address without trusted proxies', [], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['from an address that is not trusted', ['192.0.2.2'], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['through a proxy without a header', ['192.0.2.1'], '192.0.2.1', undefined, '192.0.2.1'],
    ['through a proxy', ['192.0.2.1'], '192.0.2.1', '203.0.113.9', '203.0.113.9'],
    ['with a forged list', ['192.0.2.1'], '192.0.2.1', '198.51.100.1, 10.0.0.1,203.0.113.9', '203.0.113.9'],
    ['through two proxies', ['192.0.2.1', '10.0.0.0/8'], '192.0.2.1', '198.51.100.1, 203.0.113.9, 10.4.5.6', '203.0.113.9'],
    ['of a proxy', ['192.0.2.0/24'], '192.0.2.1', '192.0.2.7', '192.0.2.7'],
    ['through a proxy that adds ports', ['192.0.2.1'], '192.0.2.1', '203.0.113.9:4711', '203.0.113.9'],
    ['of an IPv6 address with a port', ['192.0.2.1'], '192.0.2.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['of an IPv6 address', ['2001:db8::/32'], '2001:db8::1', '2a00::7', '2a00::7'],
    ['through an IPv4 proxy on a dual-stack socket', ['127.0.0.1'], '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['of a client that the proxy hides', ['192.0.2.1'], '192.0.2.1', '198.51.100.1, unknown', '192.0.2.1'],
    ['with an empty list', ['192.0.2.1'], '192.0.2.1', ',,', '192.0.2.1'],
    ['on a closed connection', ['192.0.2.1'], undefined, '203.0.113.9', ''],
  ])('%s', (_, trusted, remoteAddress, forwardedFor, client) => {
    expect(clientOf(trusted, remoteAddress, forwardedFor)).toBe(client);
  });
});

test.each([
  ['192.0.2.1', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['::1/129', false],
  ['10.0.0.0/', false],
  ['10.0.0', false],
  ['fe80::1%eth0', false],
  ['proxy.example', false],
  ['', false],
])('%s is a network: %s', (text, is) => {
  expect(isNetwork(text)).toBe(is);
  if (!is) expect(() => new TrustedProxies([text])).toThrow(RangeError);
});
