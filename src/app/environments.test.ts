/** The services of a venue are those of its environment, also the realtime service in its thread. */
import { expect, test } from 'vitest';
import { ENVIRONMENTS as CONTRACT_ENVIRONMENTS } from '#contract/environments.ts';
import { SocketClient } from '#realtime/testing/socket-client.ts';
import { ENVIRONMENTS } from '#venue/command.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

test('the core and the contract, which cannot import each other, name the same environments', () => {
  expect(CONTRACT_ENVIRONMENTS).toEqual(ENVIRONMENTS);
});

test.each(ENVIRONMENTS)('a venue in %s publishes its environment, and its sockets know it', async (environment) => {
  const directory = temporaryDirectory();
  const config = { ...testConfig(directory.path), environment };
  const venue = await startTestVenue(config);
  try {
    for (const path of ['/openapi.json', '/asyncapi.json'])
      expect(await (await fetch(`${venue.url}${path}`)).json()).toMatchObject({ 'x-openperp-environment': environment });
    const client = await SocketClient.connect(venue.realtimeUrl);
    expect(await client.request({ op: 'ping' })).toMatchObject({ type: 'pong' });
    // The message lists the channels of the environment.
    expect(await client.request({ op: 'subscribe', channel: 'market.nothing' })).toMatchObject({ code: 'unknown_channel' });
    client.socket.terminate();
  } finally {
    await venue.stop();
    directory.remove();
  }
  expect(venue.internalErrors).toEqual([]);
});
