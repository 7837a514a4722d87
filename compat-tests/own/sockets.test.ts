/** An end that is none is found out: the method says true, and the venue goes on telling. */
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

/** Says that it has ended, and has not. */
class Careless extends OpenPerpPro {
  override async unWatchFeed(): Promise<true> {
    return true;
  }
}

test.each([
  ['the class', OpenPerpPro, []],
  ['one that ends nothing', Careless, [expect.stringMatching(/updates of what is not watched any more/)]],
])('%s', async (_, Class, problems) => {
  const another = () => new Class({ urls: { api: { rest: venue.url } } });
  const [check] = SOCKET_CHECKS.filter(({ method }) => method === 'unWatchOrderBook');
  const stage = { another, symbol: 'BTC/USD.E:USD.E' } as unknown as Stage;
  expect(await runOwn(check!, stage)).toEqual(problems);
});
