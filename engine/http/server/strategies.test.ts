/** `GET /v1/agents/strategies` over HTTP: the same for every caller and in every environment. */
import { expect, test } from 'vitest';
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { ENVIRONMENTS } from '#contract/environments.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

test.each(ENVIRONMENTS)('returns the catalogue of the release in %s, with and without a key', async (environment) => {
  const venue = await startVenue({ ...UNLIMITED, environment });
  try {
    const bot = await venue.bot();
    for (const caller of [{}, { bot }]) {
      const { status, body } = await venue.call('listStrategies', caller);
      expect({ status, body }).toEqual({ status: 200, body: STRATEGY_CATALOGUE });
    }
    expect((await venue.call('listStrategies', { query: { family: 'trend' } })).body).toMatchObject({ code: 'invalid_request' });
  } finally {
    await venue.close();
  }
});
