/** An unwatch that does not work is found: the method returns true, but the venue continues to publish. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from '#compat/booted-venue.ts';
import { runOwn } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { SOCKET_CHECKS } from './sockets.ts';

let venue: BootedVenue;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

/** Reports that it has unsubscribed, but has not. */
class UnsubscribesNothing extends OpenPerpPro {
  override async unWatchFeed(): Promise<true> {
    return true;
  }
}

test.each([
  ['the class', OpenPerpPro, []],
  ['one that unsubscribes nothing', UnsubscribesNothing, [expect.stringMatching(/updates of an ended watch/)]],
])('%s', async (_, Class, problems) => {
  const another = () => new Class({ urls: { api: { rest: venue.url } } });
  const [check] = SOCKET_CHECKS.filter(({ method }) => method === 'unWatchOrderBook');
  const stage = { another, symbol: 'BTC/USD.E:USD.E' } as unknown as Stage;
  expect(await runOwn(check!, stage)).toEqual(problems);
});
