import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isNetwork, TrustedProxies } from './trusted-proxies.ts';

function clientOf(trusted: readonly string[], remoteAddress: string | undefined, forwardedFor?: string): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return new TrustedProxies(trusted).clientOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('a request', () => {
  test.each([
    ['of nobody who is trusted', [], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['of somebody else than who is trusted', ['192.0.2.2'], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['through a proxy that says nothing', ['192.0.2.1'], '192.0.2.1', undefined, '192.0.2.1'],
    ['through a proxy', ['192.0.2.1'], '192.0.2.1', '203.0.113.9', '203.0.113.9'],
    ['whose sender forged a list', ['192.0.2.1'], '192.0.2.1', '198.51.100.1, 10.0.0.1,203.0.113.9', '203.0.113.9'],
    ['through two proxies', ['192.0.2.1', '10.0.0.0/8'], '192.0.2.1', '198.51.100.1, 203.0.113.9, 10.4.5.6', '203.0.113.9'],
    ['of a proxy', ['192.0.2.0/24'], '192.0.2.1', '192.0.2.7', '192.0.2.7'],
    ['through a proxy that tells ports', ['192.0.2.1'], '192.0.2.1', '203.0.113.9:4711', '203.0.113.9'],
    ['of an IPv6 address with a port', ['192.0.2.1'], '192.0.2.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['of an IPv6 address', ['2001:db8::/32'], '2001:db8::1', '2a00::7', '2a00::7'],
    ['through an IPv4 proxy on a socket of both', ['127.0.0.1'], '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['of one whom the proxy hides', ['192.0.2.1'], '192.0.2.1', '198.51.100.1, unknown', '192.0.2.1'],
    ['with what is no list', ['192.0.2.1'], '192.0.2.1', ',,', '192.0.2.1'],
    ['on a line that is gone', ['192.0.2.1'], undefined, '203.0.113.9', ''],
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
