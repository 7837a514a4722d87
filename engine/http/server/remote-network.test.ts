import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { siteOf } from '#units/network-site.ts';
import { remoteNetwork } from './remote-network.ts';
import { TrustedProxies } from './trusted-proxies.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:0207', '192.0.2.7'],
  ['::ffff:C000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['0000:0000:0000:0000:0000:FFFF:C000:0207', '192.0.2.7'],
  ['0::FFFF:192.0.2.7', '192.0.2.7'],
  ['::0:ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
  ['::ffff:0:0', '0.0.0.0'],
  ['::192.0.2.7', '0:0:0:0'],
  ['::ffff:0:192.0.2.7', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['::1', '0:0:0:0'],
  ['0:0:0:0:0:0:0:1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002:0003:0004:0005:0006', '2001:db8:1:2'],
  ['2001:db8:1:2:3:4:192.0.2.7', '2001:db8:1:2'],
  ['2001:db8::5:6', '2001:db8:0:0'],
  ['2001:DB8::', '2001:db8:0:0'],
  ['2001::2:3:4:5:192.0.2.7', '2001:0:2:3'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['FE80::1%ETH1', 'fe80:0:0:0'],
  ['', ''],
])('maps %s to the network %s', (address, network) => {
  expect([isIP(address) !== 0 || address === '', remoteNetwork(address)]).toEqual([true, network]);
});

test.each([
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['[0:0:0:0:0:ffff:cb00:7109]:4711', '203.0.113.9'],
  ['2001:0DB8:0:0::7', '2001:db8:0:0'],
  // An invalid address names no client: the request is the proxy's.
  ['::ffff:203.0.113.09', '192.0.2.1'],
  ['::ffff:203.0.113', '192.0.2.1'],
  ['1:2:3:4:5:6:7:8:9', '192.0.2.1'],
  ['0x7f000001', '192.0.2.1'],
  ['203.0.113.009', '192.0.2.1'],
])('maps a forwarded address %s of a trusted proxy to the network %s', (written, network) => {
  const request = { socket: { remoteAddress: '192.0.2.1' }, headers: { 'x-forwarded-for': written } };
  const client = new TrustedProxies(['192.0.2.1']).clientOf(request as unknown as IncomingMessage);
  expect(remoteNetwork(client)).toBe(network);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2', '2001:db8:1'],
  ['0:0:0:0', '0:0:0'],
])('maps the network %s to the site %s', (network, site) => {
  expect(siteOf(network)).toBe(site);
});
