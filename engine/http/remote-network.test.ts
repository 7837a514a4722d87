import { expect, test } from 'vitest';
import { remoteNetwork, siteOf } from './remote-network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::5:6', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s stands for %s', (address, network) => {
  expect(remoteNetwork(address)).toBe(network);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2', '2001:db8:1'],
  ['0:0:0:0', '0:0:0'],
])('%s is of the site %s', (network, site) => {
  expect(siteOf(network)).toBe(site);
});
