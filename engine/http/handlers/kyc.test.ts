/** KYC over HTTP: never required, skipped once by the owner, without personal data. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

test('is not started until its owner skips it, and keeps the first time', async () => {
  const bot = await venue.bot();
  const params = { accountId: bot.accountId };
  const session = await venue.signIn(bot, 'social');
  const base = { version: 'external-kyc-status/v1', required: false, providerAvailability: 'unavailable' };
  const notStarted = { ...base, state: { status: 'not_started', createdAtEpochMs: null, updatedAtEpochMs: null } };
  expect((await venue.call('getKyc', { bot, params })).body).toEqual(notStarted);
  expect((await venue.call('skipKyc', { bot, params })).body.code).toBe('session_required');
  const before = venue.sequence();
  const [first, second] = await Promise.all([1, 2].map(() => venue.call('skipKyc', { bot: session, params })));
  const skippedAt = first!.body.state.updatedAtEpochMs;
  const skipped = { ...base, state: { status: 'skipped', createdAtEpochMs: skippedAt, updatedAtEpochMs: skippedAt } };
  expect(first!.body).toEqual(skipped);
  expect(second!.body).toEqual(skipped);
  const after = venue.sequence();
  expect(after).toBeGreaterThan(before);
  venue.pass(5);
  expect((await venue.call('skipKyc', { bot: session, params })).body).toEqual(skipped);
  expect((await venue.call('getKyc', { bot, params })).body).toEqual(skipped);
  expect(venue.sequence()).toBe(after);
});

test('is not started for an account of the operator', async () => {
  const bot = await venue.bot(0, ['read'], 'party-1');
  const { body } = await venue.call('getKyc', { bot, params: { accountId: bot.accountId } });
  expect(body.state.status).toBe('not_started');
});
