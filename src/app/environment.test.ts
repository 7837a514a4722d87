import { afterEach, expect, test } from 'vitest';
import { parseRendered } from '#reads/resource-reads.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const { path: dataDirectory, remove } = temporaryDirectory();
afterEach(remove);

test.each([
  ['local', '1000000'],
  ['development', '1000000'],
  ['testnet', '0'],
  ['mainnet', '0'],
] as const)('a new venue in %s has an insurance fund of %s', async (environment, insurance) => {
  const venue = await startTestVenue(testConfig(dataDirectory, { environment }));
  expect(parseRendered(await venue.reads.ledgers())).toMatchObject({ insurance });
  await venue.stop();
});

test('binds a new journal to its environment, and refuses to start it in another one', async () => {
  const config = testConfig(dataDirectory, { environment: 'testnet' });
  const venue = await startTestVenue(config);
  const switches = venue.directory.switches();
  expect(switches).toMatchObject({ environment: 'testnet', isBound: true, status: 'open', capabilities: { trading: false } });
  expect((await fetch(`${venue.url}/ready`)).status).toBe(200);
  await venue.stop();
  for (const other of ['development', 'mainnet'] as const)
    await expect(startTestVenue({ ...config, environment: other })).rejects.toThrow(
      `the data directory belongs to the environment testnet, not ${other}: start it with --environment testnet, or give another --data-dir`,
    );
  const again = await startTestVenue(config);
  expect(again.directory.switches()).toEqual(switches);
  await again.stop();
});
